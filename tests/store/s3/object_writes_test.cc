// Conditional puts, uploads in parts with faults at every step, removals.
#include "store/objects/object_writes.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/current_work.h"
#include "codec/checksum/checksum.h"
#include "store/s3/sigv4.h"
#include "support/expect_error.h"
#include "support/simulated_s3.h"

namespace tegula {
namespace {

using http::Failure;
using testing::broken;
using testing::in_turn;
using testing::kFile;
using testing::refused;
using testing::Reply;
using testing::reply;
using testing::Simulated;
using testing::simulated;

Reply resent(Reply reply) {
  reply.resent = true;
  return reply;
}

TEST(S3Writes, Conditions) {
  struct Case {
    const char* what;
    std::vector<Reply> replies;
    const char* state;
    const char* found;
  };
  const Case cases[] = {
      {"made", {reply(200)}, "", "true"},
      {"there already", {refused(412, "PreconditionFailed")}, "", "false"},
      {"still the same", {reply(200)}, "\"e\"", "true"},
      {"changed", {refused(412, "PreconditionFailed")}, "\"e\"", "false"},
      {"gone", {refused(404, "NoSuchKey")}, "\"e\"", "false"},
      {"a conflict is tried again", {refused(409, "ConditionalRequestConflict"), reply(200)}, "\"e\"", "true"},
      {"our own first try", {broken(Failure::transfer, "lost"), refused(412, "PreconditionFailed"), kFile}, "", "true"},
      {"our own, sent twice by the transport", {resent(refused(412, "PreconditionFailed")), kFile}, "", "true"},
      {"somebody else's",
       {broken(Failure::transfer, "lost"), refused(412, "PreconditionFailed"), reply(200, "other", {{"etag", "x"}})},
       "",
       "false"},
      {"denied", {refused(403, "AccessDenied")}, "", "permission"},
      {"no bucket", {refused(404, "NoSuchBucket")}, "\"e\"", "NoSuchBucket"},
  };
  for (const Case& c : cases) {
    const Simulated s = simulated(in_turn(c.replies));
    const ByteView bytes = bytes_of("hello");
    std::string found;
    try {
      found = s.store->put_if("k", std::span(&bytes, 1), c.state) ? "true" : "false";
    } catch (const Error& error) {
      found = error.what();
    }
    EXPECT_NE(found.find(c.found), std::string::npos) << c.what << ": " << found;
  }
  std::vector<std::string> sent;
  const Simulated s = simulated([&](const http::Request& request) {
    for (const char* name : {"if-match", "if-none-match"})
      if (const std::string* value = http::find(request.headers, name))
        sent.push_back(std::string(name) + ": " + *value);
    return reply(200);
  });
  const ByteView bytes = bytes_of("x");
  s.store->put_if("k", std::span(&bytes, 1), "");
  s.store->put_if("k", std::span(&bytes, 1), "\"e\"");
  EXPECT_EQ(sent, (std::vector<std::string>{"if-none-match: *", "if-match: \"e\""}));
}

// Of a server that knows no conditions each file is compared and put; other files are written meanwhile.
TEST(S3Writes, WithoutConditionsOnlyWritersOfOneFileWait) {
  objects::Settings settings;
  settings.conditional_put = false;
  const ByteView bytes = bytes_of("x");
  Store* store = nullptr;
  std::vector<std::string> put;
  const Simulated s = simulated(
      [&](const http::Request& request) {
        const std::string name = request.url.substr(request.url.rfind('/') + 1);
        if (request.method == "GET") return refused(404, "NoSuchKey");
        if (name == "a") std::thread([&] { EXPECT_TRUE(store->put_if("b", std::span(&bytes, 1), "")); }).join();
        put.push_back(name);
        return reply(200);
      },
      settings);
  store = s.store.get();
  EXPECT_TRUE(store->put_if("a", std::span(&bytes, 1), ""));
  EXPECT_EQ(put, (std::vector<std::string>{"b", "a"}));
  EXPECT_FALSE(store->put_if("a", std::span(&bytes, 1), "\"e\""));
}

// A server that takes uploads in parts. `fault` may answer in its place.
struct UploadServer {
  std::map<std::string, std::string> objects, parts;
  std::vector<std::string> log;
  std::map<std::string, std::string> etags;  // of objects
  bool md5 = true;                           // ETags are made of MD5s
  std::function<std::optional<Reply>(const std::string& step)> fault = [](const std::string&) { return std::nullopt; };

