// A copy never overwrites its own source, and never mixes two states of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "convert/compare.h"
#include "convert/convert.h"
#include "convert/resume_note.h"
#include "convert/samples.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"
#include "support/npy_folder.h"
#include "support/temp_folder.h"
#include "tegula/tegula.h"

namespace tegula {

namespace {

namespace fs = std::filesystem;

Schema grid_schema(const std::string& format) {
  Schema schema;
  schema.format = format;
  schema.dimensions = {dimension("dim_0", 39, 5)};
  schema.attributes = {attribute("", TypeId::int32)};
  return schema;
}

void fill(Array& array, std::int32_t seed) {
  const Schema schema = array.schema();
  array.write(Selection{{Ellipsis{}}}, cells_for(schema, 40, seed), {});
}

TEST(OwnSource, IsNeverOverwrittenHoweverItIsNamed) {
  for (const char* format : {"tiledb", "zarr2", "zarr3"}) {
    testing::TempFolder folder;
    const std::string path = folder / "a";
    fill(*create(path, grid_schema(format)), 1);
    fs::create_directory_symlink(path, folder / "link");
    fs::create_directory(folder / "b");
    const std::string names[] = {path,
                                 path + "/",
                                 folder / "./a",
                                 folder / "b/../a",
                                 "file://" + path,
                                 folder / "link",
                                 folder / "link/",
                                 fs::relative(path).string(),
                                 path + "/inside",
                                 path + "/__fragments/inside",
                                 folder / "link/inside",
                                 folder.path()};
    for (const std::string& name : names)
      for (const bool overwrite : {true, false}) {
        const std::shared_ptr<Array> source = open(path);
        ConvertOptions options;
        options.target.chunks = {4};
        options.create.overwrite = overwrite;
        EXPECT_ERROR(invalid_argument, "the copy has to go elsewhere", convert(*source, open_store(name), options, {}));
        const auto copy = make_memory_store();
        create(copy, grid_schema(format));
        fill(*open(copy), 1);
        EXPECT_TRUE(compare(*open(path), *open(copy), {}).same()) << name;
      }
    ConvertOptions options;
    EXPECT_NO_THROW(convert(*open(path), open_store(folder / "a2"), options, {})) << "a name that only begins alike";
  }
}

// Stopped, changed in place without a change of any size, and called again.
TEST(OwnSource, ThatChangedIsNotGoneOnWith) {
  for (const char* format : {"zarr2", "zarr3", "tiledb"})
    for (const char* target : {"zarr2", "zarr3", "tiledb"}) {
      testing::TempFolder folder;
      Schema schema = grid_schema(format);
      const std::shared_ptr<Array> source = create(folder / "a", schema);
      fill(*source, 1);
      ConvertOptions options;
      options.target.format = target;
      options.source_name = folder / "a";
      options.lossy = true;
      Work work;
      work.memory = 128;
      std::shared_ptr<Store> store;
      for (std::uint64_t at = 0; !store || !read_note(*store); ++at) {
        ASSERT_LT(at, 100u);
        store = make_memory_store();
        const auto plan = std::make_shared<FaultPlan>();
        plan->at = at;
        EXPECT_THROW(convert(*source, failing_store(store, plan), options, work), Error);
      }
      fill(*source, 2);
      EXPECT_ERROR(invalid_argument, "its source has changed", convert(*open(folder / "a"), store, options, work));
      options.create.overwrite = true;
      convert(*open(folder / "a"), store, options, work);
      EXPECT_TRUE(compare(*open(folder / "a"), *open(store), {}).same()) << format << " to " << target;
    }
}

// A chunk of an earlier state has the size of the new one when it is stored without filters.
TEST(OwnSource, StaleChunksOfTheSameSizeAreReplaced) {
  const auto from = make_memory_store(), to = make_memory_store();
  const std::shared_ptr<Array> source = create(from, grid_schema("zarr2")), made = create(to, grid_schema("zarr2"));
  fill(*source, 1);
  fill(*made, 2);
  const std::vector<std::string> fields{""};
  const CopyHooks& hooks = driver_of(*source).copy;
  ASSERT_TRUE(hooks.chunks_fit({*source, fields}, *made));
  hooks.copy_stored({*source, fields}, *made, *to, {});
  EXPECT_TRUE(compare(*source, *open(to), {}).same());
}

// A format that the library has never heard of is copied like any other.
TEST(ToyFormat, IsConverted) {
  const ExtraDriver npy(testing::kNpyDriver);
  const auto store = make_memory_store();
  store->put_text(testing::kNpyKey, testing::npy_file({1.5, 2.5, 4}));
  for (const char* format : {"tiledb", "bcolz", "zarr0", "zarr3"}) {
    const auto to = make_memory_store();
    ConvertOptions options;
    options.target.format = format;
    convert(*open(store), to, options, {});
    EXPECT_TRUE(compare(*open(store), *open(to), {}).same()) << format;
  }
  ConvertOptions options;
  EXPECT_ERROR(unsupported, "capability 'create'", convert(*open(store), make_memory_store(), options, {}));
}

}  // namespace

}  // namespace tegula
