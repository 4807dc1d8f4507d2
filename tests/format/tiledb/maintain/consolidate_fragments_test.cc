// The same cells before and after consolidation and vacuum, now and at past times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/tiledb/disk/versions.h"
#include "format/tiledb/maintain_support.h"
#include "format/tiledb/read/array_contents.h"
#include "store/open/open_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

constexpr std::uint64_t kTimes[] = {5, 10, 15, 25, 30, 35, 40, 1000};

std::vector<std::vector<std::string>> history(const std::shared_ptr<Store>& store, const Bytes& key = {}) {
  std::vector<std::vector<std::string>> all;
  for (const std::uint64_t time : kTimes) all.push_back(cells_at(store, time, key));
  return all;
}

std::vector<std::string> names(const std::vector<FragmentInfo>& fragments) {
  std::vector<std::string> names;
  for (const FragmentInfo& fragment : fragments) names.push_back(fragment.name);
  return names;
}

class Consolidating : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Consolidating, ChangesNoCell) {
  const std::uint32_t version = GetParam();
  for (const Case& c : cases()) {
    if (c.since > version || (version != 22 && c.name.starts_with("filter_"))) continue;
    // What the filters cannot store: times, which share the coordinates' filters and fall; a nan as fill value.
    if (c.name == "filter_positive_delta" || c.name == "filter_scale") continue;
    SCOPED_TRACE(fmt::format("{} v{}", c.name, version));
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = write_four(store, c, version);
    const auto before = history(store);
    const std::vector<Consolidation> plan = plan_consolidation(*array);
    ASSERT_EQ(plan.size(), 1u);
    EXPECT_EQ(plan[0].inputs, names(array->info({}).fragments));
    EXPECT_TRUE(plan[0].outputs.empty());

    const std::vector<Consolidation> done = consolidate(*array);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].inputs, plan[0].inputs);
    EXPECT_EQ(done[0].cells, plan[0].cells);
    EXPECT_EQ(done[0].outputs, names(array->info({}).fragments));
    EXPECT_EQ(fragments_of(store), 1u);
    EXPECT_EQ(cells_at(store), before.back());
    if (version >= 5) {
      EXPECT_EQ(history(store), before);
    }

    VacuumOptions dry;
    dry.dry_run = true;
    const std::vector<std::string> listed = vacuum(*array, dry);
    EXPECT_EQ(vacuum(*array), listed);
    EXPECT_EQ(listed.empty(), version < 5);
    EXPECT_TRUE(vacuum(*array).empty());
    EXPECT_EQ(cells_at(store), before.back());
    if (c.schema.sparse && version >= 15) {
      EXPECT_EQ(history(store), before);
    }
    EXPECT_EQ(list_array(*store).fragments.size(), 1u);
    EXPECT_TRUE(array->verify({}).empty());
    EXPECT_TRUE(plan_consolidation(*array).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Consolidating, ::testing::Values(3, 4, 5, 7, 8, 10, 11, 12, 14, 15, 16, 18, 19, 22),
                         [](const auto& version) { return fmt::format("v{}", version.param); });

Case find_case(std::string_view name) {
  for (Case& c : cases())
    if (c.name == name) return c;
  throw std::out_of_range(std::string(name));
}

TEST(Consolidate, KeepsTimesThroughSeveralRounds) {
  for (const char* name : {"sparse_nullable", "sparse_duplicates", "sparse_hilbert", "sparse_text"}) {
    SCOPED_TRACE(name);
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = write_four(store, find_case(name), 22);
    const auto before = history(store);
    ConsolidateOptions some;
    some.at = {{0, 20}};
    EXPECT_EQ(consolidate(*array, some).size(), 1u);
    EXPECT_EQ(history(store), before);
    vacuum(*array);
    some.at = {{30, 40}};
    EXPECT_EQ(consolidate(*array, some).size(), 1u);
    vacuum(*array);
    EXPECT_EQ(fragments_of(store), 2u);
    EXPECT_EQ(history(store), before);
    consolidate(*array);
    EXPECT_EQ(history(store), before);
    vacuum(*array);
    EXPECT_EQ(fragments_of(store), 1u);
    EXPECT_EQ(history(store), before);
  }
}

TEST(Consolidate, StaysUnderSmallBudgets) {
  for (const char* name : {"sparse_numbers", "sparse_duplicates", "sparse_hilbert", "sparse_text", "sparse_nullable",
                           "dense_var", "dense_nullable"}) {
    for (const std::uint32_t version : {11u, 22u}) {
      SCOPED_TRACE(fmt::format("{} v{}", name, version));
      const std::shared_ptr<Store> store = make_memory_store();
      const std::shared_ptr<Array> array = write_four(store, find_case(name), version);
      const auto before = history(store);
      ConsolidateOptions options;
      options.work.memory = 16 << 10;  // many parts
      EXPECT_EQ(consolidate(*array, options).size(), 1u);
      EXPECT_EQ(fragments_of(store), 1u);
      EXPECT_EQ(history(store), before);
      vacuum(*array);
      EXPECT_EQ(cells_at(store), before.back());
      EXPECT_TRUE(array->verify({}).empty());
    }
  }
}

