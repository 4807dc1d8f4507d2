// What the answers of S3 servers mean, on a simulated network.
#include "store/s3/s3_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/expect_error.h"
#include "support/simulated_s3.h"

namespace tegula {
namespace {

using http::Failure;
using testing::broken;
using testing::Handler;
using testing::in_turn;
using testing::kFile;
using testing::refused;
using testing::Reply;
using testing::reply;
using testing::Simulated;
using testing::simulated;
using testing::SimulatedNetwork;

// The table of errors: absent only when the server says so, never for want of an answer.
TEST(S3Errors, OfReads) {
  struct Case {
    const char* what;
    std::vector<Reply> replies;
    const char* found;  // the text, "<absent>", or the kind of the error and a part of it
    std::size_t requests;
  };
  const Case cases[] = {
      {"there", {kFile}, "hello", 1},
      {"absent", {refused(404, "NoSuchKey")}, "<absent>", 1},
      {"no bucket", {refused(404, "NoSuchBucket")}, "not found: s3://b/p/k: the server answered 404 NoSuchBucket", 1},
      {"404 without a reason", {reply(404)}, "i/o error: s3://b/p/k: the server answered 404", 1},
      {"404 of a web server", {reply(404, "<html><body>Not Found</body></html>")}, "i/o error", 1},
      {"404 for an unknown key", {refused(404, "XAdminUserNotFound")}, "permission denied", 1},
      {"denied",
       {refused(403, "AccessDenied")},
       "permission denied: s3://b/p/k: the server answered 403 AccessDenied",
       1},
      {"denied without a reason", {reply(403)}, "permission denied", 1},
      {"archived", {refused(403, "InvalidObjectState")}, "has to be restored", 1},
      {"wrong signature", {refused(403, "SignatureDoesNotMatch")}, "the keys came from a test; a public bucket", 1},
      {"wrong keys", {refused(403, "InvalidAccessKeyId")}, "anonymous=true", 1},
      {"expired keys", {refused(400, "ExpiredToken")}, "permission denied", 1},
      {"our fault", {refused(400, "InvalidArgument")}, "400 InvalidArgument", 1},
      {"slow", {refused(400, "RequestTimeout"), kFile}, "hello", 2},
      {"busy", {refused(503, "SlowDown"), kFile}, "hello", 2},
      {"busy for ever", {refused(503, "SlowDown")}, "503 SlowDown to GET, 8 times", 8},
      {"broken", {reply(500), reply(502), reply(504), broken(Failure::transfer, "reset"), kFile}, "hello", 5},
      {"unreachable", {broken(Failure::connect, "Connection refused")}, "GET failed, 4 times: Connection refused", 4},
      {"no trust", {broken(Failure::fatal, "bad certificate")}, "bad certificate", 1},
      {"another region", {refused(301, "PermanentRedirect", "<Region>eu-west-1</Region>"), kFile}, "hello", 2},
      {"another region, in a header", {reply(301, "", {{"x-amz-bucket-region", "eu-west-1"}}), kFile}, "hello", 2},
      {"another region, as 400",
       {refused(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"), kFile},
       "hello",
       2},
      {"a redirect to nowhere", {reply(301)}, "301", 1},
      {"always the same region", {refused(301, "PermanentRedirect", "<Region>us-east-1</Region>")}, "301", 1},
      {"a wrong clock",
       {Reply{403, {{"date", "Fri, 24 May 2013 05:00:00 GMT"}}, "<Error><Code>RequestTimeTooSkewed</Code></Error>"},
        kFile},
       "hello",
       2},
      {"not an answer to GET", {reply(204)}, "i/o error: s3://b/p/k: the server answered 204", 1},
  };
  for (const Case& c : cases) {
    const Simulated s = simulated(in_turn(c.replies));
    std::string found;
    try {
      const auto bytes = s.store->get("k");
      found = bytes ? std::string(text_of(*bytes)) : "<absent>";
    } catch (const Error& error) {
      found = error.what();
    }
    EXPECT_NE(found.find(c.found), std::string::npos) << c.what << ": " << found;
    EXPECT_EQ(found == "<absent>", std::string(c.found) == "<absent>") << c.what << ": " << found;
    EXPECT_EQ(s.network->requests.size(), c.requests) << c.what;
    for (const char* secret : {"SECRET", "TOKEN", "Signature="})
      EXPECT_EQ(found.find(secret), std::string::npos) << found;
  }
}

TEST(S3Errors, ForbiddenIsAbsentOnlyWhenTheUserSaysSo) {
  objects::Settings settings;
  settings.forbidden_is_absent = true;
  EXPECT_EQ(simulated(in_turn({refused(403, "AccessDenied")}), settings).store->get("k"), std::nullopt);
  EXPECT_ERROR(permission, "InvalidAccessKeyId",
               simulated(in_turn({refused(403, "InvalidAccessKeyId")}), settings).store->get("k"));
}

TEST(S3Requests, AreSignedAnewWithNewKeysAndNewRegions) {
  int generation = 0;
  std::vector<std::string> seen;
  const Simulated s = simulated(
      [&](const http::Request& request) {
        const std::string authorization = *http::find(request.headers, "authorization");
        seen.push_back(authorization.substr(0, authorization.find(",")));
        return seen.size() == 1   ? refused(400, "ExpiredToken")
               : seen.size() == 2 ? refused(301, "PermanentRedirect", "<Region>r2</Region>")
                                  : kFile;
      },
      {}, {{"a test", [&](http::Client&) {
              return std::optional(objects::Credentials{"K" + std::to_string(++generation), "S", "", "", {}});
            }}});
  EXPECT_TRUE(s.store->get("k"));
  EXPECT_EQ(seen, (std::vector<std::string>{"AWS4-HMAC-SHA256 Credential=K1/20130524/us-east-1/s3/aws4_request",
                                            "AWS4-HMAC-SHA256 Credential=K2/20130524/us-east-1/s3/aws4_request",
                                            "AWS4-HMAC-SHA256 Credential=K2/20130524/r2/s3/aws4_request"}));
  EXPECT_TRUE(s.store->get("k"));
  EXPECT_NE(seen.back().find("/r2/"), std::string::npos) << "remembered";
}

// Of many requests under way each is refused, and each learns what was wrong with it.
TEST(S3Requests, AllUnderWayLearnTheRegionAndTheTime) {
  for (const bool time : {false, true}) {
    const Simulated s = simulated([&](const http::Request& request) {
      const bool right = time ? http::find(request.headers, "x-amz-date")->ends_with("T050000Z")
                              : http::find(request.headers, "authorization")->find("/r2/") != std::string::npos;
      Reply out = right  ? kFile
                  : time ? refused(403, "RequestTimeTooSkewed")
                         : refused(400, "AuthorizationHeaderMalformed", "<Region>r2</Region>");
      if (!right) out.headers = {{"date", "Fri, 24 May 2013 05:00:00 GMT"}};
      out.takes = std::chrono::milliseconds(0);
      return out;
    });
    std::vector<FileRead> reads(20, FileRead{"k"});
    s.store->get(reads);
    for (const FileRead& read : reads) EXPECT_EQ(text_of(read.found->bytes), "hello") << time;
    EXPECT_EQ(s.network->requests.size(), 40u) << time;
  }
}

TEST(S3Requests, NothingOfOldKeysStays) {
  int generation = 0;
  std::vector<std::string> seen;
  const Simulated s = simulated(
      [&](const http::Request& request) {
        std::string names;
        for (const http::Header& header : request.headers)
          if (header.name == "authorization" || header.name.ends_with("-security-token")) names += header.name + " ";
        seen.push_back(names);
        return seen.size() < 3 ? refused(400, "ExpiredToken") : kFile;
      },
      {}, {{"a test", [&](http::Client&) {
              const objects::Credentials keys[] = {{"K", "S", "T", "", {}}, {"K", "S", "", "", {}}, {}};
              return std::optional(keys[std::min(generation++, 2)]);
            }}});
  EXPECT_TRUE(s.store->get("k"));
  EXPECT_EQ(seen, (std::vector<std::string>{"x-amz-security-token authorization ", "authorization ", ""}));
}

TEST(S3Requests, Addresses) {
  const auto url = [](objects::Settings settings, const std::string& bucket, const std::string& key) {
    const auto network = std::make_shared<SimulatedNetwork>([](const http::Request&) { return kFile; });
    settings.anonymous = true;
    const auto client = std::make_shared<http::Client>(network, settings.limits, network->clock);
    s3::make_store(bucket, "", settings, client, {})->get(key);
    return network->requests.at(0);
  };
  objects::Settings aws, own, google;
  aws.region = "eu-west-1";
  own.endpoint = "http://127.0.0.1:9000";
  google.service = objects::Service::google;
  google.virtual_addressing = false;
  EXPECT_EQ(url(aws, "b", "a/b c+%.txt"), "GET https://b.s3.eu-west-1.amazonaws.com/a/b%20c%2B%25.txt");
  EXPECT_EQ(url(aws, "b.c", "k"), "GET https://s3.eu-west-1.amazonaws.com/b.c/k") << "the certificate would not fit";
  EXPECT_EQ(url(own, "b", "k"), "GET http://127.0.0.1:9000/b/k") << "an address has no subdomains";
  own.endpoint = "https://host/path";
  own.virtual_addressing = false;
  EXPECT_EQ(url(own, "b", "k"), "GET https://host/path/b/k");
  EXPECT_EQ(url(google, "b", "k"), "GET https://storage.googleapis.com/b/k");
  EXPECT_ERROR(invalid_argument, "is not the name of a bucket", url(aws, "a b", "k"));
  EXPECT_ERROR(invalid_argument, "is not the name of a bucket", url(aws, "", "k"));
}

// A server with one file of ten digits that answers ranges in the ways that servers do.
Handler range_server(const std::string& habit) {
  return [habit](const http::Request& request) {
    const std::string file = "0123456789";
    const std::string* range = http::find(request.headers, "range");
    if (!range || habit == "ignores") return reply(200, file, {{"content-length", "10"}, {"etag", "e"}});
    std::size_t first = 0, last = 0;
    if (range->starts_with("bytes=-")) {
      const std::size_t n = std::stoul(range->substr(7));
      if (habit == "strict suffix" && n > file.size()) return refused(416, "InvalidRange");
      first = file.size() - std::min(n, file.size());
      last = file.size() - 1;
    } else {
      first = std::stoul(range->substr(6));
      last = std::min<std::size_t>(std::stoul(range->substr(range->find('-') + 1)), file.size() - 1);
      if (first >= file.size())
        return Reply{416, {{"content-range", "bytes */10"}}, "<Error><Code>InvalidRange</Code></Error>"};
    }
    const int status = habit == "200" ? 200 : 206;
    const std::size_t shift = habit == "shifted" ? 1 : 0;
    return reply(
        status, file.substr(first, last - first + 1),
        {{"content-range", "bytes " + std::to_string(first + shift) + "-" + std::to_string(last + shift) + "/" + "10"},
         {"etag", "e"}});
  };
}

TEST(S3Ranges, AsServersAnswerThem) {
  for (const char* habit : {"usual", "200", "ignores", "strict suffix"}) {
    const Simulated s = simulated(range_server(habit));
    std::string a = "??", b = "???", none;
    const auto bytes = [](std::string& text) { return std::as_writable_bytes(std::span(text)); };
    RangeRead reads[] = {{"f", 7, bytes(b)}, {"f", 2, bytes(a)}, {"f", 3, bytes(none)}, {"f", 10, bytes(none)}};
    s.store->get(reads);
    EXPECT_EQ(a + b, "23789") << habit;
    EXPECT_EQ(s.network->requests.size(), 1u) << habit << ": near ranges are one request";
    for (const RangeRead& read : reads) EXPECT_TRUE(read.found);
    EXPECT_EQ(s.store->size("f"), 10u) << habit;
    const auto tail = s.store->tail("f", 4);
    EXPECT_EQ(text_of(tail->bytes), "6789") << habit;
    EXPECT_EQ(tail->size, 10u);
    EXPECT_EQ(text_of(s.store->tail("f", 100)->bytes), "0123456789") << habit;
    EXPECT_EQ(s.store->tail("f", 0)->size, 10u);
    RangeRead past{"f", 8, bytes(b)};
    EXPECT_ERROR(corrupt, "expected 3 bytes at byte 8, found 10 bytes in all", s.store->get(std::span(&past, 1)));
    RangeRead behind{"f", 12, bytes(b)};
    EXPECT_ERROR(corrupt, "found 10 bytes in all", s.store->get(std::span(&behind, 1)));
  }
  const Simulated shifted = simulated(range_server("shifted"));
  std::string a = "??";
  RangeRead read{"f", 2, std::as_writable_bytes(std::span(a))};
  EXPECT_ERROR(io, "asked for bytes=2-3, the answer has 'bytes 3-4/10' (8 tries)",
               shifted.store->get(std::span(&read, 1)));
  EXPECT_ERROR(io, "the answer has 'bytes 7-10/10'", shifted.store->tail("f", 4));
}

TEST(S3Ranges, OfAFileThatChangesMeanwhileAreNotMixed) {
  int n = 0;
  const Simulated s = simulated(
      [&](const http::Request& request) {
        Reply out = range_server("usual")(request);
        out.headers.back().value = "e" + std::to_string(n++);
        return out;
      },
      [] {
        objects::Settings settings;
        settings.merge_gap = 0;
        return settings;
      }());
  std::string a = "?", b = "?";
  RangeRead reads[] = {{"f", 1, std::as_writable_bytes(std::span(a))}, {"f", 5, std::as_writable_bytes(std::span(b))}};
  EXPECT_ERROR(io, "it changed while it was read", s.store->get(reads));
}

TEST(S3Ranges, ManyAreUnderWayAtOnceAndLargeOnesAreCut) {
  objects::Settings settings;
  settings.read_part = 4;
  settings.merge_gap = 0;
  const Simulated s = simulated(
      [](const http::Request& request) {
        Reply out = range_server("usual")(request);
        out.takes = std::chrono::milliseconds(20);
        return out;
      },
      settings);
  std::string whole(10, '?');
  std::vector<std::string> texts(30, "?");
  std::vector<RangeRead> reads = {{"f", 0, std::as_writable_bytes(std::span(whole))}};
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < texts.size(); ++i) keys.push_back("k" + std::to_string(i));
  for (std::size_t i = 0; i < texts.size(); ++i)
    reads.push_back({keys[i], i % 10, std::as_writable_bytes(std::span(texts[i]))});
  s.store->get(reads);
  EXPECT_EQ(whole, "0123456789");
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i][0], static_cast<char>('0' + i % 10));
  EXPECT_EQ(s.network->requests.size(), 3 + texts.size());
  EXPECT_EQ(s.network->clock->passed.count(), 20) << "one round trip";
  std::atomic<int> arrived{0};
  s.store->fetch(reads, [&](std::size_t) { ++arrived; });
  EXPECT_EQ(arrived, 31);
  EXPECT_ERROR(corrupt, "not these",
               s.store->fetch(reads, [&](std::size_t) { throw Error(ErrorKind::corrupt, "not these"); }));
}

// More than are held in memory at a time.
TEST(S3Ranges, ThousandsOfRequests) {
  const Simulated s = simulated(range_server("usual"));
  std::vector<std::string> keys, texts(2500, "?");
  std::vector<RangeRead> reads;
  for (std::size_t i = 0; i < texts.size(); ++i) keys.push_back("k" + std::to_string(i));
  for (std::size_t i = 0; i < texts.size(); ++i)
    reads.push_back({keys[i], i % 10, std::as_writable_bytes(std::span(texts[i]))});
  std::vector<std::atomic<int>> arrived(reads.size());
  s.store->fetch(reads, [&](std::size_t i) { ++arrived[i]; });
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i][0], static_cast<char>('0' + i % 10));
    EXPECT_EQ(arrived[i], 1);
  }
  EXPECT_EQ(s.network->requests.size(), 2500u);
  std::vector<FileRead> files;
  for (const std::string& key : keys) files.push_back({key});
  s.store->get(files);
  for (const FileRead& file : files) EXPECT_EQ(text_of(file.found->bytes), "0123456789");
  EXPECT_EQ(s.network->requests.size(), 5000u);
}

