// What operations ask of a store that is far away: requests, and calls of the store, each of which waits once.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/latency_store.h"
#include "tegula/tegula.h"
#include "tegula/tiledb.h"

namespace tegula {
namespace {

Dimension rows(std::uint64_t count, std::uint64_t tile) {
  Dimension out;
  out.name = "row";
  out.type = TypeId::uint64;
  if (count) out.domain = {std::uint64_t{0}, count - 1};
  out.tile = tile;
  return out;
}

Attribute numbers(std::string name) {
  Attribute out;
  out.name = std::move(name);
  out.type = TypeId::int32;
  return out;
}

Schema dense(std::string format, std::uint64_t cells, std::uint64_t tile) {
  Schema schema;
  schema.format = std::move(format);
  schema.dimensions = {rows(cells, tile)};
  if (schema.format != "tiledb") schema.dimensions[0].name = "dim_0";  // zarr writes no attributes for it
  schema.attributes = {numbers(schema.format == "tiledb" ? "a" : "")};
  return schema;
}

Column column(const std::string& name, const Datatype& type, std::uint64_t first, std::uint64_t count) {
  Column out;
  out.name = name;
  out.type = type;
  out.data.resize(count * type.size);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = first + i;
    std::memcpy(out.data.data() + i * type.size, &value, type.size);
  }
  return out;
}

std::string field_of(const Array& array) { return array.schema().attributes.at(0).name; }

void write(Array& array, std::uint64_t first, std::uint64_t count) {
  Selection box;
  box.axes.push_back(Slice{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count), 1});
  const Column values = column("", TypeId::int32, first, count);
  array.write(box, field_of(array), {values.data.data(), {count}, {4}});
}

void read(const Array& array, std::uint64_t first, std::uint64_t count) {
  Selection box;
  box.axes.push_back(Slice{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count), 1});
  Bytes values(count * 4);
  array.read(box, field_of(array), {values.data(), {count}, {4}});
  EXPECT_EQ(values, column("", TypeId::int32, first, count).data);
}

// `fragments` writes of ten cells each.
void make_dense(const std::shared_ptr<Store>& store, std::uint64_t fragments) {
  const auto array = create(store, dense("tiledb", 10 * fragments, 10));
  for (std::uint64_t f = 0; f < fragments; ++f) write(*array, 10 * f, 10);
}

void make_sparse(const std::shared_ptr<Store>& store, std::uint64_t fragments) {
  Schema schema = dense("tiledb", 10 * fragments, 10);
  schema.sparse = true;
  const auto array = create(store, schema);
  for (std::uint64_t f = 0; f < fragments; ++f)
    array->write(Batch{{column("row", TypeId::uint64, 10 * f, 10), column("a", TypeId::int32, 10 * f, 10)}, 10, {}});
}

void make_chunks(const std::shared_ptr<Store>& store, const std::string& format, std::uint64_t chunks) {
  write(*create(store, dense(format, 10 * chunks, 10)), 0, 10 * chunks);
}

Schema sharded() {
  Schema schema = dense("zarr3", 4000, 1000);
  Filter filter;
  filter.name = "sharding";
  filter.options = {{"chunk_shape", std::string("[10]")}};
  schema.attributes[0].filters = {filter};
  return schema;
}

// 20 chunks of 3 columns.
void make_table(const std::shared_ptr<Store>& store) {
  Schema schema;
  schema.format = "bcolz";
  schema.table = true;
  schema.dimensions = {rows(0, 1000)};
  Batch cells;
  for (const char* name : {"a", "b", "c"}) {
    schema.attributes.push_back(numbers(name));
    cells.columns.push_back(column(name, TypeId::int32, 0, 20000));
  }
  cells.cells = 20000;
  create(store, schema)->append(cells);
}

std::uint64_t count(const Array& array, const Query& query) { return collect(*array.query(query)).cells; }

struct Case {
  const char* name;
  std::function<void(const std::shared_ptr<Store>&)> make;  // without counting
  std::function<void(const std::shared_ptr<Store>&)> run;
  std::uint64_t requests;
  std::uint64_t calls;
  bool lists = true;
};

std::shared_ptr<Array> open_as(const std::shared_ptr<Store>& store, const std::string& format) {
  OpenOptions options;
  options.format = format;
  return open(store, options);
}