TEST(Consolidate, MergesMoreRunsThanAtOnce) {
  // With no budget every tile is a run of its own: some 100 of them, of which several go into longer ones first.
  for (const bool duplicates : {false, true}) {
    Schema schema =
        make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{999}, std::int64_t{10})},
                    {attribute("a", TypeId::int32, 1, true), attribute("s", TypeId::ascii, kVar)});
    schema.capacity = 7;
    schema.allows_duplicates = duplicates;
    const auto fill = [&] {
      std::shared_ptr<Store> store = make_memory_store();
      const std::shared_ptr<Array> array = create_array(store, schema, {});
      for (std::uint64_t i = 0; i < 25; ++i) array->write(random_cells(schema, 30, i), at(10 + i / 2));
      return store;
    };
    const std::shared_ptr<Store> small = fill(), large = fill();
    const std::vector<std::string> before = cells_at(small), in_between = cells_at(small, 14);
    TiledbArray at_once(large, {}), piecemeal(small, {});
    consolidate(at_once);
    ConsolidateOptions options;
    options.work.memory = 1;
    consolidate(piecemeal, options);
    EXPECT_EQ(fragments_of(small), 1u);
    EXPECT_EQ(cells_at(small), before);
    EXPECT_EQ(cells_at(small, 14), in_between);
    EXPECT_EQ(cells_at(large), before);
    EXPECT_EQ(piecemeal.info({}).fragments[0].cells, at_once.info({}).fragments[0].cells);
    vacuum(piecemeal);
    for (const Problem& problem : piecemeal.verify({})) ADD_FAILURE() << problem.file << ": " << problem.text;
  }
}

TEST(Consolidate, SplitsIntoFragmentsThatAppearTogether) {
  for (const char* name : {"sparse_numbers", "sparse_duplicates", "dense_numbers", "dense_col"}) {
    SCOPED_TRACE(name);
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = write_four(store, find_case(name), 22);
    const auto before = history(store);
    ConsolidateOptions options;
    options.max_fragment_size = 900;
    const std::vector<Consolidation> done = consolidate(*array, options);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_GT(done[0].outputs.size(), 1u);
    EXPECT_EQ(fragments_of(store), done[0].outputs.size());
    EXPECT_EQ(history(store), before);
    vacuum(*array);
    EXPECT_EQ(cells_at(store), before.back());
    EXPECT_TRUE(array->verify({}).empty());
    // Their commits are in a file that a vacuum of the next merge has to strike out.
    consolidate(*array);
    vacuum(*array);
    EXPECT_EQ(fragments_of(store), 1u);
    EXPECT_EQ(cells_at(store), before.back());
    EXPECT_EQ(list_array(*store).fragments.size(), 1u);
  }
  const std::shared_ptr<Array> old = write_four(make_memory_store(), find_case("sparse_numbers"), 11);
  ConsolidateOptions options;
  options.max_fragment_size = 900;
  EXPECT_ERROR(unsupported, "version 12", consolidate(*old, options));
}

TEST(Consolidate, ReadsAndWritesEncryptedArrays) {
  const Bytes key = copy_of(bytes_of("0123456789abcdef0123456789abcdef"));
  for (const char* name : {"sparse_nullable", "dense_var"})
    for (const std::uint32_t version : {9u, 22u}) {
      SCOPED_TRACE(fmt::format("{} v{}", name, version));
      const std::shared_ptr<Store> store = make_memory_store();
      const std::shared_ptr<Array> array = write_four(store, find_case(name), version, key);
      array->update_metadata({{"a", MetaValue{TypeId::utf8, 1, copy_of(bytes_of("x")), false}}}, at(10));
      array->update_metadata({{"b", MetaValue{TypeId::utf8, 1, copy_of(bytes_of("y")), false}}}, at(20));
      const auto before = history(store, key);
      const Metadata metadata = array->metadata();
      for (const Part part : {Part::fragment_metadata, Part::array_metadata, Part::fragments}) {
        ConsolidateOptions options;
        options.part = part;
        EXPECT_EQ(consolidate(*array, options).size(), 1u);
        EXPECT_EQ(history(store, key), before);
        VacuumOptions clean;
        clean.part = part;
        vacuum(*array, clean);
      }
      EXPECT_EQ(cells_at(store, {}, key), before.back());
      EXPECT_EQ(array->metadata().size(), metadata.size());
    }
}

