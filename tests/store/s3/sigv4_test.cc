// The examples of AWS's documentation of Signature Version 4 for S3.
#include "store/s3/sigv4.h"

#include <gtest/gtest.h>

#include <string>

namespace tegula {
namespace {

const objects::Credentials kKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", "", {}};
const std::chrono::system_clock::time_point kDate{std::chrono::seconds(1'369'353'600)};  // 20130524T000000Z

struct Case {
  const char* method;
  const char* path;
  objects::Query query;
  http::Headers headers;
  const char* body;
  const char* signature;
};

std::string authorization(const Case& c, const objects::Credentials& keys) {
  http::Request request;
  request.method = c.method;
  request.headers = c.headers;
  const ByteView body = bytes_of(c.body);
  const s3::SigningPlace place{"examplebucket.s3.amazonaws.com", objects::percent_encode(c.path, true),
                               objects::query_text(c.query), "us-east-1"};
  const std::string hash = objects::sha256_hex(std::span(&body, 1));
  s3::sign(request, place, keys, kDate, hash);
  // A second try replaces what the first added.
  s3::sign(request, place, keys, kDate, hash);
  std::string found;
  for (const http::Header& header : request.headers)
    if (header.name == "authorization") found += header.value;
  return found;
}

TEST(SignatureV4, PublishedExamples) {
  const Case cases[] = {
      {"GET",
       "/test.txt",
       {},
       {{"Range", "bytes=0-9"}},
       "",
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"PUT",
       "/test$file.text",
       {},
       {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
       "Welcome to Amazon S3.",
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {"GET", "/", {{"lifecycle", ""}}, {}, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"GET",
       "/",
       {{"prefix", "J"}, {"max-keys", "2"}},
       {},
       "",
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  for (const Case& c : cases) {
    const std::string found = authorization(c, kKeys);
    EXPECT_EQ(found.find("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"), 0u)
        << found;
    EXPECT_TRUE(found.ends_with(c.signature)) << c.path << ": " << found;
    EXPECT_EQ(found.find(kKeys.secret), std::string::npos);
  }
}

TEST(SignatureV4, TemporaryKeysSignTheirToken) {
  objects::Credentials keys = kKeys;
  keys.token = "TOKEN";
  const std::string found = authorization({"GET", "/a", {}, {}, "", ""}, keys);
  EXPECT_NE(found.find("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"), std::string::npos)
      << found;
}

TEST(SignatureV4, Encoding) {
  EXPECT_EQ(objects::percent_encode("a/b c+d~é.-_%", true), "a/b%20c%2Bd~%C3%A9.-_%25");
  EXPECT_EQ(objects::percent_encode("a/b", false), "a%2Fb");
  EXPECT_EQ(objects::query_text({{"b", "2"}, {"a b", "x/y"}, {"b", "1"}, {"uploads", ""}}),
            "a%20b=x%2Fy&b=1&b=2&uploads=");
  EXPECT_EQ(objects::query_text({}), "");
  EXPECT_EQ(objects::hex(objects::hmac_sha256(bytes_of("key"), "The quick brown fox jumps over the lazy dog")),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
}

}  // namespace
}  // namespace tegula
