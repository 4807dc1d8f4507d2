// Tiles of TileDB that are copied as they are stored.
#include <gtest/gtest.h>

#include <functional>

#include "convert/filters.h"
#include "convert/samples.h"
#include "convert/stops.h"
#include "format/tiledb/array.h"
#include "format/tiledb/pass_tiles.h"
#include "tegula/tiledb.h"

namespace tegula {
namespace {

const char* const kFilters = "byteshuffle,zstd:3,checksum_md5";

Schema with_filters(Schema schema, const char* filters = kFilters) {
  for (Attribute& a : schema.attributes) a.filters = parse_filters(filters, "tiledb");
  return schema;
}

// 10 by 12 cells in 3 by 3 tiles, the last row of which reaches beyond the domain.
Schema grid() {
  Schema schema;
  schema.format = "tiledb";
  schema.dimensions = {dimension("x", 9, 4), dimension("y", 11, 4)};
  schema.attributes = {attribute("n", TypeId::int32), attribute("t", TypeId::utf8, kVar),
                       attribute("m", TypeId::int32, 1, true)};
  return with_filters(std::move(schema));
}

// 300 cells in 38 tiles.
Schema scattered() {
  Schema schema;
  schema.format = "tiledb";
  schema.sparse = true;
  schema.capacity = 8;
  schema.dimensions = {dimension("x", 999, 10), dimension("y", 999, 10)};
  schema.attributes = {attribute("n", TypeId::int32), attribute("t", TypeId::ascii, kVar),
                       attribute("m", TypeId::int32, 1, true)};
  return with_filters(std::move(schema));
}

CreateOptions of_version(std::uint32_t version) {
  CreateOptions options;
  options.format_version = version;
  return options;
}

WriteOptions at(std::uint64_t time) {
  WriteOptions options;
  options.at = time;
  return options;
}

void write_box(Array& array, const char* box, std::uint64_t cells, std::int32_t seed = 0) {
  array.write(parse_selection(box), cells_for(array.schema(), cells, seed));
}

void expect_equal(const tiledb::TileExtremes& a, const tiledb::TileExtremes& b) {
  EXPECT_EQ(a.fixed, b.fixed);
  EXPECT_EQ(a.var, b.var);
}

// All that the metadata of two fragments says of their tiles.
void expect_same_metadata(const tiledb::Fragment& a, const tiledb::Fragment& b) {
  EXPECT_EQ(a.domain(), b.domain());
  ASSERT_EQ(a.tiles(), b.tiles());
  ASSERT_EQ(a.fields().size(), b.fields().size());
  const auto list = [](std::span<const std::uint64_t> numbers) {
    return std::vector<std::uint64_t>(numbers.begin(), numbers.end());
  };
  for (std::uint64_t tile = 0; tile < a.tiles(); ++tile) EXPECT_EQ(a.cells(tile), b.cells(tile));
  for (const tiledb::StoredField& field : a.fields()) {
    SCOPED_TRACE(field.name);
    EXPECT_EQ(list(a.tile_offsets(field.slot)), list(b.tile_offsets(field.slot)));
    EXPECT_EQ(list(a.var_offsets(field.slot)), list(b.var_offsets(field.slot)));
    EXPECT_EQ(list(a.var_sizes(field.slot)), list(b.var_sizes(field.slot)));
    EXPECT_EQ(list(a.validity_offsets(field.slot)), list(b.validity_offsets(field.slot)));
    if (a.version() < 11) continue;
    EXPECT_EQ(list(a.sums(field.slot)), list(b.sums(field.slot)));
    EXPECT_EQ(list(a.null_counts(field.slot)), list(b.null_counts(field.slot)));
    expect_equal(a.mins(field.slot), b.mins(field.slot));
    expect_equal(a.maxs(field.slot), b.maxs(field.slot));
  }
  ASSERT_EQ(a.statistics().size(), b.statistics().size());
  for (std::size_t i = 0; i < a.statistics().size(); ++i) {
    EXPECT_EQ(a.statistics()[i].min, b.statistics()[i].min);
    EXPECT_EQ(a.statistics()[i].max, b.statistics()[i].max);
    EXPECT_EQ(a.statistics()[i].sum, b.statistics()[i].sum);
    EXPECT_EQ(a.statistics()[i].null_count, b.statistics()[i].null_count);
  }
  if (a.dense()) return;
  ASSERT_EQ(a.rtree().tiles(), b.rtree().tiles());
  for (std::uint64_t tile = 0; tile < a.tiles(); ++tile)
    EXPECT_EQ(a.rtree().leaves().range(tile), b.rtree().leaves().range(tile));
}

void expect_same_metadata(const Array& a, const Array& b) {
  const auto left = tiledb::tiledb_array(a).snapshot(), right = tiledb::tiledb_array(b).snapshot();
  ASSERT_EQ(left->fragments({}).size(), right->fragments({}).size());
  for (std::size_t i = 0; i < left->fragments({}).size(); ++i)
    expect_same_metadata(*left->fragments({})[i], *right->fragments({})[i]);
}

struct Row {
  const char* name;
  std::uint64_t passed;  // tiles of all fields
  std::function<std::shared_ptr<Array>()> source;
  std::function<void(ConvertOptions&)> options = {};
};

std::shared_ptr<Array> dense(const Schema& schema, const CreateOptions& options = {}) {
  const std::shared_ptr<Array> array = create(make_memory_store(), schema, options);
  write_box(*array, "[:, :]", 120);
  return array;
}

std::shared_ptr<Array> sparse(const Schema& schema, const CreateOptions& options = {}) {
  const std::shared_ptr<Array> array = create(make_memory_store(), schema, options);
  array->write(points_for(schema, 300), at(1000));
  return array;
}

const Row kRows[] = {
    {"same grid", 27, [] { return dense(grid()); }},
    {"column-major", 27,
     [] {
       Schema schema = grid();
       schema.tile_order = schema.cell_order = Order::col;
       return dense(schema);
     }},
    {"one field", 9, [] { return dense(grid()); }, [](ConvertOptions& o) { o.target.field = "m"; }},
    {"other tiles", 0, [] { return dense(grid()); }, [](ConvertOptions& o) { o.target.chunks = {5, 4}; }},
    {"filters asked for", 0, [] { return dense(grid()); },
     [](ConvertOptions& o) { o.target.filters = parse_filters("zstd:3", "tiledb"); }},
    {"new key", 0, [] { return dense(grid()); }, [](ConvertOptions& o) { o.create.key = Bytes(32, std::byte{1}); }},
    {"same key", 0,
     [] {
       CreateOptions options;
       options.key = Bytes(32, std::byte{1});
       return dense(grid(), options);
     },
     [](ConvertOptions& o) { o.create.key = Bytes(32, std::byte{1}); }},
    {"versions of one layout", 27, [] { return dense(grid(), of_version(18)); }},
    {"versions of two layouts", 0, [] { return dense(grid(), of_version(16)); }},
    {"old, without statistics", 27, [] { return dense(grid(), of_version(10)); },
     [](ConvertOptions& o) { o.create = of_version(10); }},
    {"statistics with padding, made anew", 27, [] { return dense(grid(), of_version(15)); },
     [](ConvertOptions& o) { o.create = of_version(15); }},
    {"statistics of text that are not to be trusted, made anew", 9,
     [] {
       Schema schema = grid();
       schema.attributes = {attribute("t", TypeId::ascii, kVar)};
       return dense(with_filters(schema));
     }},
    {"coordinates in one file", 0,
     [] {
       Schema schema = scattered();
       schema.attributes.resize(1);
       schema.attributes[0].fill.clear();
       return sparse(with_filters(schema, "zstd:3"), of_version(4));
     },
     [](ConvertOptions& o) { o.create = of_version(4); }},
    {"covered by newer fragments: a tile as a whole, another in part", 24,
     [] {
       const std::shared_ptr<Array> array = dense(grid());
       write_box(*array, "[4:8, 4:8]", 16, 1000);
       write_box(*array, "[1:3, 1:3]", 4, 2000);
       return array;
     }},
    {"a part of the domain", 18,
     [] {
       const std::shared_ptr<Array> array = create(make_memory_store(), grid());
       write_box(*array, "[2:6, 0:11]", 44);
       return array;
     }},
    {"a current domain", 18,
     [] {
       Schema schema = grid();
       schema.current_domain = {{std::int64_t{0}, std::int64_t{5}}, {std::int64_t{0}, std::int64_t{11}}};
       const std::shared_ptr<Array> array = create(make_memory_store(), schema);
       write_box(*array, "[0:6, :]", 72);
       return array;
     }},
    {"two fragments in one tile", 9,
     [] {
       const std::shared_ptr<Array> array = create(make_memory_store(), grid());
       write_box(*array, "[0:2, :]", 24);
       write_box(*array, "[2:8, :]", 72);
       return array;
     }},
    {"nothing written", 0, [] { return create(make_memory_store(), grid()); }},
    {"an attribute added since", 0,
     [] {
       const std::shared_ptr<Array> array = dense(grid());
       tiledb::Evolution changes;
       changes.add_attributes = {attribute("later", TypeId::int32)};
       tiledb::evolve(*array, changes);
       return array;
     }},
    {"sparse", 190, [] { return sparse(scattered()); }},
    {"sparse, one field", 114, [] { return sparse(scattered()); }, [](ConvertOptions& o) { o.target.field = "n"; }},
    {"sparse, old", 190, [] { return sparse(scattered(), of_version(9)); },
     [](ConvertOptions& o) { o.create = of_version(9); }},
    {"sparse, other tiles", 0, [] { return sparse(scattered()); },
     [](ConvertOptions& o) { o.target.chunks = {20, 10}; }},
    {"sparse, two fragments", 0,
     [] {
       const std::shared_ptr<Array> array = sparse(scattered());
       array->write(points_for(array->schema(), 20, 500), at(2000));
       return array;
     }},
    {"sparse, two fragments merged", 0,
     [] {
       const std::shared_ptr<Array> array = sparse(scattered());
       array->write(points_for(array->schema(), 20, 500), at(2000));
       tiledb::consolidate(*array);
       return open(tiledb::tiledb_array(*array).store());
     }},
    {"sparse, before the second fragment", 190,
     [] {
       const std::shared_ptr<Array> array = sparse(scattered());
       array->write(points_for(array->schema(), 20, 500), at(2000));
       OpenOptions options;
       options.at = {0, 1500};
       return open(tiledb::tiledb_array(*array).store(), options);
     }},
    {"sparse, cells deleted", 0,
     [] {
       const std::shared_ptr<Array> array = sparse(scattered());
       tiledb::delete_cells(*array, "n < 100", at(2000));
       return array;
     }},
};

TEST(PassTiles, WhatFitsGoesOverAsItIs) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const std::shared_ptr<Array> source = row.source();
    ConvertOptions options;
    options.lossy = true;  // the history
    if (row.options) row.options(options);
    const Converted made = convert(*source, make_memory_store(), options, {});
    EXPECT_EQ(made.passed, row.passed);
    EXPECT_TRUE(options.target.field || compare(*source, *made.array, {}).same());
    EXPECT_TRUE(made.array->verify().empty());
    if (row.passed == 0) continue;
    EXPECT_EQ(made.array->info().non_empty_domain, source->info().non_empty_domain);
    // The same, decoded and encoded anew.
    options.target.filters = parse_filters(kFilters, "tiledb");
    const Converted anew = convert(*source, make_memory_store(), options, {});
    EXPECT_EQ(anew.passed, 0u);
    EXPECT_TRUE(compare(*anew.array, *made.array, {}).same());
    expect_same_metadata(*anew.array, *made.array);
  }
}