// A line of cells: x, and a = what is given.
Schema line(bool duplicates = false) {
  Schema schema =
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                  {attribute("a", TypeId::int32)});
  schema.allows_duplicates = duplicates;
  return schema;
}

Batch cells(const std::vector<std::pair<std::int64_t, std::int32_t>>& list) {
  Batch batch;
  batch.cells = list.size();
  Column x, a;
  x.name = "x";
  x.type = TypeId::int64;
  a.name = "a";
  a.type = TypeId::int32;
  for (const auto& [place, value] : list) {
    ByteWriter(x.data).put(place);
    ByteWriter(a.data).put(value);
  }
  batch.columns = {x, a};
  return batch;
}

std::shared_ptr<Array> make(const std::shared_ptr<Store>& store, const Schema& schema, std::uint32_t version = 22) {
  CreateOptions options;
  options.at = 1;
  options.format_version = version;
  return create_array(store, schema, options);
}

std::vector<std::string> history_of(const std::shared_ptr<Store>& store) {
  std::vector<std::string> all;
  for (std::uint64_t time = 0; time <= 100; time += 5)
    all.push_back(fmt::format("{}", fmt::join(cells_at(store, time), ";")));
  return all;
}

TEST(Consolidate, CarriesDeletes) {
  for (const bool duplicates : {false, true}) {
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = make(store, line(duplicates));
    array->write(cells({{1, 1}, {2, 2}, {3, 3}, {4, 4}}), at(10));
    delete_cells(*array, "a == 2", at(20));
    array->write(cells({{1, 5}, {2, 6}, {7, 7}}), at(30));
    delete_cells(*array, "a == 5 or a == 3", at(40));
    array->write(cells({{3, 30}}), at(50));
    const std::vector<std::string> before = history_of(store);
    consolidate(*array);
    EXPECT_EQ(fragments_of(store), 1u);
    EXPECT_EQ(history_of(store), before);
    vacuum(*array);
    EXPECT_EQ(history_of(store), before);
    // A round over what was carried, with more deletes: a new one, and one from before the last write.
    delete_cells(*array, "a == 7", at(60));
    delete_cells(*array, "a == 30 or a == 4", at(45));
    array->write(cells({{9, 9}}), at(70));
    const std::vector<std::string> later = history_of(store);
    EXPECT_NE(later, before);
    consolidate(*array);
    EXPECT_EQ(history_of(store), later);
    vacuum(*array);
    EXPECT_EQ(history_of(store), later);
    EXPECT_EQ(fragments_of(store), 1u);
    EXPECT_TRUE(array->verify({}).empty());
  }
}

TEST(Consolidate, PurgesWhatWasDeleted) {
  for (const bool duplicates : {false, true}) {
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = make(store, line(duplicates));
    array->write(cells({{1, 1}, {2, 2}, {3, 3}}), at(10));
    array->write(cells({{1, 5}, {7, 7}}), at(30));
    delete_cells(*array, "a == 5 or a == 3", at(40));
    const std::vector<std::string> now = cells_at(store);
    ConsolidateOptions purge;
    purge.purge_deleted = true;
    consolidate(*array, purge);
    vacuum(*array);
    // The cell that the deleted one had replaced does not come back.
    EXPECT_EQ(cells_at(store), now);
    EXPECT_EQ(array->info({}).fragments[0].cells, duplicates ? 3u : 2u);
    EXPECT_TRUE(plan_consolidation(*array, purge).empty());

    // A single fragment is worth it when there is something to purge; with nothing left there is no fragment.
    delete_cells(*array, "a < 100", at(60));
    EXPECT_TRUE(consolidate(*array).empty());
    EXPECT_EQ(consolidate(*array, purge).size(), 1u);
    EXPECT_TRUE(cells_at(store).empty());
    vacuum(*array);
    EXPECT_TRUE(cells_at(store).empty());
    EXPECT_TRUE(list_array(*store).fragments.empty());
    array->write(cells({{1, 1}}), at(70));
    EXPECT_EQ(cells_at(store).size(), 1u);
  }
}

TEST(Consolidate, WithoutTimesKeepsTheNewest) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store, line());
  array->write(cells({{1, 1}, {2, 2}, {3, 3}}), at(10));
  array->write(cells({{1, 5}, {7, 7}}), at(30));
  delete_cells(*array, "a == 3", at(40));
  const std::vector<std::string> now = cells_at(store);
  ConsolidateOptions options;
  options.keep_times = false;
  consolidate(*array, options);
  EXPECT_EQ(cells_at(store), now);
  vacuum(*array);
  EXPECT_EQ(cells_at(store), now);
  EXPECT_EQ(array->info({}).fragments[0].cells, 3u);
}