TEST(S3Google, TokensAndGenerations) {
  objects::Settings settings;
  settings.service = objects::Service::google;
  settings.virtual_addressing = false;
  settings.endpoint = "http://g";
  std::vector<std::string> seen;
  const auto server = [&](const http::Request& request) {
    for (const http::Header& header : request.headers)
      if (header.name == "authorization" || header.name.starts_with("x-goog-if"))
        seen.push_back(header.value.substr(0, 24));
    return reply(200, "x", {{"x-goog-generation", "17"}, {"etag", "e"}});
  };
  const Simulated bearer = simulated(server, settings, {{"t", [](http::Client&) {
                                                           objects::Credentials c;
                                                           c.bearer = "TOK";
                                                           return std::optional(c);
                                                         }}});
  const StatedFile file = bearer.store->get_stated("k");
  EXPECT_EQ(file.state, "17");
  const ByteView bytes = bytes_of("y");
  bearer.store->put_if("k", std::span(&bytes, 1), file.state);
  bearer.store->put_if("k", std::span(&bytes, 1), "");
  EXPECT_EQ(seen, (std::vector<std::string>{"Bearer TOK", "17", "Bearer TOK", "0", "Bearer TOK"}));
  EXPECT_EQ(bearer.store->describe("k"), "gs://b/p/k");
  seen.clear();
  simulated(server, settings).store->get("k");
  EXPECT_EQ(seen.at(0), "GOOG4-HMAC-SHA256 Creden");
}

}  // namespace
}  // namespace tegula
