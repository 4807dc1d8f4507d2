// Streams of cells: what one write of everything gives, in pieces of any size, and nothing before the commit.
#include <gtest/gtest.h>

#include <new>
#include <numeric>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write/write_sparse.h"
#include "format/tiledb/write_support.h"
#include "query/columns/gather.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

std::string text_of_cells(const Batch& batch) {
  std::string text;
  for (const Column& column : batch.columns) {
    text += column.name + ":";
    for (std::size_t i = 0; i < batch.cells; ++i)
      text += column.nullable && !column.valid(i) ? "null|" : fmt::format("{}|", text_of(column.cell(i)));
  }
  return text;
}

Batch cut(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  Batch part = slice(batch, first, count);
  part.shape.reset();
  return part;
}

void write_pieces(CellWriter& stream, const Batch& cells, std::uint64_t piece) {
  for (std::uint64_t at = 0; at < cells.cells; at += piece)
    stream.write(cut(cells, at, std::min(piece, cells.cells - at)));
  stream.write(cut(cells, 0, 0));
}

WriteOptions in_order(Order order, std::uint64_t memory = 2ull << 30) {
  WriteOptions options;
  options.order = order;
  options.work.memory = memory;
  return options;
}

TEST(CellStreams, GivesWhatOneWriteGives) {
  for (const Case& c : cases()) {
    for (const std::uint32_t version : {std::max(c.since, 4u), 22u}) {
      const std::shared_ptr<Array> whole = write_case(make_memory_store(), c, version);
      CreateOptions create;
      create.format_version = version;
      Query query;
      query.order = Order::global;
      std::optional<Selection> box;
      if (!c.schema.sparse) box = query.select = box_selection(c.box);
      for (const Order order : {Order::row, Order::col, Order::global}) {
        if (c.schema.sparse && order != Order::global) continue;
        query.order = order;
        const Batch cells = ask(*whole, query);
        for (const std::uint64_t piece : {std::uint64_t{1}, std::uint64_t{37}, std::uint64_t{1000}}) {
          SCOPED_TRACE(fmt::format("{} v{} order {} pieces of {}", c.name, version, static_cast<int>(order), piece));
          const std::shared_ptr<Store> store = make_memory_store();
          const std::shared_ptr<Array> array = create_array(store, c.schema, create);
          const std::unique_ptr<CellWriter> stream = array->write_stream(box, in_order(order));
          write_pieces(*stream, cells, piece);
          EXPECT_EQ(array->info({}).fragments.size(), 0u);
          stream->commit();
          EXPECT_EQ(text_of_cells(ask(*array, query)), text_of_cells(cells));
          const Info one = array->info({}), other = whole->info({});
          ASSERT_EQ(one.fragments.size(), 1u);
          EXPECT_EQ(one.stored_bytes, other.stored_bytes);
          EXPECT_TRUE(array->verify({}).empty());
        }
      }
    }
  }
}

Schema rows_and_columns(Order tiles) {
  Schema schema = make_schema(false,
                              {dimension("y", TypeId::int64, std::int64_t{0}, std::int64_t{63}, std::int64_t{8}),
                               dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{63}, std::int64_t{8})},
                              {attribute("a", TypeId::int32)});
  schema.tile_order = tiles;
  return schema;
}

TEST(CellStreams, HoldsABandOfTiles) {
  constexpr std::uint64_t kBand = 8 * 64 * 4;
  struct {
    Order tiles, cells;
    std::uint64_t memory;
    bool fits;
  } const table[] = {
      {Order::row, Order::row, 2 * kBand, true},    {Order::row, Order::row, kBand / 2, false},
      {Order::row, Order::global, kBand / 2, true}, {Order::row, Order::col, 2 * kBand, false},
      {Order::row, Order::col, 100 * kBand, true},  {Order::col, Order::col, 2 * kBand, true},
      {Order::col, Order::global, kBand / 2, true}, {Order::col, Order::row, 2 * kBand, false},
  };
  for (const auto& c : table) {
    SCOPED_TRACE(
        fmt::format("tiles {}, cells {}, {} bytes", static_cast<int>(c.tiles), static_cast<int>(c.cells), c.memory));
    const Schema schema = rows_and_columns(c.tiles);
    const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
    const WriteOptions options = in_order(c.cells, c.memory);
    if (!c.fits) {
      EXPECT_ERROR(unsupported, "budget", array->write_stream(std::nullopt, options));
      continue;
    }
    const Batch cells = random_cells(schema, 64 * 64, 3);
    const std::unique_ptr<CellWriter> stream = array->write_stream(std::nullopt, options);
    write_pieces(*stream, cells, 100);
    stream->commit();
    Query query;
    query.order = c.cells;
    EXPECT_EQ(text_of_cells(ask(*array, query)), text_of_cells(cells));
  }
}

