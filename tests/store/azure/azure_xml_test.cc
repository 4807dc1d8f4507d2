#include "store/azure/azure_xml.h"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.h"

namespace tegula {
namespace {

std::string listing(const std::string& blobs, const std::string& marker = "<NextMarker/>") {
  return "<?xml version=\"1.0\"?><EnumerationResults ContainerName=\"c\"><Prefix>p/</Prefix><Blobs>" + blobs +
         "</Blobs>" + marker + "</EnumerationResults>";
}
std::string blob(const std::string& name, const std::string& size, const std::string& more = "") {
  return "<Blob><Name>" + name + "</Name><Properties><Etag>0x8D1</Etag><Content-Length>" + size + "</Content-Length>" +
         more + "</Properties></Blob>";
}

TEST(AzureXml, Listings) {
  const auto page = azure::read_blob_list(
      bytes_of(listing(blob("p/a &amp; b", "12") + blob("p/folder", "0", "<ResourceType>directory</ResourceType>") +
                           "<BlobPrefix><Name>p/x/</Name></BlobPrefix>" + blob("p/b", "0"),
                       "<NextMarker>2!4!</NextMarker>")),
      "x");
  ASSERT_EQ(page.keys.size(), 2u);
  EXPECT_EQ(page.keys[0].key, "p/a & b");
  EXPECT_EQ(page.keys[0].size, 12u);
  EXPECT_EQ(page.keys[0].etag, "\"0x8D1\"") << "as the headers of an answer have it";
  EXPECT_EQ(page.keys[1].key, "p/b");
  EXPECT_EQ(page.prefixes, (std::vector<std::string>{"p/x/"}));
  EXPECT_EQ(page.next, "2!4!");
  EXPECT_EQ(azure::read_blob_list(bytes_of(listing("")), "x").next, "");
}

TEST(AzureXml, WhatIsNotAWholeListing) {
  struct Case {
    const char* what;
    std::string xml;
    const char* says;
  };
  const Case cases[] = {
      {"nothing", "", "is not XML"},
      {"a page", "<html></html>", "expected the answer EnumerationResults"},
      {"cut", listing(blob("a", "1")).substr(0, 120), "is not XML"},
      {"no field", "<EnumerationResults/>", "whether it is complete"},
      {"no marker", listing("", ""), "whether it is complete"},
      {"no size", listing(blob("a", "")), "with the size ''"},
      {"a bad size", listing(blob("a", "-1")), "with the size '-1'"},
      {"no name", listing(blob("", "1")), "the name ''"},
      {"encoded", listing("<Blob><Name Encoded=\"true\">a%01</Name></Blob>"), "characters that no XML has"},
  };
  for (const Case& c : cases) {
    try {
      azure::read_blob_list(bytes_of(c.xml), "az://c");
      ADD_FAILURE() << c.what;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(c.says), std::string::npos) << c.what << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace tegula