const Case kCases[] = {
    {"array_or_group_looks_once", [](auto& store) { make_chunks(store, "zarr3", 20); },
     [](auto& store) { read(*open_any(store).array, 0, 1); }, 3, 3},
    {"zarr2_chunk_of_a_given_format", [](auto& store) { make_chunks(store, "zarr2", 20); },
     [](auto& store) { read(*open_as(store, "zarr2"), 0, 1); }, 5, 3},
    {"zarr3_chunk_of_a_given_format", [](auto& store) { make_chunks(store, "zarr3", 20); },
     [](auto& store) { read(*open_as(store, "zarr3"), 0, 1); }, 4, 3},
    {"zarr3_info", [](auto& store) { make_chunks(store, "zarr3", 20); },
     [](auto& store) { EXPECT_EQ(open(store)->info().chunks_present, 20u); }, 3, 3},
    {"zarr3_verify", [](auto& store) { make_chunks(store, "zarr3", 20); },
     [](auto& store) { EXPECT_TRUE(open(store)->verify().empty()); }, 3 + 20, 3 + 20},
    {"bcolz_info", [](auto& store) { make_table(store); },
     [](auto& store) { EXPECT_EQ(open(store)->info().chunks_present, 60u); }, 2 + 6 + 1, 4},
    {"tiledb_verify_of_100_fragments", [](auto& store) { make_dense(store, 100); },
     [](auto& store) { EXPECT_TRUE(open(store)->verify().empty()); }, 6 + 200, 6 + 200},
    {"open_tiledb_1", [](auto& store) { make_dense(store, 1); }, [](auto& store) { open(store)->info(); }, 4 + 1, 4},
    {"open_tiledb_10", [](auto& store) { make_dense(store, 10); }, [](auto& store) { open(store)->info(); }, 4 + 10, 4},
    {"open_tiledb_100", [](auto& store) { make_dense(store, 100); }, [](auto& store) { open(store)->info(); }, 4 + 100,
     4},
    {"tiledb_info_behind_consolidated_metadata",
     [](auto& store) {
       make_dense(store, 100);
       const auto array = open(store);
       tiledb::consolidate(*array, {.part = tiledb::Part::fragment_metadata});
       tiledb::consolidate(*array, {.part = tiledb::Part::commits});
     },
     [](auto& store) { open(store)->info(); }, 4 + 100, 5},
    {"tiledb_first_cell_behind_consolidated_metadata",
     [](auto& store) {
       make_dense(store, 100);
       const auto array = open(store);
       tiledb::consolidate(*array, {.part = tiledb::Part::fragment_metadata});
       tiledb::consolidate(*array, {.part = tiledb::Part::commits});
     },
     [](auto& store) { read(*open(store), 0, 1); }, 5 + 1, 6},
    {"tiledb_first_cell_of_one_fragment", [](auto& store) { make_dense(store, 1); },
     [](auto& store) { read(*open(store), 0, 1); }, 5, 4},
    {"tiledb_first_cell_of_300_fragments", [](auto& store) { make_dense(store, 300); },
     [](auto& store) { read(*open(store), 0, 1); }, 305, 4},
    {"tiledb_all_of_300_fragments", [](auto& store) { make_dense(store, 300); },
     [](auto& store) { read(*open(store), 0, 3000); }, 604, 4},
    {"tiledb_box_of_100_sparse_fragments", [](auto& store) { make_sparse(store, 100); },
     [](auto& store) {
       Query query;
       query.ranges = {{"row", {{std::uint64_t{5}, std::uint64_t{994}}}}};
       EXPECT_EQ(count(*open(store), query), 990u);
     },
     102 + 200, 6},
    {"tiledb_64_tiles_of_one_file",
     [](auto& store) { write(*create(store, dense("tiledb", 64 * 65536, 65536)), 0, 64 * 65536); },
     [](auto& store) { read(*open(store), 0, 64 * 65536); }, 4 + 64, 5},
    {"tiledb_write_a_fragment", [](auto& store) { make_dense(store, 10); },
     [](auto& store) { write(*open(store), 0, 10); }, 3 + 3, 6},
    {"tiledb_create", [](auto&) {}, [](auto& store) { create(store, dense("tiledb", 100, 10)); }, 3, 3},
    {"tiledb_vacuum_of_300_fragments",
     [](auto& store) {
       make_dense(store, 300);
       tiledb::consolidate(*open(store));
     },
     [](auto& store) { EXPECT_EQ(tiledb::vacuum(*open(store)).size(), 601u); }, 4 + 300 / 300 + 4, 9},
    {"zarr3_chunk", [](auto& store) { make_chunks(store, "zarr3", 20); }, [](auto& store) { read(*open(store), 0, 1); },
     3, 3},
    {"zarr2_chunk", [](auto& store) { make_chunks(store, "zarr2", 20); }, [](auto& store) { read(*open(store), 0, 1); },
     3, 3},
    {"zarr3_chunk_of_many", [](auto& store) { make_chunks(store, "zarr3", 2000); },
     [](auto& store) { read(*open(store), 0, 1); }, 16, 3},
    {"zarr2_chunk_of_many", [](auto& store) { make_chunks(store, "zarr2", 2000); },
     [](auto& store) { read(*open(store), 0, 1); }, 16, 3},
    {"zarr2_without_listing", [](auto& store) { make_chunks(store, "zarr2", 20); },
     [](auto& store) { read(*open(store), 0, 1); }, 13, 2, false},
    {"zarr3_without_listing", [](auto& store) { make_chunks(store, "zarr3", 20); },
     [](auto& store) { read(*open(store), 0, 1); }, 13, 2, false},
    {"zarr3_400_chunks", [](auto& store) { make_chunks(store, "zarr3", 400); },
     [](auto& store) { read(*open(store), 0, 4000); }, 402, 4},
    {"zarr3_shard_chunk", [](auto& store) { write(*create(store, sharded()), 0, 4000); },
     [](auto& store) { read(*open(store), 0, 1); }, 4, 4},
    {"bcolz_where", [](auto& store) { make_table(store); },
     [](auto& store) {
       Query query;
       query.where = "a >= 10000";
       EXPECT_EQ(count(*open(store), query), 10000u);
     },
     80, 10},
    {"bcolz_where_without_listing", [](auto& store) { make_table(store); },
     [](auto& store) {
       Query query;
       query.where = "a >= 10000";
       EXPECT_EQ(count(*open(store), query), 10000u);
     },
     90, 10, false},
};

