#include "store/open/open_store.h"

#include <gtest/gtest.h>

#include "store/open/shown_uri.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

TEST(OpenStore, SchemesAndEmptyPaths) {
  EXPECT_ERROR(unsupported, "'ftp://b/x': only plain paths, zip archives and file://, mem://, s3://",
               open_store("ftp://b/x"));
  EXPECT_EQ(open_store("s3://b/x/")->describe("k"), "s3://b/x/k");
  EXPECT_EQ(open_store("gs://b/x")->describe(""), "gs://b/x");
  for (const char* scheme : {"az", "azure", "abfs", "abfss"})
    EXPECT_EQ(open_store(scheme + std::string("://c@account/x"))->describe("k"), "az://c@account/x/k");
  EXPECT_ERROR(invalid_argument, "is not the name of a bucket", open_store("s3:///x"));
  EXPECT_ERROR(invalid_argument, "empty path", open_store(""));
  EXPECT_EQ(open_store("mem://shared-by-name")->get("x"), std::nullopt);
  open_store("mem://shared-by-name")->put_text("d/x", "y");
  EXPECT_EQ(text_of(*open_store("mem://shared-by-name/d")->get("x")), "y");
}

TEST(OpenStore, MessagesShowNoSecrets) {
  const std::pair<const char*, const char*> cases[] = {
      {"a/b?c@d", "a/b?c@d"},
      {"a/b://u:p@c?d", "a/b://u:p@c?d"},
      {"az://box/x?sig=secret", "az://box/x"},
      {"abfss://box@account.dfs.core.windows.net/x@y", "abfss://box@account.dfs.core.windows.net/x@y"},
      {"ftp://u:secret@h/x@y?t=secret", "ftp://h/x@y"},
      {"ftp://u:secret@h", "ftp://h"},
      {"zip://https://u:secret@h/x.zip?t=secret!/a/b", "zip://https://h/x.zip!/a/b"},
  };
  for (const auto& [uri, shown] : cases) EXPECT_EQ(shown_uri(uri), shown);
  for (const char* uri : {"az://box/x?sig=secret", "ftp://u:secret@h/x"}) {
    try {
      open_store(uri);
      ADD_FAILURE() << uri;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(open_store("S3://b/X")->describe("k"), "s3://b/X/k");
}

TEST(OpenStore, RemoteFilesMayBeKeptInACache) {
  const testing::TempFolder folder;
  const auto with = [&](const std::string& cache) {
    StoreOptions options;
    options.settings["cache"] = cache;
    return options;
  };
  EXPECT_EQ(open_store("s3://b/x", with(folder / "c"))->describe("k"), "s3://b/x/k");
  EXPECT_EQ(open_store("s3://b/x", with(folder / "c:1GB"))->describe("k"), "s3://b/x/k");
  EXPECT_ERROR(invalid_argument, "much", open_store("s3://b/x", with(folder / "c:much")));
  EXPECT_EQ(open_store("mem://not-cached", with(folder / "c"))->get("x"), std::nullopt);
}

}  // namespace
}  // namespace tegula
