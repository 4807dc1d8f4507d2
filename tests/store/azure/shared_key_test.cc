#include "store/azure/shared_key.h"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(SharedKey, TheTextThatIsSigned) {
  http::Request put;
  put.method = "PUT";
  const ByteView body = bytes_of("hello world");
  put.body = {body};
  put.headers = {{"x-ms-version", "2021-12-02"},
                 {"x-ms-blob-type", "BlockBlob"},
                 {"if-none-match", "*"},
                 {"content-type", "text/plain"},
                 {"x-ms-date", "Fri, 24 May 2013 00:00:00 GMT"}};
  EXPECT_EQ(
      azure::text_to_sign(put, "acc", "/c/a%20b", {}),
      "PUT\n\n\n11\n\ntext/plain\n\n\n\n*\n\n\nx-ms-blob-type:BlockBlob\nx-ms-date:Fri, 24 May 2013 00:00:00 GMT\n"
      "x-ms-version:2021-12-02\n/acc/c/a%20b");
  http::Request list;
  list.headers = {{"range", "bytes=0-9"}, {"if-match", "\"e\""}};
  EXPECT_EQ(
      azure::text_to_sign(list, "acc", "/acc/c", {{"restype", "container"}, {"comp", "list"}, {"prefix", "a/ b"}}),
      "GET\n\n\n\n\n\n\n\n\"e\"\n\n\nbytes=0-9\n/acc/acc/c\ncomp:list\nprefix:a/ b\nrestype:container");
}

TEST(SharedKey, Signatures) {
  // The base64 of HMAC-SHA-256("key", ...), a published example.
  EXPECT_EQ(azure::shared_key("acc", "a2V5", "The quick brown fox jumps over the lazy dog"),
            "SharedKey acc:97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=");
  for (const char* key : {"", "a2V", "not base64!!", "a2V5a2V5=="})
    EXPECT_ERROR(invalid_argument, "has to be base64", azure::shared_key("acc", key, "x"));
}

}  // namespace
}  // namespace tegula
