#include "store/zip/zip_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "store/zip/zip_directory.h"
#include "store/zip/zip_encode.h"
#include "store/zip/zip_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

std::string text(const Store& store, std::string_view key) {
  const std::optional<Bytes> bytes = store.get(key);
  return bytes ? std::string(text_of(*bytes)) : "<absent>";
}

TEST(ZipWriter, WhatWasPutIsInTheArchive) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<ZipWriter> writer = zip_writer(store, "out/x.zip");
  const std::string large(3 << 20, 'x');
  writer->put_text("zarr.json", "first");
  writer->put_text("c/0", large);
  writer->put_text("gone", "1");
  writer->put_text("zarr.json", "replaced");
  writer->remove("gone");
  const std::unique_ptr<Upload> upload = writer->begin("c/1");
  upload->append(bytes_of("in "));
  writer->put_text("c/2", "");
  upload->append(bytes_of("parts"));
  upload->commit();
  EXPECT_EQ(text(*writer, "c/1"), "in parts");
  EXPECT_EQ(store->size("out/x.zip"), std::nullopt) << "nothing appears before the end";
  writer->finish({});
  const std::shared_ptr<Store> archive = open_zip_store(store, "out/x.zip");
  EXPECT_EQ(text(*archive, "zarr.json"), "replaced");
  EXPECT_EQ(text(*archive, "c/0"), large);
  EXPECT_EQ(text(*archive, "c/1"), "in parts");
  EXPECT_EQ(text(*archive, "c/2"), "");
  EXPECT_EQ(text(*archive, "gone"), "<absent>");
  const ZipDirectory directory = read_zip_directory(*store, "out/x.zip");
  ASSERT_EQ(directory.members.size(), 4u);
  EXPECT_EQ(directory.members[3].name, "zarr.json");
  EXPECT_EQ(directory.members[3].header, 0u) << "what was created first is first";
}

TEST(ZipWriter, EqualFilesMakeEqualArchives) {
  const auto made = [] {
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<ZipWriter> writer = zip_writer(store, "x.zip");
    writer->put_text("a", "1");
    writer->put_text("\xc3\xa4/b", "2");
    writer->finish({});
    return *store->get("x.zip");
  };
  EXPECT_EQ(made(), made());
}

TEST(ZipWriter, DroppedItLeavesNothing) {
  const testing::TempFolder folder;
  {
    const std::shared_ptr<ZipWriter> writer = zip_writer(open_file_store(folder.path(), {}), "x.zip");
    writer->put_text("a", "1");
    Cancel cancel;
    cancel.request();
    Work work;
    work.cancel = &cancel;
    EXPECT_ERROR(cancelled, "", writer->finish(work));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ZipWriter, AMemberIsAFileOrAFolder) {
  const std::shared_ptr<ZipWriter> writer = zip_writer(make_memory_store(), "x.zip");
  writer->put_text("a/b", "1");
  EXPECT_ERROR(io, "is a folder", writer->put_text("a", "1"));
  EXPECT_ERROR(io, "is a file, expected a folder", writer->put_text("a/b/c", "1"));
}

// Numbers beyond 32 bits, without the bytes between.
TEST(ZipEncoder, LargeNumbersStandInFieldsOfZip64) {
  ZipEncoder encoder;
  const std::uint64_t large = 5ull << 30;
  const ByteView first = encoder.begin_member("big", large, 1);
  EXPECT_EQ(first.size(), 30u + 3 + 20);
  EXPECT_EQ(encoder.begin_member("behind", 1, 2).size(), 30u + 6) << "its place is only in the directory";
  const Bytes end = copy_of(encoder.end());
  EXPECT_EQ(end.size(), (46 + 3 + 20) + (46 + 6 + 12) + 56 + 20 + 22u);
}

TEST(ZipEncoder, ManyMembersNeedZip64Too) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<ZipWriter> writer = zip_writer(store, "x.zip");
  for (int i = 0; i < 66000; ++i) writer->put_text("c/" + std::to_string(i), "x");
  writer->finish({});
  EXPECT_EQ(open_zip_store(store, "x.zip", "")->list_all("").files.size(), 66000u);
}

}  // namespace
}  // namespace tegula