TEST(Consolidate, WritesTheNewestSchema) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store, line());
  array->write(cells({{1, 1}, {2, 2}}), at(10));
  evolve(*array, {.add_attributes = {attribute("s", TypeId::utf8, kVar, true)}, .drop_attributes = {"a"}}, at(20));
  Batch more = cells({{2, 0}, {3, 0}});
  more.columns[1] =
      Column{"s", TypeId::utf8, kVar, true, copy_of(bytes_of("xyz")), {0, 2, 3}, {std::byte{1}, std::byte{1}}};
  array->write(more, at(30));
  const auto before = history(store);
  consolidate(*array);
  EXPECT_EQ(cells_at(store), before.back());
  vacuum(*array);
  EXPECT_EQ(cells_at(store), before.back());
  EXPECT_TRUE(array->verify({}).empty());
}

TEST(Consolidate, RefusesSetsThatWouldShowOtherCells) {
  const std::shared_ptr<Store> store = make_memory_store();
  const Schema schema =
      make_schema(false, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                  {attribute("a", TypeId::int32)});
  const std::shared_ptr<Array> array = make(store, schema);
  const auto write = [&](const char* where, std::uint64_t cells, std::uint64_t time) {
    array->write(parse_selection(where), random_cells(schema, cells, time), at(time));
  };
  write("[20:30]", 10, 10);
  write("[0:5]", 5, 20);
  write("[35:40]", 5, 30);
  write("[60:70]", 10, 40);
  const std::vector<std::string> all = names(array->info({}).fragments);
  ConsolidateOptions options;
  options.fragments = {all[1], all[2]};  // their box hides the first
  EXPECT_ERROR(invalid_argument, all[0], consolidate(*array, options));
  options.fragments = {all[2], "nobody"};
  EXPECT_ERROR(invalid_argument, "nobody", consolidate(*array, options));
  const auto before = history(store);
  options.fragments = {all[0], all[2]};
  EXPECT_EQ(consolidate(*array, options)[0].inputs, options.fragments);
  EXPECT_EQ(history(store), before);
  // Of the others, only what does not blow up is taken together.
  options.fragments.clear();
  for (const Consolidation& merge : plan_consolidation(*array, options)) EXPECT_LE(merge.cells * 2, 100u);
  consolidate(*array, options);
  EXPECT_EQ(cells_at(store), before.back());
  vacuum(*array);
  EXPECT_EQ(cells_at(store), before.back());
}

TEST(Consolidate, LeavesOutlyingFragmentsAlone) {
  const std::shared_ptr<Store> store = make_memory_store();
  const Schema schema =
      make_schema(false, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{1} << 60, std::int64_t{10})},
                  {attribute("a", TypeId::int32)});
  const std::shared_ptr<Array> array = make(store, schema);
  array->write(parse_selection("[0:10]"), random_cells(schema, 10, 1), at(10));
  array->write(parse_selection("[10:20]"), random_cells(schema, 10, 2), at(20));
  array->write(parse_selection("[1000000000000:1000000000010]"), random_cells(schema, 10, 3), at(30));
  const std::vector<Consolidation> done = consolidate(*array);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].inputs.size(), 2u);
  EXPECT_EQ(fragments_of(store), 2u);
}

TEST(Consolidate, NamesWholePathsInOldVersions) {
  const testing::TempFolder folder;
  for (const std::uint32_t version : {5u, 11u, 12u, 18u, 19u, 22u}) {
    SCOPED_TRACE(version);
    const std::string path = folder / fmt::format("v{}", version);
    StoreOptions quick;
    quick.sync = false;
    const std::shared_ptr<Store> store = open_store(path, quick);
    const std::shared_ptr<Array> array = write_four(store, find_case("sparse_numbers"), version);
    const std::vector<Consolidation> done = consolidate(*array);
    const std::string place = version >= 12 ? "__commits/" : "", data = version >= 12 ? "__fragments/" : "";
    const std::optional<Bytes> file = store->get(place + done[0].outputs[0] + ".vac");
    ASSERT_TRUE(file);
    std::string expected;
    for (const std::string& name : done[0].inputs)
      expected += (version >= 19 ? "/" : "file://" + path + "/") + data + name + "\n";
    EXPECT_EQ(text_of(*file), expected);
    vacuum(*array);
    EXPECT_FALSE(store->has(place + done[0].outputs[0] + ".vac"));
    EXPECT_EQ(fragments_of(store), 1u);
  }
}

}  // namespace
}  // namespace tegula::tiledb
