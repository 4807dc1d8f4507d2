// How work grows: each row of the table does something with n, 2n and 4n of something, and counts requests to the store
// and allocations. Both grow in proportion, or by the logarithm more; a square would show as sixteen times.
#include <gtest/gtest.h>

#include "counting/allocations.h"
#include "store/wrap/counting_store.h"
#include "support/sample_operations.h"

namespace tegula::testing {
namespace {

struct Setting {
  StorePointer store;  // counted
  std::uint64_t n = 0;
};

struct Scale {
  std::string name;
  std::function<void(const Setting&)> prepare;
  std::function<void(const Setting&)> act;
  std::uint64_t n = 64;
};

Schema tiledb_schema(bool sparse, std::uint64_t cells, std::vector<Attribute> attributes) {
  Schema schema = sample_schema("tiledb", cells, 10, std::move(attributes));
  schema.sparse = sparse;
  schema.capacity = 16;
  return schema;
}
std::vector<Attribute> numbers(std::uint64_t n) {
  std::vector<Attribute> attributes;
  for (std::uint64_t i = 0; i < n; ++i) attributes.push_back(sample_attribute(fmt::format("a{}", i), TypeId::int32));
  return attributes;
}
std::shared_ptr<Array> create_at(const StorePointer& store, const Schema& schema) {
  CreateOptions options;
  options.work = one_thread();
  if (schema.format == "tiledb") options.at = 1;
  return create(store, schema, options);
}

// One write a cell.
void many_fragments(const Setting& s, bool sparse) {
  const auto array = create_at(s.store, tiledb_schema(sparse, 4096, numbers(1)));
  const Schema schema = array->schema();
  for (std::uint64_t i = 0; i < s.n; ++i)
    if (sparse)
      array->write(sample_cells(schema, 1, i, i), written_at(10 + i));
    else
      array->write(sample_box(i, 1), sample_cells(schema, 1, i), written_at(10 + i));
}
void one_write(const Setting& s, const Schema& schema, std::uint64_t cells) {
  const auto array = create_at(s.store, schema);
  const Batch batch = sample_cells(schema, cells, 1);
  if (schema.sparse)
    array->write(batch, written_at(10));
  else if (schema.format == "bcolz")
    array->append(batch, written_at(0));
  else
    array->write(sample_box(0, cells), batch, written_at(schema.format == "tiledb" ? 10 : 0));
}

void read_all(const Setting& s) { state_text(*open_sample(s.store), one_thread()); }
void look(const Setting& s) {
  const auto array = open_sample(s.store);
  info_text(*array);
  aggregates_text(*array);
}
void verify(const Setting& s) { open_sample(s.store)->verify(one_thread()); }
void merge(const Setting& s) {
  tiledb::ConsolidateOptions options;
  options.work = one_thread();
  tiledb::consolidate(*open_sample(s.store), options);
}
void merge_and_clean(const Setting& s) {
  merge(s);
  tiledb::VacuumOptions options;
  options.work = one_thread();
  tiledb::vacuum(*open_sample(s.store), options);
}
void ask_ranges(const Setting& s) {
  Query query;
  query.work = one_thread();
  query.order = Order::row;
  DimensionRanges ranges{"x", {}};
  for (std::uint64_t i = 0; i < s.n; ++i) ranges.ranges.push_back({3 * i, 3 * i + 1});
  query.ranges = {ranges};
  answer_text(*open_sample(s.store), query);
}
void ask_in(const Setting& s) {
  const auto array = open_sample(s.store);
  Query query;
  query.work = one_thread();
  const std::string& name = array->schema().attributes[0].name;
  query.where = (name.empty() ? "value" : name) + " in (0";
  for (std::uint64_t i = 0; i < s.n; ++i) query.where += fmt::format(", {}", 7 * i + 1);
  query.where += ")";
  answer_text(*array, query);
}
void write_middle(const Setting& s) {
  const auto array = open_sample(s.store);
  const Schema schema = array->schema();
  const std::uint64_t cells = schema.shape()[0] - 2;
  array->write(sample_box(1, cells), sample_cells(schema, cells, 3), written_at(schema.format == "tiledb" ? 99 : 0));
}
void append_often(const Setting& s) {
  const auto array = open_sample(s.store);
  const Schema schema = array->schema();
  for (std::uint64_t i = 0; i < s.n; ++i) array->append(sample_cells(schema, 5, i), written_at(0));
}
void copy_elsewhere(const Setting& s) {
  ConvertOptions options;
  options.target.format = "zarr3";
  convert(*open_sample(s.store), make_memory_store(), options, one_thread());
}

Enumeration enumeration_of(std::uint64_t n) {
  Enumeration e{"names", TypeId::utf8, kVar, false, {}, {}};
  for (std::uint64_t i = 0; i < n; ++i) {
    e.offsets.push_back(e.data.size());
    const std::string text = fmt::format("name {}", i);
    e.data.insert(e.data.end(), bytes_of(text).begin(), bytes_of(text).end());
  }
  return e;
}
void enumerated(const Setting& s) {
  Schema schema = tiledb_schema(true, 4096, numbers(1));
  schema.enumerations = {enumeration_of(s.n)};
  schema.attributes[0].enumeration = "names";
  const auto array = create_at(s.store, schema);
  Batch batch = sample_cells(schema, 1, 0);
  batch.columns.back().data = Bytes(4, std::byte{1});
  batch.columns.back().data[1] = batch.columns.back().data[2] = batch.columns.back().data[3] = std::byte{0};
  array->write(batch, written_at(10));
}
void ask_names(const Setting& s) {
  Query query;
  query.work = one_thread();
  query.where = "a0 in ('nobody'";
  for (std::uint64_t i = 0; i < s.n; ++i) query.where += fmt::format(", 'name {}'", i);
  query.where += ")";
  answer_text(*open_sample(s.store), query);
}
void extend_names(const Setting& s) {
  tiledb::evolve(*open_sample(s.store), {.extend_enumerations = {enumeration_of(s.n + 1)}}, written_at(50));
}

void many_members(const Setting& s, const char* format) {
  create_group(s.store, format);
  const auto group = open_group(s.store);
  for (std::uint64_t i = 0; i < s.n; ++i) {
    const std::string name = fmt::format("m{}", i);
    Schema schema = std::string_view(format) == "tiledb"
                        ? tiledb_schema(true, 100, numbers(1))
                        : sample_schema(format, 8, 8, {sample_attribute("", TypeId::int32)});
    create_at(sub_store(s.store, name), schema);
  }
}
void list_members(const Setting& s) { open_group(s.store)->members(); }

Schema chunked(const char* format, std::uint64_t cells) {
  return sample_schema(format, std::string_view(format) == "bcolz" ? 0 : cells, 10,
                       {sample_attribute("", TypeId::int32)});
}

std::vector<Scale> scales() {
  std::vector<Scale> all;
  const auto add = [&](std::string name, std::function<void(const Setting&)> prepare, void (*act)(const Setting&),
                       std::uint64_t n = 64) { all.push_back({std::move(name), std::move(prepare), act, n}); };
  for (const bool sparse : {false, true}) {
    const std::string kind = sparse ? "tiledb sparse: " : "tiledb dense: ";
    const auto fragments = [sparse](const Setting& s) { many_fragments(s, sparse); };
    const auto tiles = [sparse](const Setting& s) {
      one_write(s, tiledb_schema(sparse, 10 * s.n, numbers(1)), 10 * s.n);
    };
    const auto attributes = [sparse](const Setting& s) { one_write(s, tiledb_schema(sparse, 40, numbers(s.n)), 40); };
    add(
        kind + "writing fragments", [](const Setting&) {},
        sparse ? +[](const Setting& s) { many_fragments(s, true); }
               : +[](const Setting& s) { many_fragments(s, false); });
    add(kind + "reading fragments", fragments, read_all);
    add(kind + "info and aggregates of fragments", fragments, look);
    add(kind + "verifying fragments", fragments, verify);
    add(kind + "consolidating fragments", fragments, merge);
    add(kind + "vacuuming fragments", fragments, merge_and_clean);
    add(kind + "reading tiles", tiles, read_all);
    add(kind + "info and aggregates of tiles", tiles, look);
    add(kind + "consolidating tiles", tiles, merge);
    add(
        kind + "ranges", [sparse](const Setting& s) { one_write(s, tiledb_schema(sparse, 4096, numbers(1)), 4096); },
        ask_ranges, 256);
    add(
        kind + "a list of values in a condition",
        [sparse](const Setting& s) { one_write(s, tiledb_schema(sparse, 40, numbers(1)), 40); }, ask_in, 256);
    add(kind + "attributes", attributes, read_all, 32);
    add(kind + "verifying attributes", attributes, verify, 32);
  }
  add("tiledb: values of an enumeration", enumerated, read_all, 256);
  add("tiledb: names in a condition", enumerated, ask_names, 256);
  add("tiledb: an enumeration that grows", enumerated, extend_names, 256);
  for (const char* format : {"zarr2", "zarr3", "bcolz"}) {
    const std::string kind = std::string(format) + ": ";
    const auto chunks = [format](const Setting& s) { one_write(s, chunked(format, 10 * s.n), 10 * s.n); };
    const auto few = [format](const Setting& s) { one_write(s, chunked(format, 40), 40); };
    add(kind + "reading chunks", chunks, read_all);
    add(kind + "info and aggregates of chunks", chunks, look);
    add(kind + "verifying chunks", chunks, verify);
    add(kind + "a list of values in a condition", few, ask_in, 256);
    add(kind + "converting chunks", chunks, copy_elsewhere);
    add(kind + "appending", few, append_often);
    if (kind[0] == 'z') add(kind + "writing over chunks", chunks, write_middle);
  }
  add(
      "zarr3: chunks of shards",
      [](const Setting& s) {
        Schema schema = sample_schema("zarr3", 10 * s.n, 40, {sample_attribute("", TypeId::int32)});
        schema.attributes[0].filters = {{"sharding", {{"chunk_shape", std::string("[5]")}}}};
        one_write(s, schema, 10 * s.n);
      },
      read_all);
  add(
      "bcolz: columns of a table",
      [](const Setting& s) {
        Schema schema = sample_schema("bcolz", 0, 8, numbers(s.n));
        schema.table = true;
        one_write(s, schema, 40);
      },
      read_all, 32);
  for (const char* format : {"zarr2", "zarr3"})
    add(
        std::string(format) + ": members of a group", [format](const Setting& s) { many_members(s, format); },
        list_members);
  return all;
}

struct Work4 {
  std::uint64_t requests = 0, allocations = 0, bytes = 0;
};

Work4 measure(const Scale& scale, std::uint64_t n) {
  const auto counts = std::make_shared<StoreCounts>();
  const Setting setting{counting_store(make_memory_store(), counts), n};
  scale.prepare(setting);
  const auto requests = [&] {
    return counts->reads + counts->sizes + counts->lists + counts->writes + counts->removes;
  };
  const std::uint64_t before = requests();
  const Allocations first = allocations();
  scale.act(setting);
  const Allocations last = allocations();
  return {requests() - before, last.count - first.count, last.bytes - first.bytes};
}

// What 4n costs, beyond what one of n would cost as well, in terms of n.
TEST(Scale, WorkGrowsInProportion) {
  constexpr double kMost = 5.5;  // 4, and the logarithm
  for (const Scale& scale : scales()) {
    SCOPED_TRACE(scale.name);
    measure(scale, scale.n);  // what is made once, at the first use
    const Work4 one = measure(scale, scale.n), two = measure(scale, 2 * scale.n), four = measure(scale, 4 * scale.n);
    const auto expect = [&](const char* what, std::uint64_t Work4::* count) {
      const double begin = static_cast<double>(one.*count) + 64;
      EXPECT_LE(static_cast<double>(four.*count), kMost * begin)
          << what << ": " << one.*count << ", " << two.*count << ", " << four.*count;
    };
    expect("requests to the store", &Work4::requests);
    expect("allocations", &Work4::allocations);
    expect("bytes allocated", &Work4::bytes);
  }
}

}  // namespace
}  // namespace tegula::testing
