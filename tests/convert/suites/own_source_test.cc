// A copy takes the place of its source only as a whole, and never mixes two states of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/fail.h"
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
  const Batch cells = cells_for(schema, 40, seed);
  if (schema.format == "bcolz")
    array.write(Selection{{Ellipsis{}}}, "", StridedView{cells.columns[0].data.data(), {40}, {4}}, {});
  else
    array.write(Selection{{Ellipsis{}}}, cells, {});
}

// However it is named, and only with the options that say so.
TEST(OwnSource, IsReplacedByItsCopyOnlyWhenAskedTo) {
  for (const char* format : {"tiledb", "zarr2", "zarr3", "bcolz"}) {
    testing::TempFolder folder;
    const std::string path = folder / "a";
    fs::create_directory(folder / "b");
    const std::string names[] = {path,
                                 path + "/",
                                 folder / "./a",
                                 folder / "b/../a",
                                 "file://" + path,
                                 folder / "link",
                                 folder / "link/",
                                 fs::relative(path).string()};
    const auto same = make_memory_store();
    CreateOptions quick;
    quick.sync = false;
    fill(*create(same, grid_schema(format)), 1);
    fill(*create(path, grid_schema(format), quick), 1);
    fs::create_directory_symlink(path, folder / "link");
    std::uint64_t chunk = 5;
    for (const std::string& name : names) {
      ConvertOptions options;
      options.target.chunks = {chunk == 5 ? 4u : 5u};
      EXPECT_ERROR(invalid_argument, "the copy has to go elsewhere",
                   convert(*open(path), open_store(name), options, {}));
      EXPECT_EQ(open(path)->schema().chunks()[0], chunk);
      options.create.overwrite = true;
      const Converted made = convert(*open(path), open_store(name, {.sync = false}), options, {});
      chunk = options.target.chunks[0];
      EXPECT_EQ(made.array->schema().chunks()[0], chunk) << name;
      ASSERT_TRUE(made.compared);
      EXPECT_TRUE(compare(*open(path), *open(same), {}).same()) << format << name;
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3) << "nothing is left beside it";
    }
  }
}

TEST(OwnSource, InsideItAndAroundItNothingIsCopied) {
  for (const char* format : {"tiledb", "zarr2", "zarr3"}) {
    testing::TempFolder folder;
    const std::string path = folder / "a";
    fill(*create(path, grid_schema(format)), 1);
    fs::create_directory_symlink(path, folder / "link");
    const std::string names[] = {path + "/inside", path + "/__fragments/inside", folder / "link/inside", folder.path()};
    for (const std::string& name : names)
      for (const bool overwrite : {true, false}) {
        ConvertOptions options;
        options.target.chunks = {4};
        options.create.overwrite = overwrite;
        EXPECT_ERROR(invalid_argument, "the copy has to go elsewhere",
                     convert(*open(path), open_store(name), options, {}));
        const auto copy = make_memory_store();
        fill(*create(copy, grid_schema(format)), 1);
        EXPECT_TRUE(compare(*open(path), *open(copy), {}).same()) << name;
      }
    ConvertOptions options;
    EXPECT_NO_THROW(convert(*open(path), open_store(folder / "a2"), options, {})) << "a name that only begins alike";
  }
}

// Files are lost from the place where the copy waits, as in a crash, at every step: the array reads the same, in its
// old chunks or in the new ones, and the same call ends it.
TEST(OwnSource, StoppedAtEveryStepOfItsReplacement) {
  for (const char* format : {"tiledb", "bcolz"})
    for (const bool exchanges : {true, false}) {
      bool ended = false;
      for (int at = 0; !ended; ++at) {
        ASSERT_LT(at, 300);
        testing::TempFolder folder;
        const std::string path = folder / "a";
        CreateOptions quick;
        quick.sync = false;
        fill(*create(path, grid_schema(format), quick), 1);
        const auto same = make_memory_store();
        fill(*create(same, grid_schema(format)), 1);
        int steps = 0;
        StoreOptions store;
        store.sync = false;
        store.exchanges = exchanges;
        store.before_step = [&](std::string_view step, std::string_view) {
          if (steps++ >= at) fail(ErrorKind::io, "died before {}", step);
        };
        ConvertOptions options;
        options.target.chunks = {4};
        options.create.overwrite = true;
        Work work;
        work.threads = 1;
        try {
          convert(*open(path), open_store(path, store), options, work);
          ended = true;
        } catch (const Error& error) {
          ASSERT_EQ(error.kind(), ErrorKind::io) << error.what();
        }
        EXPECT_TRUE(compare(*open(path), *open(same), {}).same()) << format << at;
        if (open(path)->schema().chunks()[0] == 5)
          convert(*open(path), open_store(path, {.sync = false}), options, work);
        EXPECT_EQ(open(path)->schema().chunks()[0], 4u);
        EXPECT_TRUE(compare(*open(path), *open(same), {}).same()) << format << at;
      }
    }
}

// What is missing would read as the fill value.
TEST(UnfinishedCopy, IsNotReadByAccident) {
  for (const char* target : {"zarr2", "zarr3", "tiledb", "bcolz"}) {
    const std::shared_ptr<Store> from = make_memory_store();
    fill(*create(from, grid_schema("zarr2")), 1);
    ConvertOptions options;
    options.target.format = target;
    Work work;
    work.memory = 128;
    std::shared_ptr<Store> store;
    for (std::uint64_t at = 0; !store || !read_note(*store); ++at) {
      ASSERT_LT(at, 100u);
      store = make_memory_store();
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      EXPECT_THROW(convert(*open(from), failing_store(store, plan), options, work), Error);
    }
    for (const char* format : {"", target}) {
      OpenOptions opening;
      opening.format = format;
      EXPECT_ERROR(corrupt, "unfinished copy", open(store, opening));
      opening.unfinished = true;
      EXPECT_NO_THROW(open(store, opening));
    }
    EXPECT_TRUE(convert(*open(from), store, options, work).resumed);
    EXPECT_TRUE(compare(*open(from), *open(store), {}).same());
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