TEST(CellStreams, NothingIsThereWithoutACommit) {
  for (const bool sparse : {false, true}) {
    const std::shared_ptr<Store> store = make_memory_store();
    Schema schema = rows_and_columns(Order::row);
    schema.sparse = sparse;
    schema.capacity = 10;
    const std::shared_ptr<Array> array = create_array(store, schema, {});
    {
      const std::unique_ptr<CellWriter> stream = array->write_stream(std::nullopt, in_order(Order::global));
      Batch cells = random_cells(schema, 64, 3);
      if (sparse)
        for (std::size_t i = 0; i < 64; ++i)
          for (Column* column : {&cells.columns[0], &cells.columns[1]})
            store_le<std::int64_t>(column->data.data() + 8 * i, static_cast<std::int64_t>(i));
      write_pieces(*stream, cells, 64);
    }
    EXPECT_TRUE(store->list(kFragmentsFolder).empty());
    EXPECT_TRUE(store->list(kCommitsFolder).empty());
    // No cells: no fragment.
    if (sparse) array->write_stream(std::nullopt, in_order(Order::global))->commit();
    EXPECT_TRUE(array->info({}).fragments.empty());
  }
}

// A store on which listing fails once memory is short, with what the allocator throws.
class ShortOfMemory final : public WrappedStore {
 public:
  using WrappedStore::WrappedStore;
  std::vector<Entry> list(std::string_view prefix) const override {
    if (short_) throw std::bad_alloc();
    return WrappedStore::list(prefix);
  }
  bool short_ = false;
};

TEST(CellStreams, DroppingOneNeverThrows) {
  const auto store = std::make_shared<ShortOfMemory>(make_memory_store());
  const Schema schema = rows_and_columns(Order::row);
  const std::shared_ptr<Array> array = create_array(store, schema, {});
  std::unique_ptr<CellWriter> stream = array->write_stream(std::nullopt, in_order(Order::global));
  write_pieces(*stream, random_cells(schema, 64, 3), 64);
  store->short_ = true;
  stream.reset();
  store->short_ = false;
  EXPECT_TRUE(array->info({}).fragments.empty());
}

TEST(CellStreams, CountsItsCells) {
  const Schema schema = rows_and_columns(Order::row);
  const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
  const Selection box = parse_selection("[3:5, 10:20]");
  const Batch cells = random_cells(schema, 20, 3);
  {
    const std::unique_ptr<CellWriter> stream = array->write_stream(box);
    stream->write(cut(cells, 0, 19));
    EXPECT_ERROR(invalid_argument, "19 cells for a box of 20", stream->commit());
    EXPECT_ERROR(invalid_argument, "21 cells for a box of 20", stream->write(cut(cells, 0, 2)));
    EXPECT_ERROR(invalid_argument, "failed", stream->commit());
  }
  EXPECT_ERROR(invalid_argument, "reversed", array->write_stream(parse_selection("[::-1, :]")));
  EXPECT_ERROR(invalid_argument, "order", array->write_stream(box, in_order(Order::unordered)));
  const std::unique_ptr<CellWriter> empty = array->write_stream(parse_selection("[3:3, :]"));
  EXPECT_ERROR(invalid_argument, "none", empty->write(cells));
  empty->commit();
  EXPECT_TRUE(array->info({}).fragments.empty());
  // Committed once.
  const std::unique_ptr<CellWriter> stream = array->write_stream(box);
  stream->write(cells);
  stream->commit();
  EXPECT_ERROR(invalid_argument, "committed", stream->commit());
  EXPECT_ERROR(invalid_argument, "committed", stream->write(cells));
  EXPECT_EQ(array->info({}).fragments.size(), 1u);
}

