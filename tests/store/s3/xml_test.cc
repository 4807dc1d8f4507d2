// Which answers are taken for listings, errors and results.
#include "store/s3/xml.h"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.h"

namespace tegula {
namespace {

std::string shown(const std::string& xml) {
  const objects::ListPage page = s3::read_list_page(bytes_of(xml), "s3://b");
  std::string out;
  for (const objects::ListedKey& key : page.keys) out += key.key + ":" + std::to_string(key.size) + " ";
  for (const std::string& prefix : page.prefixes) out += prefix + " ";
  return out + (page.next.empty() ? "end" : "then " + page.next);
}

std::string listing(const std::string& inside) {
  return "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\">" + inside + "</ListBucketResult>";
}
const std::string kLast = "<IsTruncated>false</IsTruncated>";

TEST(S3Xml, Listings) {
  const std::string key = "<Contents><Key>a%2Fb+c</Key><Size>7</Size><ETag>&quot;e&quot;</ETag></Contents>";
  EXPECT_EQ(shown(listing(kLast)), "end");
  EXPECT_EQ(shown(listing(kLast + key)), "a%2Fb+c:7 end") << "encoded only where the answer says so";
  EXPECT_EQ(shown(listing(kLast + "<EncodingType>url</EncodingType>" + key)), "a/b c:7 end");
  EXPECT_EQ(
      shown(listing(
          kLast +
          "<Contents><Key>x&amp;y</Key><Size>0</Size></Contents>"
          "<CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>q/</Prefix></CommonPrefixes>")),
      "x&y:0 p/ q/ end");
  EXPECT_EQ(shown(listing("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")),
            "then t");
}

// Whatever is not a whole listing is an error: taken for an empty folder it would be fill values in place of cells.
TEST(S3Xml, WhatIsNotAWholeListing) {
  const std::string whole = listing(kLast + "<Contents><Key>a</Key><Size>7</Size></Contents>");
  EXPECT_EQ(shown(whole), "a:7 end");
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_ERROR(io, "s3://b", shown(whole.substr(0, size)));
  for (const char* inside : {"", "<Name>b</Name>", "<IsTruncated>true</IsTruncated>"})
    EXPECT_ERROR(io, "the listing", shown(listing(inside)));
  EXPECT_ERROR(io, "found Error", shown("<Error><Code>InternalError</Code></Error>"));
  EXPECT_ERROR(io, "found html", shown("<html></html>"));
  for (const char* bad : {"<Contents><Key>a</Key></Contents>", "<Contents><Key>a</Key><Size>-1</Size></Contents>",
                          "<Contents><Size>1</Size></Contents>", "<Contents><Key>a</Key><Size>1x</Size></Contents>"})
    EXPECT_ERROR(io, "the listing has the key", shown(listing(kLast + bad)));
  for (const char* bad : {"%", "a%2", "%zz", "a%G0"})
    EXPECT_ERROR(io, "is not encoded",
                 shown(listing(kLast + "<EncodingType>url</EncodingType><Contents><Key>" + bad +
                               "</Key><Size>1</Size></Contents>")));
}

TEST(S3Xml, Errors) {
  const objects::Answered error = objects::read_answer(
      bytes_of("<Error><Code>NoSuchKey</Code><Message>not there</Message><Region>eu-west-1</Region></Error>"));
  EXPECT_EQ(error.code, "NoSuchKey");
  EXPECT_EQ(error.text("Message"), "not there");
  EXPECT_EQ(error.text("Region"), "eu-west-1");
  EXPECT_EQ(
      objects::read_answer(bytes_of("<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>")).code,
      "AccessDenied");
  EXPECT_EQ(objects::read_answer(bytes_of("<R><UploadId>u</UploadId></R>")).text("UploadId"), "u");
  EXPECT_EQ(objects::read_answer(bytes_of("<R><Code>x</Code></R>")).code, "") << "not an error";
  for (const char* other : {"", "not xml", "<a", "<html>404</html>", "{}"})
    EXPECT_EQ(objects::read_answer(bytes_of(other)).code, "");
}

TEST(S3Xml, DeepAndWideAnswersTakeNoStack) {
  std::string deep, wide = "<a>";
  for (int i = 0; i < 500'000; ++i) deep += "<a>";
  for (int i = 0; i < 500'000; ++i) wide += "<b>x</b>";
  objects::read_answer(bytes_of(deep));
  for (int i = 0; i < 500'000; ++i) deep += "</a>";
  EXPECT_EQ(objects::read_answer(bytes_of(deep)).root, "a");
  EXPECT_EQ(objects::read_answer(bytes_of(wide + "</a>")).texts.size(), 1u);
  EXPECT_ERROR(io, "found a", shown(deep));
}

TEST(S3Xml, BatchDeletes) {
  EXPECT_TRUE(s3::read_delete_result(bytes_of("<DeleteResult/>"), "x").empty());
  const auto failures =
      s3::read_delete_result(bytes_of("<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</"
                                      "Key><Code>AccessDenied</Code><Message>m</Message></Error></DeleteResult>"),
                             "x");
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].key + failures[0].code, "bAccessDenied");
  EXPECT_ERROR(io, "found Error", s3::read_delete_result(bytes_of("<Error/>"), "x"));
  EXPECT_EQ(objects::xml_escape("a<b>&\"c\n"), "a&lt;b&gt;&amp;&quot;c&#10;");
}

}  // namespace
}  // namespace tegula
