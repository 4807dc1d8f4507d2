// Overwriting: whatever was there stays until what takes its place is whole.
#include "format/registry/overwrite.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "support/array_text.h"
#include "support/expect_error.h"
#include "support/sample_arrays.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

namespace fs = std::filesystem;

void make(const std::shared_ptr<Store>& store, const SampleArray& sample, bool overwrite) {
  CreateOptions options;
  options.overwrite = overwrite;
  create(store, sample.schema, options);
}

std::string format_at(const std::shared_ptr<Store>& store) { return open(store)->schema().format; }

TEST(Overwrite, AnyFamilyOverAnyOther) {
  for (const SampleArray& from : sample_arrays())
    for (const SampleArray& to : sample_arrays())
      for (const bool local : {true, false}) {
        const TempFolder folder;
        const std::shared_ptr<Store> store = local ? open_store(folder / "a", {.sync = false}) : make_memory_store();
        make_sample(from, store);
        const auto fresh = make_memory_store();
        make(fresh, to, false);
        const std::string before = state_text(store);
        EXPECT_THROW(make(store, to, false), Error) << from.name << " " << to.name;
        EXPECT_EQ(state_text(store), before);
        make(store, to, true);
        EXPECT_EQ(state_text(store), state_text(fresh)) << from.name << " " << to.name;
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), local ? 1 : 0);
      }
}

// In stores without names of folders, stopped at every change: the old one opens, or the new one, or nothing opens and
// finish_placing() puts the new one in its place.
TEST(Overwrite, StoppedAtEveryChange) {
  for (const SampleArray& from : sample_arrays())
    for (const SampleArray& to : sample_arrays()) {
      if (from.schema.format == to.schema.format) continue;
      const auto fresh = make_memory_store();
      make(fresh, to, false);
      const std::string after = state_text(fresh);
      bool ended = false, refused = false;
      for (std::uint64_t at = 0; !ended; ++at) {
        ASSERT_LT(at, 300u);
        const auto store = make_memory_store();
        make_sample(from, store);
        const std::string before = state_text(store);
        const auto plan = std::make_shared<FaultPlan>();
        plan->at = at;
        try {
          make(failing_store(store, plan), to, true);
          ended = true;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
        }
        if (store->has(kPlacingKey)) {
          refused = true;
          EXPECT_ERROR(corrupt, "tegula repair", open(store));
          EXPECT_TRUE(finish_placing(*store, {}));
          EXPECT_EQ(format_at(store), to.schema.format) << at;
        }
        const std::string found = state_text(store);
        EXPECT_TRUE(found == after || (!ended && found == before)) << at << found;
        EXPECT_FALSE(finish_placing(*store, {}));
        make(store, to, true);
        EXPECT_EQ(format_at(store), to.schema.format);
        EXPECT_TRUE(store->list_all(kWaitingFolder).files.empty());
      }
      EXPECT_TRUE(refused);
    }
}

TEST(Overwrite, FoldersOfOtherThingsStay) {
  for (const SampleArray& to : sample_arrays()) {
    const TempFolder folder;
    open_store(folder / "notes")->put_text("letter.txt", "dear");
    EXPECT_ERROR(invalid_argument, "", make(open_store(folder / "notes"), to, true));
    EXPECT_TRUE(fs::exists(folder / "notes/letter.txt")) << to.name;
    make(open_store(folder / "arrays/one"), sample_arrays().back(), false);
    open_store(folder / "arrays/notes")->put_text("letter.txt", "dear");
    EXPECT_ERROR(invalid_argument, "", make(open_store(folder / "arrays"), to, true));
    EXPECT_EQ(format_at(open_store(folder / "arrays/one")), sample_arrays().back().schema.format);
  }
}

TEST(Overwrite, Groups) {
  const TempFolder folder;
  CreateOptions overwrite;
  overwrite.overwrite = true;
  create_group(folder / "g", "zarr3");
  make(open_store(folder / "g/one"), sample_arrays().back(), false);
  EXPECT_EQ(create_group(folder / "g", "tiledb", overwrite)->members().size(), 0u);
  EXPECT_EQ(open_group(folder / "g")->format(), "tiledb");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

// While somebody writes beside an array of a group, that is no member.
TEST(Overwrite, WhatIsWrittenAsideIsNoMember) {
  for (const char* format : {"zarr2", "zarr3"}) {
    const TempFolder folder;
    create_group(folder / "g", format);
    const Schema schema = sample_schema(format, 40, 10, {sample_attribute("", TypeId::int32)});
    create(folder / "g/one", schema);
    const auto replacement = open_store(folder / "g/one")->replacement();
    create(replacement->store(), schema);
    EXPECT_EQ(open_group(folder / "g")->members().size(), 1u);
  }
}

// The consolidated metadata of a group around an array says what took its place, whatever that is.
TEST(Overwrite, ConsolidatedMetadataFollows) {
  CreateOptions overwrite;
  overwrite.overwrite = true;
  for (const std::string format : {"zarr2", "zarr3"})
    for (const std::string to : {"zarr2", "zarr3", "tiledb"}) {
      const TempFolder folder;
      create_group(folder / "g", format);
      create(folder / "g/one", sample_schema(format, 40, 10, {sample_attribute("", TypeId::int32)}));
      create(folder / "g/two", sample_schema(format, 40, 10, {sample_attribute("", TypeId::int32)}));
      open_group(folder / "g")->consolidate();
      create(folder / "g/one", sample_schema(to, 60, 20, {sample_attribute("", TypeId::int32)}), overwrite);
      EXPECT_TRUE(open_group(folder / "g")->verify().empty()) << format << " " << to;
      const auto copies = open_store(folder / "g")->get(format == "zarr2" ? ".zmetadata" : "zarr.json");
      ASSERT_TRUE(copies);
      EXPECT_EQ(text_of(*copies).find("\"one") != std::string_view::npos, format == to) << format << " " << to;
      EXPECT_NE(text_of(*copies).find("\"two"), std::string_view::npos);
    }
}

}  // namespace
}  // namespace tegula::testing
