// Footers, commits and metadata in one file each, and what vacuum leaves of the many.
#include <gtest/gtest.h>

#include "format/tiledb/maintain_support.h"
#include "format/tiledb/read/snapshot.h"
#include "store/wrap/tracing_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Case sparse_case() {
  for (Case& c : cases())
    if (c.name == "sparse_nullable") return c;
  return {};
}

ConsolidateOptions merging(Part part) {
  ConsolidateOptions options;
  options.part = part;
  return options;
}
VacuumOptions vacuuming(Part part) {
  VacuumOptions options;
  options.part = part;
  return options;
}

std::vector<std::string> files(const std::shared_ptr<Store>& store, std::string_view folder, std::string_view kind) {
  std::vector<std::string> found;
  for (const Entry& entry : store->list(folder))
    if (extension(entry.name) == kind) found.push_back(join(folder, entry.name));
  return found;
}

TEST(ConsolidateFooters, AreReadInsteadOfTheFragments) {
  for (const std::uint32_t version : {5u, 8u, 9u, 11u, 12u, 22u}) {
    SCOPED_TRACE(version);
    const std::shared_ptr<Store> store = make_memory_store();
    Case c = sparse_case();
    if (version < 7)
      for (Attribute& attribute : c.schema.attributes) attribute.nullable = false;
    const std::shared_ptr<Array> array = write_four(store, c, version);
    const auto before = cells_at(store);
    const std::vector<Consolidation> plan = plan_consolidation(*array, merging(Part::fragment_metadata));
    ASSERT_EQ(plan.size(), 1u);
    EXPECT_EQ(plan[0].inputs.size(), 4u);
    const std::vector<Consolidation> done = consolidate(*array, merging(Part::fragment_metadata));
    EXPECT_EQ(done[0].inputs, plan[0].inputs);
    EXPECT_TRUE(store->has(done[0].outputs.at(0)));
    EXPECT_EQ(cells_at(store), before);
    // The footers are not asked for again.
    std::uint64_t footers = 0;
    const auto traced = tracing_store(store, [&](std::string_view line) {
      footers += line.find("__fragment_metadata.tdb") != std::string_view::npos;
    });
    EXPECT_EQ(Snapshot(traced, {}).fragments({}).size(), 4u);
    EXPECT_EQ(footers, 0u);

    consolidate(*array, merging(Part::fragment_metadata));
    EXPECT_EQ(vacuum(*array, vacuuming(Part::fragment_metadata)), done[0].outputs);
    EXPECT_TRUE(vacuum(*array, vacuuming(Part::fragment_metadata)).empty());
    EXPECT_EQ(cells_at(store), before);
  }
}

TEST(ConsolidateCommits, StandForTheMarks) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = write_four(store, sparse_case(), 22);
  delete_cells(*array, "row > 400", at(35));
  const auto before = cells_at(store);
  const std::vector<Consolidation> done = consolidate(*array, merging(Part::commits));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].inputs.size(), 5u);
  EXPECT_EQ(cells_at(store), before);
  const std::vector<std::string> removed = vacuum(*array, vacuuming(Part::commits));
  EXPECT_EQ(removed.size(), 5u);
  EXPECT_EQ(store->list(kCommitsFolder).size(), 1u);
  EXPECT_EQ(cells_at(store), before);
  EXPECT_TRUE(consolidate(*array, merging(Part::commits)).empty());

  // Merging and vacuuming fragments strikes their marks out.
  consolidate(*array);
  EXPECT_EQ(cells_at(store), before);
  vacuum(*array);
  EXPECT_EQ(cells_at(store), before);
  EXPECT_EQ(files(store, kCommitsFolder, ".ign").size(), 1u);
  EXPECT_EQ(list_array(*store).fragments.size(), 1u);

  // Another round makes the old file of commits and the .ign unnecessary.
  consolidate(*array, merging(Part::commits));
  vacuum(*array, vacuuming(Part::commits));
  EXPECT_EQ(store->list(kCommitsFolder).size(), 1u);
  EXPECT_EQ(cells_at(store), before);
  array->write(random_cells(sparse_case().schema, 20, 3), at(60));
  EXPECT_EQ(fragments_of(store), 2u);
  EXPECT_TRUE(array->verify({}).empty());
}

TEST(ConsolidateCommits, AreStruckOutByDeletedFragments) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = write_four(store, sparse_case(), 22);
  const auto before = cells_at(store, 15);
  consolidate(*array, merging(Part::commits));
  EXPECT_EQ(delete_fragments(*array, 20, 40).size(), 3u);
  EXPECT_EQ(cells_at(store), before);
  // A file of commits that still names them keeps its .ign.
  vacuum(*array, vacuuming(Part::commits));
  EXPECT_EQ(cells_at(store), before);
  EXPECT_EQ(files(store, kCommitsFolder, ".ign").size(), 1u);
}

TEST(ConsolidateCommits, NeedTheirFolder) {
  const std::shared_ptr<Array> array = write_four(
      make_memory_store(),
      [] {
        Case c = sparse_case();
        return c;
      }(),
      11);
  EXPECT_ERROR(unsupported, "version 12", consolidate(*array, merging(Part::commits)));
}

TEST(ConsolidateMetadata, KeepsWhatIsLeft) {
  const auto text = [](std::string_view value) {
    return MetaValue{TypeId::utf8, static_cast<std::uint32_t>(value.size()), copy_of(bytes_of(value)), false};
  };
  for (const std::uint32_t version : {4u, 5u, 12u, 18u, 22u}) {
    SCOPED_TRACE(version);
    const std::shared_ptr<Store> store = make_memory_store();
    CreateOptions options;
    options.format_version = version;
    options.at = 1;
    const std::shared_ptr<Array> array = create_array(
        store,
        make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9}, std::int64_t{5})},
                    {attribute("a", TypeId::int32)}),
        options);
    array->update_metadata({{"a", text("1")}, {"b", text("2")}}, at(10));
    array->update_metadata({{"a", text("3")}}, at(10));
    array->update_metadata({{"b", std::nullopt}, {"c", text("4")}}, at(20));
    const auto check = [&] {
      const Metadata found = TiledbArray(store, {}).metadata();
      ASSERT_EQ(found.size(), 2u);
      EXPECT_EQ(text_of(found.at("a").data), "3");
      EXPECT_EQ(text_of(found.at("c").data), "4");
    };
    check();
    EXPECT_EQ(plan_consolidation(*array, merging(Part::array_metadata))[0].inputs.size(), 3u);
    const std::vector<Consolidation> done = consolidate(*array, merging(Part::array_metadata));
    check();
    EXPECT_EQ(store->has(done[0].outputs[0] + ".vac"), version >= 5);
    if (version >= 5) {
      EXPECT_EQ(TiledbArray(store, opened(15)).metadata().size(), 2u);
    }
    EXPECT_EQ(vacuum(*array, vacuuming(Part::array_metadata)).size(), version >= 5 ? 4u : 0u);
    check();
    EXPECT_EQ(store->list(kMetadataFolder).size(), 1u);
    EXPECT_TRUE(consolidate(*array, merging(Part::array_metadata)).empty());
  }
}

}  // namespace
}  // namespace tegula::tiledb