Batch line(std::initializer_list<std::int64_t> places) {
  Batch batch;
  batch.cells = places.size();
  Column x, a;
  x.name = "x";
  x.type = TypeId::int64;
  a.name = "a";
  a.type = TypeId::int32;
  for (const std::int64_t place : places) {
    ByteWriter(x.data).put(place);
    ByteWriter(a.data).put(static_cast<std::int32_t>(place));
  }
  batch.columns = {x, a};
  return batch;
}

TEST(CellStreams, RefusesCellsOutOfOrder) {
  Schema schema =
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                  {attribute("a", TypeId::int32)});
  schema.capacity = 2;
  const struct {
    Batch first, second;
    bool duplicates;
    std::string message;  // empty: fine
  } table[] = {
      {line({1, 2, 3}), line({4, 5}), false, ""},
      {line({1, 2, 3}), line({3, 5}), false, "cells 2 and 3 lie at the same place (3)"},
      {line({1, 2, 3}), line({3, 5}), true, ""},
      {line({1, 2, 3}), line({2, 5}), true, "cell 2 (3) is not in global order"},
      {line({1, 2, 3}), line({5, 4}), false, "cell 3 (5) is not in global order"},
      {line({1, 2, 3}), line({4, 4}), false, "cells 3 and 4 lie at the same place (4)"},
      {line({1, 2, 3}), line({4, 100}), false, "outside of the domain"},
  };
  for (const auto& c : table) {
    SCOPED_TRACE(c.message);
    schema.allows_duplicates = c.duplicates;
    const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
    const std::unique_ptr<CellWriter> stream = array->write_stream(std::nullopt, in_order(Order::global));
    stream->write(c.first);
    if (c.message.empty()) {
      stream->write(c.second);
      stream->commit();
      EXPECT_EQ(ask(*array, {}).cells, c.first.cells + c.second.cells);
    } else {
      EXPECT_ERROR(invalid_argument, c.message, stream->write(c.second));
      EXPECT_ERROR(invalid_argument, "failed", stream->commit());
      EXPECT_TRUE(array->info({}).fragments.empty());
    }
  }
  EXPECT_ERROR(invalid_argument, "no box",
               create_array(make_memory_store(), schema, {})->write_stream(parse_selection("[1:2]")));
}

TEST(CellStreams, NamesWhatWasWritten) {
  const std::shared_ptr<Array> array = create_array(
      make_memory_store(),
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                  {attribute("a", TypeId::int32)}),
      {});
  std::vector<std::string> written;
  WriteTarget target = tiledb_array(*array).target();
  target.written = &written;
  write_sparse(target, line({}), 1, {});
  EXPECT_TRUE(written.empty());
  write_sparse(target, line({5, 1}), 1, {});
  EXPECT_EQ(written.size(), 1u);
  const std::unique_ptr<CellWriter> stream = stream_sparse(target, 2, in_order(Order::global));
  stream->write(line({7, 8}));
  EXPECT_EQ(written.size(), 1u);
  stream->commit();
  std::vector<std::string> there;
  for (const FragmentInfo& fragment : TiledbArray(tiledb_array(*array).store(), {}).info({}).fragments)
    there.push_back(fragment.name);
  EXPECT_EQ(written, there);
}

TEST(CellStreams, MayOutliveItsArray) {
  const std::shared_ptr<Store> store = make_memory_store();
  Schema schema = rows_and_columns(Order::row);
  std::unique_ptr<CellWriter> stream = create_array(store, schema, {})->write_stream(parse_selection("[0, 0:3]"));
  stream->write(random_cells(schema, 3, 1));
  stream->commit();
  EXPECT_EQ(TiledbArray(store, {}).info({}).fragments.size(), 1u);
}

}  // namespace
}  // namespace tegula::tiledb
