// Listings, and what is not taken for one.
#include "store/objects/object_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expect_error.h"
#include "support/simulated_s3.h"

namespace tegula {
namespace {

using testing::in_turn;
using testing::refused;
using testing::Reply;
using testing::reply;
using testing::Simulated;
using testing::simulated;

std::string page(const std::string& inside, const std::string& next = "") {
  return "<ListBucketResult><IsTruncated>" + std::string(next.empty() ? "false" : "true") + "</IsTruncated>" +
         (next.empty() ? "" : "<NextContinuationToken>" + next + "</NextContinuationToken>") + inside +
         "</ListBucketResult>";
}
std::string key(const std::string& name, int size = 1) {
  return "<Contents><Key>" + name + "</Key><Size>" + std::to_string(size) + "</Size></Contents>";
}

std::string names(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) out += entry.name + (entry.folder ? "/ " : ":" + std::to_string(entry.size) + " ");
  return out;
}

TEST(S3Listings, AreSortedAndWholeAndLeaveOutFolderMarkers) {
  const std::string first =
      page("<CommonPrefixes><Prefix>p/d/</Prefix></CommonPrefixes>" + key("p/z") + key("p/"), "t1");
  const std::string second = page(key("p/a-b", 3) + key("p/d"));
  const Simulated s = simulated(in_turn({reply(200, first), reply(200, second)}));
  EXPECT_EQ(names(s.store->list("")), "a-b:3 d:1 d/ z:1 ");
  EXPECT_EQ(s.network->requests[0], "GET http://h:1/b?delimiter=%2F&encoding-type=url&list-type=2&prefix=p%2F");
  EXPECT_EQ(s.network->requests[1],
            "GET http://h:1/b?continuation-token=t1&delimiter=%2F&encoding-type=url&list-type=2&prefix=p%2F");

  const Simulated flat = simulated(
      in_turn({reply(200, page(key("p/a/b") + key("p/a/"), "t")), reply(200, page(key("p/a//c") + key("p/a/a")))}));
  const Listing all = flat.store->list_all("a");
  ASSERT_EQ(all.files.size(), 2u);
  EXPECT_EQ(all.files[0].key + " " + all.files[1].key, "a/a a/b");
  EXPECT_TRUE(all.complete);
  const Simulated cut = simulated(in_turn({reply(200, page(key("p/a") + key("p/b"), "t"))}));
  EXPECT_FALSE(cut.store->list_all("", 2).complete);
  EXPECT_EQ(cut.network->requests.size(), 1u);
}

TEST(S3Listings, RemovedTreesLeaveNoFolderMarkers) {
  std::string removed;
  const Simulated s = simulated([&](const http::Request& request) {
    if (request.method == "GET")
      return request.url.find("token") == std::string::npos ? reply(200, page(key("p/a/") + key("p/a/b/"), "t"))
                                                            : reply(200, page(key("p/a/x") + key("p/a//y")));
    removed += text_of(request.body.at(0));
    return reply(200, "<DeleteResult/>");
  });
  s.store->remove_tree("a");
  for (const char* name : {"p/a/", "p/a/b/", "p/a/x", "p/a//y"})
    EXPECT_NE(removed.find("<Key>" + std::string(name) + "</Key>"), std::string::npos) << name;
}

TEST(S3Listings, BrokenPagesAreAskedForAgain) {
  const std::string whole = page(key("p/a"));
  for (const std::string& broken : {std::string(), whole.substr(0, 60), std::string("<html></html>")}) {
    const Simulated s = simulated(in_turn({reply(200, broken), reply(200, whole)}));
    EXPECT_EQ(names(s.store->list("")), "a:1 ") << broken;
    EXPECT_EQ(s.network->requests.size(), 2u);
    EXPECT_ERROR(io, "s3://b", simulated(in_turn({reply(200, broken)})).store->list(""));
  }
}

TEST(S3Listings, TrapsAreErrors) {
  struct Case {
    const char* what;
    std::vector<Reply> replies;
    const char* error;
  };
  const Case cases[] = {
      {"the same page for ever", {reply(200, page(key("p/a"), "t"))}, "goes on where it has been before"},
      {"the same key behind ever new tokens",
       {reply(200, page(key("p/a"), "t1")), reply(200, page(key("p/a"), "t2"))},
       "the key 'p/a' again"},
      {"no token",
       {reply(200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")},
       "does not say where"},
      {"nothing in it", {reply(200, "<ListBucketResult></ListBucketResult>")}, "whether it is complete"},
      {"empty", {reply(200)}, "not XML"},
      {"cut", {reply(200, page(key("p/a")).substr(0, 60))}, "not XML"},
      {"a page of HTML", {reply(200, "<html></html>")}, "found html"},
      {"an error behind a 200", {reply(200, "<Error><Code>AccessDenied</Code></Error>")}, "found Error"},
      {"keys of somebody else", {reply(200, page(key("q/a")))}, "not below it"},
      {"denied", {refused(403, "AccessDenied")}, "403 AccessDenied"},
      {"no bucket", {refused(404, "NoSuchBucket")}, "NoSuchBucket"},
      {"no such key, of a listing", {refused(404, "NoSuchKey")}, "404"},
  };
  for (const Case& c : cases) {
    for (const bool flat : {false, true}) {
      const Simulated s = simulated(in_turn(c.replies));
      std::string found = "no error";
      try {
        flat ? static_cast<void>(s.store->list_all("")) : static_cast<void>(s.store->list(""));
      } catch (const Error& error) {
        found = error.what();
      }
      EXPECT_NE(found.find(c.error), std::string::npos) << c.what << ": " << found;
    }
  }
}

}  // namespace
}  // namespace tegula
