#include "store/zip/archive_uri.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace tegula {
namespace {

std::string told(const std::optional<ArchiveUri>& uri) {
  if (!uri) return "none";
  return uri->folder + " | " + uri->name + " | " + (uri->inner ? "'" + *uri->inner + "'" : "-");
}

TEST(ArchiveUri, IsToldByItsName) {
  struct {
    const char *uri, *expected;
  } const cases[] = {
      {"s3://b/x.zip", "s3://b | x.zip | -"},
      {"s3://b/p/x.zarr.zip!/in/ner", "s3://b/p | x.zarr.zip | 'in/ner'"},
      {"s3://b/p/x.ozx!/", "s3://b/p | x.ozx | ''"},
      {"s3://b/p/x.ZIP!/inner/", "s3://b/p | x.ZIP | 'inner'"},
      {"https://h/p/x.zip?token=a/b", "https://h/p?token=a/b | x.zip | -"},
      {"https://h/p/x.zip?token=a!/inner", "https://h/p?token=a | x.zip | 'inner'"},
      {"zip://s3://b/any", "s3://b | any | -"},
      {"zip://some/where/x!/inner", "some/where | x | 'inner'"},
      {"zip://x.zip!/inner", ". | x.zip | 'inner'"},
      {"zip:///x.zip", "/ | x.zip | -"},
      {"not/there.zip!/inner", "not | there.zip | 'inner'"},
      {"mem://a/x.zip", "mem://a | x.zip | -"},
      {"mem://x.zip", "none"},
      {"s3://b/x.zip/inner", "none"},
      {"s3://b/xzip", "none"},
      {"s3://b/.zip", "s3://b | .zip | -"},
      {"not/there.zip", "none"},
      {"folder!/name", "none"},
      {"", "none"},
  };
  for (const auto& [uri, expected] : cases) EXPECT_EQ(told(archive_uri(uri)), expected) << uri;
}

TEST(ArchiveUri, OfLocalFilesTheBytesCount) {
  const testing::TempFolder folder;
  const auto write = [&](const char* name, const char* bytes) { std::ofstream(folder / name) << bytes; };
  write("a.zip", "");
  write("plain", "PK\3\4...");
  write("text", "PKtext");
  std::filesystem::create_directory(folder / "folder.zip");
  EXPECT_EQ(told(archive_uri(folder / "a.zip")), folder.path() + " | a.zip | -");
  EXPECT_EQ(told(archive_uri("file://" + folder / "a.zip")), "file://" + folder.path() + " | a.zip | -");
  EXPECT_EQ(told(archive_uri(folder / "plain")), folder.path() + " | plain | -");
  EXPECT_EQ(told(archive_uri(folder / "plain!/in")), folder.path() + " | plain | 'in'");
  EXPECT_EQ(told(archive_uri(folder / "text")), "none");
  EXPECT_EQ(told(archive_uri(folder / "folder.zip")), "none");
}

}  // namespace
}  // namespace tegula