// Loops that write have as many puts under way as the store wants, on one thread as well.
struct Writing {
  const char* name;
  std::function<void(const std::shared_ptr<Store>&, const Work&)> run;
};
const Writing kWriting[] = {
    {"zarr3",
     [](auto& store, const Work& work) {
       const auto array = create(store, dense("zarr3", 640, 10));
       const Column values = column("", TypeId::int32, 0, 640);
       WriteOptions options;
       options.work = work;
       array->write({}, "", {values.data.data(), {640}, {4}}, options);
     }},
    {"bcolz",
     [](auto& store, const Work& work) {
       Schema schema;
       schema.format = "bcolz";
       schema.dimensions = {rows(0, 1000)};
       schema.attributes = {numbers("")};
       WriteOptions options;
       options.work = work;
       create(store, schema)->append(Batch{{column("", TypeId::int32, 0, 64000)}, 64000, {}}, options);
     }},
};

class FarAwayWriting : public ::testing::TestWithParam<Writing> {};

TEST_P(FarAwayWriting, PutsManyFilesAtOnce) {
  for (const std::uint64_t memory : {std::uint64_t{64} << 20, std::uint64_t{1} << 10}) {
    const auto counts = std::make_shared<StoreCounts>();
    // Long enough for all threads to begin, where they are meant to.
    const std::chrono::milliseconds round_trip(memory > 1 << 20 ? 300 : 1);
    const auto store =
        counting_store(latency_store(make_memory_store(), {.round_trip = round_trip, .in_flight = 32}), counts);
    Work work;
    work.threads = 1;
    work.memory = memory;
    GetParam().run(store, work);
    if (memory > 1 << 20)
      EXPECT_GE(counts->most_at_once, 16u);  // of 32: the first may be done before the last begin
    else
      EXPECT_LE(counts->most_at_once, 8u);
    EXPECT_LE(counts->most_at_once, 32u);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FarAwayWriting, ::testing::ValuesIn(kWriting),
                         [](const auto& each) { return each.param.name; });

class FarAway : public ::testing::TestWithParam<Case> {};

TEST_P(FarAway, AsksForLittleAndWaitsRarely) {
  const Case& test = GetParam();
  const auto memory = make_memory_store();
  test.make(memory);
  const auto counts = std::make_shared<StoreCounts>();
  const auto store = counting_store(latency_store(memory, {.lists = test.lists}), counts);
  test.run(store);
  EXPECT_LE(counts->reads + counts->sizes + counts->lists + counts->writes + counts->removes, test.requests)
      << counts->reads << " reads, " << counts->sizes << " sizes, " << counts->lists << " lists, " << counts->writes
      << " writes, " << counts->removes << " removes";
  EXPECT_LE(counts->batches, test.calls);
}

INSTANTIATE_TEST_SUITE_P(Operations, FarAway, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace tegula
