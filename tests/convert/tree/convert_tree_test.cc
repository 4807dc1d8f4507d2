#include "convert/tree/convert_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "convert/compare.h"
#include "convert/resume_note.h"
#include "convert/samples.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"
#include "tegula/capabilities.h"

namespace tegula {
namespace {

std::map<std::string, std::optional<MetaValue>> title(const char* text) {
  MetaValue value;
  value.type = TypeId::utf8;
  value.data = copy_of(bytes_of(std::string_view(text)));
  value.count = static_cast<std::uint32_t>(value.data.size());
  return {{"title", value}};
}

std::shared_ptr<Array> make(const std::string& uri, const char* format, std::vector<Attribute> attributes,
                            std::int32_t seed) {
  Schema schema;
  schema.format = format;
  schema.dimensions = {dimension("x", 39, 5)};
  schema.attributes = std::move(attributes);
  CreateOptions quick;
  quick.sync = false;
  std::shared_ptr<Array> array = create(uri, schema, quick);
  array->write(Selection{{Ellipsis{}}}, cells_for(schema, 40, seed), {});
  return array;
}

// A TileDB group with metadata that holds `fields`, an array of two attributes, and `deep`, a group with an array.
void make_tree(const testing::TempFolder& folder) {
  const std::shared_ptr<Group> group = create_group(folder / "tree", "tiledb");
  group->update_metadata(title("all of it"));
  make(folder / "tree/fields", "tiledb", {attribute("a", TypeId::int32), attribute("b", TypeId::int32)}, 1)
      ->update_metadata(title("two"));
  const std::shared_ptr<Group> deep = create_group(folder / "tree/deep", "tiledb");
  make(folder / "tree/deep/grid", "tiledb", {attribute("", TypeId::int32)}, 2);
  deep->add("file://" + (folder / "tree/deep/grid"), "grid");
  for (const char* name : {"fields", "deep"}) group->add("file://" + (folder / "tree/") + name, name);
}

TreeSource source_at(const std::string& uri) {
  return {uri, [](const std::string& at) { return open_store(at, {.sync = false}); }, {}};
}

CopiedTree copy(const TreeSource& source, const std::shared_ptr<Store>& to, const ConvertOptions& options) {
  return convert_tree(source, plan_tree(source, options.target, {}), to, options, {});
}

void expect_copy(const testing::TempFolder& folder, const std::string& copy, const char* format) {
  const std::string grid = copy + "/deep/grid";
  EXPECT_TRUE(compare(*open(folder / "tree/deep/grid"), *open(grid), {}).same()) << format;
  EXPECT_EQ(open(grid)->schema().format, format);
  const std::shared_ptr<Array> fields = open(folder / "tree/fields");
  if (capabilities(format).many_fields || capabilities(format).tables) {
    EXPECT_TRUE(compare(*fields, *open(copy + "/fields"), {}).same()) << format;
    return;
  }
  for (const char* name : {"a", "b"}) {
    const std::shared_ptr<Array> one = open(copy + "/fields/" + name);
    Query query;
    query.fields = {name};
    EXPECT_EQ(collect(*fields->query(query)).columns.at(0).data, collect(*one->query({})).columns.at(0).data)
        << format << name;
  }
}

TEST(ConvertTree, IntoEveryFormat) {
  testing::TempFolder folder;
  make_tree(folder);
  for (const std::string_view format : formats()) {
    ConvertOptions options;
    options.target.format = format;
    options.lossy = true;
    options.verify = true;
    const std::string to = folder / std::string(format);
    const CopiedTree made = copy(source_at(folder / "tree"), open_store(to, {.sync = false}), options);
    EXPECT_FALSE(made.resumed);
    for (const CopiedItem& item : made.items) EXPECT_TRUE(!item.compared || item.compared->same()) << format;
    expect_copy(folder, to, std::string(format).c_str());
    if (!capabilities(format).groups) continue;
    const std::shared_ptr<Group> group = open_group(to);
    EXPECT_EQ(group->members().size(), 2u) << format;
    EXPECT_EQ(group->metadata().count("title"), 1u) << format;
    EXPECT_EQ(group->format(), format);
    if (capabilities(format).many_fields) continue;
    EXPECT_EQ(open_group(to + "/fields")->metadata().count("title"), 1u) << "that of the array";
  }
}

TEST(ConvertTree, PlainFoldersAndMixtures) {
  testing::TempFolder folder;
  make_tree(folder);
  make(folder / "zgrid", "zarr2", {attribute("", TypeId::int32)}, 2);
  ConvertOptions options;
  options.target.format = "zarr3";
  EXPECT_TRUE(needs_tree(source_at(folder.path()), options.target));
  EXPECT_TRUE(needs_tree(source_at(folder / "tree/fields"), options.target));
  EXPECT_FALSE(needs_tree(source_at(folder / "tree/deep/grid"), options.target));
  const TreePlan plan = plan_tree(source_at(folder.path()), options.target, {});
  std::vector<std::string> paths;
  for (const TreeItem& item : plan.items) paths.push_back(item.path + (item.group ? "/" : ""));
  EXPECT_EQ(paths, (std::vector<std::string>{"/", "tree/", "tree/deep/", "tree/deep/grid", "tree/fields/",
                                             "tree/fields/a", "tree/fields/b", "zgrid"}));
  EXPECT_ERROR(not_found, "holds no arrays", plan_tree(source_at(folder / "nothing"), options.target, {}));
}

// Stopped at every change, and gone on with by the same call; until then nothing opens as if it were whole.
TEST(ConvertTree, GoesOnWhereItWasStopped) {
  testing::TempFolder folder;
  make_tree(folder);
  const TreeSource source = source_at(folder / "tree");
  for (const char* format : {"zarr3", "tiledb"}) {
    ConvertOptions options;
    options.target.format = format;
    std::size_t resumed = 0;
    for (std::uint64_t at = 0;; ++at) {
      ASSERT_LT(at, 500u);
      // With a name, by which TileDB groups find their members.
      const std::shared_ptr<Store> store = open_store(fmt::format("mem://tree-{}-{}", format, at));
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      try {
        copy(source, failing_store(store, plan), options);
        break;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::io) << error.what();
      }
      if (read_note(*store)) {
        EXPECT_THROW(open_group(store), Error) << at;
      }
      resumed += copy(source, store, options).resumed ? 1 : 0;
      EXPECT_EQ(open_group(store)->members().size(), 2u) << format << at;
      EXPECT_FALSE(read_note(*store));
    }
    EXPECT_GT(resumed, 5u) << format;
  }
}

TEST(ConvertTree, RefusesWhatWouldBeLostOrMixed) {
  testing::TempFolder folder;
  make_tree(folder);
  const TreeSource source = source_at(folder / "tree");
  ConvertOptions options;
  options.target.format = "zarr0";
  EXPECT_ERROR(unsupported, "the metadata of the group", copy(source, make_memory_store(), options));
  options.target.format = "zarr3";
  EXPECT_ERROR(invalid_argument, "has to go elsewhere", copy(source, open_store(folder / "tree"), options));
  EXPECT_ERROR(invalid_argument, "has to go elsewhere", copy(source, open_store(folder / "tree/deep/in"), options));
  open_store(folder / "other")->put_text("letter", "dear");
  EXPECT_ERROR(invalid_argument, "something already", copy(source, open_store(folder / "other"), options));
  copy(source, open_store(folder / "to"), options);
  EXPECT_ERROR(invalid_argument, "something already", copy(source, open_store(folder / "to"), options));
  options.create.overwrite = true;
  options.target.format = "tiledb";
  copy(source, open_store(folder / "to"), options);
  expect_copy(folder, folder / "to", "tiledb");
  EXPECT_EQ(open_group(folder / "to")->format(), "tiledb");
}

}  // namespace
}  // namespace tegula