TEST(PassTiles, InLittleMemoryAndSeveralFragments) {
  for (const std::shared_ptr<Array>& source : {dense(grid()), sparse(scattered())}) {
    ConvertOptions options;
    options.fragment_bytes = 2500;
    Work work;
    work.memory = 2000;
    const Converted made = convert(*source, make_memory_store(), options, work);
    EXPECT_EQ(made.passed, source->schema().sparse ? 190u : 27u);
    EXPECT_GT(made.array->info().fragments.size(), 2u);
    EXPECT_TRUE(compare(*source, *made.array, {}).same());
    EXPECT_TRUE(made.array->verify().empty());
  }
}

TEST(PassTiles, GoOnWhereTheyWereStopped) {
  const std::shared_ptr<Array> mixed = dense(grid());
  write_box(*mixed, "[1:6, 1:3]", 10, 1000);
  for (const std::shared_ptr<Array>& source : {mixed, sparse(scattered())}) {
    ConvertOptions options;
    options.lossy = true;
    options.source_name = "source";
    options.fragment_bytes = 2500;
    const Stops stops = stop_at_every_change(*source, options, {});
    EXPECT_GE(stops.resumed, 10u);
    EXPECT_GT(stops.kept, 0u);
  }
}

TEST(PassTiles, LevelsOfCompressionMayDiffer) {
  const std::shared_ptr<Array> source = dense(grid());
  struct Level {
    const char* filters;
    bool fits;
  };
  for (const Level& level : {Level{"byteshuffle,zstd:19,checksum_md5", true},
                             {"byteshuffle,lz4:3,checksum_md5", false},
                             {"zstd:3,checksum_md5", false},
                             {"byteshuffle,zstd:3", false}}) {
    const std::shared_ptr<Array> target = create(make_memory_store(), with_filters(grid(), level.filters));
    EXPECT_EQ(tiledb::TilePass::between(*source, {"n", "t", "m"}, *target, {}) != nullptr, level.fits) << level.filters;
    EXPECT_FALSE(tiledb::TilePass::between(*source, {"n", "t", "n"}, *target, {})) << "a field of another kind";
  }
}