  Reply operator()(const http::Request& request) {
    std::string body;
    for (const ByteView part : request.body) body += text_of(part);
    const std::size_t query = request.url.find('?');
    const std::string name = request.url.substr(0, query),
                      asked = query == std::string::npos ? "" : request.url.substr(query + 1);
    const std::string step = request.method + (asked.empty() ? "" : " " + asked.substr(0, asked.find('=')));
    log.push_back(step);
    const std::optional<Reply> wrong = fault(step);
    if (wrong && wrong->failure == Failure::none) return *wrong;
    Reply out = reply(200);
    if (step == "POST uploads")
      out = reply(200, "<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>");
    else if (step == "PUT partNumber") {
      parts[asked.substr(11, asked.find('&') - 11)] = body;
      out = reply(200, "", {{"etag", "\"" + (md5 ? objects::hex(codec::md5(bytes_of(body))) : "x") + "\""}});
    } else if (step == "POST uploadId") {
      if (parts.empty())
        out = refused(404, "NoSuchUpload");
      else {
        objects[name].clear();
        std::string digests;
        for (auto& [n, text] : parts) {
          objects[name] += text;
          const auto digest = codec::md5(bytes_of(text));
          digests += text_of(digest);
        }
        etags[name] = "\"" + (md5 ? objects::hex(codec::md5(bytes_of(digests))) : "y") + "-" +
                      std::to_string(parts.size()) + "\"";
        parts.clear();
        out = reply(200, "<CompleteMultipartUploadResult/>");
      }
    } else if (step == "DELETE uploadId") {
      parts.clear();
      out = reply(204);
    } else if (step == "PUT")
      objects[name] = body;
    else if (step == "GET") {
      const auto at = objects.find(name);
      out = at == objects.end() ? refused(404, "NoSuchKey")
                                : reply(200, at->second,
                                        {{"content-length", std::to_string(at->second.size())},
                                         {"etag", etags[name]},
                                         {"last-modified", "Fri, 24 May 2013 05:00:00 GMT"}});
    }
    return wrong ? *wrong : out;  // the work is done, and the answer is lost
  }
};

constexpr std::uint64_t kPart = 5 << 20;

TEST(S3Uploads, SmallOnesAreOnePutLargeOnesParts) {
  UploadServer server;
  objects::Settings settings;
  settings.part_size = kPart;
  const Simulated s = simulated(std::ref(server), settings);
  {
    const auto upload = s.store->begin("small");
    upload->append(bytes_of("one"));
    upload->append(bytes_of("two"));
    upload->sync();
    EXPECT_TRUE(server.log.empty()) << "nothing is sent before it appears";
    upload->appear();
  }
  EXPECT_EQ(server.objects["http://h:1/b/p/small"], "onetwo");
  EXPECT_EQ(server.log, (std::vector<std::string>{"PUT"}));
  server.log.clear();
  const std::string large(2 * kPart + 7, 'x');
  {
    const auto upload = s.store->begin("large");
    for (std::size_t at = 0; at < large.size(); at += 1'000'000)
      upload->append(bytes_of(std::string_view(large).substr(at, 1'000'000)));
    upload->sync();
    EXPECT_EQ(server.objects.count("http://h:1/b/p/large"), 0u);
    upload->appear();
  }
  EXPECT_EQ(server.objects["http://h:1/b/p/large"], large);
  EXPECT_EQ(server.log, (std::vector<std::string>{"POST uploads", "PUT partNumber", "PUT partNumber", "PUT partNumber",
                                                  "POST uploadId"}));
  server.log.clear();
  {
    const auto dropped = s.store->begin("dropped");
    dropped->append(bytes_of(large));
    dropped->sync();
  }
  EXPECT_EQ(server.log.back(), "DELETE uploadId") << "parts cost money until they are thrown away";
  EXPECT_EQ(server.objects.count("http://h:1/b/p/dropped"), 0u);
  EXPECT_TRUE(server.parts.empty());
}

TEST(S3Uploads, FaultsAtEveryStep) {
  const std::string large(2 * kPart + 7, 'x');
  struct Case {
    const char* step;
    Reply fault;
    bool for_ever;
    bool good;
  };
  const Case cases[] = {
      {"POST uploads", refused(503, "SlowDown"), false, true},
      {"POST uploads", refused(403, "AccessDenied"), true, false},
      {"POST uploads", reply(200, "<R/>"), true, false},
      {"PUT partNumber", broken(Failure::transfer, "reset"), false, true},
      {"PUT partNumber", refused(500, "InternalError"), true, false},
      {"PUT partNumber", reply(200), true, false},
      {"POST uploadId", broken(Failure::transfer, "the answer is lost"), false, true},
      {"POST uploadId", reply(200, "<Error><Code>InternalError</Code></Error>"), false, true},
      {"POST uploadId", reply(200, "<Error><Code>InternalError</Code></Error>"), true, false},
      {"POST uploadId", reply(200, "<Error><Code>EntityTooSmall</Code></Error>"), true, false},
      {"POST uploadId", reply(200), true, false},
  };
  for (const Case& c : cases) {
    UploadServer server;
    int faults = 0;
    server.fault = [&](const std::string& step) {
      return step == c.step && (c.for_ever || faults++ == 0) ? std::optional(c.fault) : std::nullopt;
    };
    objects::Settings settings;
    settings.part_size = kPart;
    const Simulated s = simulated(std::ref(server), settings);
    bool good = true;
    try {
      s.store->put("f", bytes_of(large));
    } catch (const Error&) {
      good = false;
    }
    EXPECT_EQ(good, c.good) << c.step << " " << c.fault.body << c.fault.failure_text;
    EXPECT_EQ(server.objects.count("http://h:1/b/p/f") != 0 && server.objects["http://h:1/b/p/f"] == large, c.good)
        << c.step;
    EXPECT_TRUE(server.parts.empty()) << c.step << ": parts are left behind";
  }
}

// The upload is gone when it is completed: it became the object, though the answer was lost, or somebody ended it, and
// an object of the same size is that of before.
TEST(S3Uploads, OnesOwnObjectIsToldFromAnOlderOne) {
  const std::string large(2 * kPart + 7, 'x'), old(2 * kPart + 7, 'o');
  const std::string name = "http://h:1/b/p/f";
  for (const bool md5 : {true, false})
    for (const char* date : {"Fri, 24 May 2013 04:00:00 GMT", "Fri, 24 May 2013 06:00:00 GMT"})
      for (const bool lost : {true, false}) {
        UploadServer server;
        server.md5 = md5;
        server.objects[name] = old;
        server.etags[name] = md5 ? "\"0123456789abcdef0123456789abcdef-3\"" : "\"z-3\"";
        server.fault = [&](const std::string& step) -> std::optional<Reply> {
          if (step == "POST uploads")
            return reply(200, "<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>",
                         {{"date", date}});
          if (step != "POST uploadId") return std::nullopt;
          if (lost && !server.parts.empty()) return broken(Failure::transfer, "the answer is lost");
          server.parts.clear();
          return std::nullopt;
        };
        objects::Settings settings;
        settings.part_size = kPart;
        const Simulated s = simulated(std::ref(server), settings);
        bool good = true;
        try {
          s.store->put("f", bytes_of(large));
        } catch (const Error&) {
          good = false;
        }
        // The server says that all objects changed at five.
        const bool newer = std::string_view(date).find("04:00") != std::string_view::npos;
        EXPECT_EQ(good, md5 ? lost : newer) << md5 << date << lost;
        EXPECT_TRUE(!md5 || good == (server.objects[name] == large)) << date;
      }
}

// A cancelled upload leaves no parts behind, and does not wait for a network that is gone.
TEST(S3Uploads, CancelledOnesAreEnded) {
  UploadServer server;
  objects::Settings settings;
  settings.part_size = kPart;
  const Simulated s = simulated(std::ref(server), settings);
  Cancel cancel;
  Work work;
  work.cancel = &cancel;
  {
    const CurrentWork current(work);
    const auto upload = s.store->begin("f");
    upload->append(bytes_of(std::string(2 * kPart + 7, 'x')));
    upload->sync();
    EXPECT_FALSE(server.parts.empty());
    cancel.request();
  }
  EXPECT_TRUE(server.parts.empty());
  {
    const auto upload = s.store->begin("f");
    upload->append(bytes_of(std::string(2 * kPart + 7, 'x')));
    upload->sync();
    server.fault = [](const std::string&) { return std::optional(broken(Failure::transfer, "gone")); };
    server.log.clear();
  }
  EXPECT_LE(server.log.size(), 3u);
}

TEST(S3Removals, AThousandByOneRequest) {
  std::vector<std::string> bodies;
  const Simulated s = simulated([&](const http::Request& request) {
    if (!request.body.empty()) bodies.push_back(std::string(text_of(request.body[0])));
    return request.method == "POST" ? reply(200, "<DeleteResult/>") : reply(204);
  });
  std::vector<std::string> keys;
  for (int i = 0; i < 2500; ++i) keys.push_back("k&" + std::to_string(i));
  s.store->remove(keys);
  EXPECT_EQ(bodies.size(), 3u);
  EXPECT_NE(bodies[0].find("<Key>p/k&amp;0</Key>"), std::string::npos);
  s.store->remove("one");
  EXPECT_EQ(s.network->requests.back(), "DELETE http://h:1/b/p/one");
  const auto failed = [](const char* code) {
    return reply(200,
                 std::string("<DeleteResult><Error><Key>p/k</Key><Code>") + code + "</Code></Error></DeleteResult>");
  };
  const Simulated busy =
      simulated(in_turn({failed("SlowDown"), failed("InternalError"), reply(200, "<DeleteResult/>")}));
  busy.store->remove(std::span(keys).first(10));
  EXPECT_EQ(busy.network->requests.size(), 3u) << "keys that the server did not come to are removed again";
  EXPECT_ERROR(io, "SlowDown", simulated(in_turn({failed("SlowDown")})).store->remove(std::span(keys).first(10)));
  const Simulated denied = simulated(in_turn(
      {reply(200, "<DeleteResult><Error><Key>p/k&amp;7</Key><Code>AccessDenied</Code></Error></DeleteResult>")}));
  EXPECT_ERROR(permission, "s3://b/p/k&7: it cannot be removed: AccessDenied", denied.store->remove(keys));
  const Simulated wrong = simulated(in_turn({reply(200, "<Error><Code>MalformedXML</Code></Error>")}));
  EXPECT_ERROR(io, "found Error", wrong.store->remove(keys));
}

}  // namespace
}  // namespace tegula