TEST(PassTiles, DamageIsCopiedAndFound) {
  const std::shared_ptr<Store> from = make_memory_store(), to = make_memory_store();
  const std::shared_ptr<Array> source = create(from, grid());
  write_box(*source, "[:, :]", 120);
  const std::string fragment = join("__fragments", source->info().fragments[0].name);
  Bytes file = *from->get(join(fragment, "a0.tdb"));
  file[file.size() / 2] ^= std::byte{1};
  from->put(join(fragment, "a0.tdb"), file);
  const Converted made = convert(*source, to, {}, {});
  EXPECT_EQ(made.passed, 27u);
  EXPECT_EQ(*to->get(join("__fragments", join(made.array->info().fragments[0].name, "a0.tdb"))), file);
  EXPECT_FALSE(made.array->verify().empty());
  try {
    compare(*source, *made.array, {});
    FAIL() << "the damage was not found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
  }
}

TEST(PassTiles, AFileThatIsGoneIsAnError) {
  const std::shared_ptr<Store> from = make_memory_store();
  const std::shared_ptr<Array> source = create(from, grid());
  write_box(*source, "[:, :]", 120);
  from->remove(join("__fragments", join(source->info().fragments[0].name, "a1_var.tdb")));
  EXPECT_THROW(convert(*source, make_memory_store(), {}, {}), Error);
}

}  // namespace
}  // namespace tegula
