#include "store/web/web_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <map>

#include "support/expect_error.h"
#include "support/simulated_network.h"

namespace tegula {
namespace {

using testing::Reply;
using testing::reply;

// A web server as most are; the switches make it one of the others.
struct Site {
  std::map<std::string, std::string> files = {
      {"zarr.json", "{\"zarr_format\": 3}"}, {"c/0", "0123456789"}, {"empty", ""}};
  bool ranges = true, suffixes = true, heads = true, lengths = true;
  std::string etag = "\"1\"";
  std::function<std::optional<Reply>(const http::Request&, const std::string& key)> instead;

  static std::string asked(const http::Request& request, const char* name) {
    for (const http::Header& header : request.headers)
      if (header.name == name) return header.value;
    return "";
  }
  Reply operator()(const http::Request& request) {
    constexpr std::string_view kBase = "http://h/a.zarr/";
    EXPECT_TRUE(request.url.starts_with(kBase) && request.url.ends_with("?token=secret")) << request.url;
    EXPECT_EQ(asked(request, "Accept-Encoding"), "identity");
    const std::string key = request.url.substr(kBase.size(), request.url.find('?') - kBase.size());
    if (instead)
      if (const std::optional<Reply> other = instead(request, key)) return *other;
    const auto file = files.find(key);
    if (file == files.end()) return reply(404, "no such file");
    http::Headers headers;
    if (!etag.empty()) headers.push_back({"etag", etag});
    const std::string& body = file->second;
    if (request.method == "HEAD") {
      if (!heads) return reply(405);
      if (lengths) headers.push_back({"content-length", std::to_string(body.size())});
      return reply(200, "", headers);
    }
    if (!etag.empty() && asked(request, "If-None-Match") == etag) return reply(304);
    const std::string range = asked(request, "Range");
    if (range.empty() || !ranges) {
      if (lengths) headers.push_back({"content-length", std::to_string(body.size())});
      return reply(200, body, headers);
    }
    std::size_t first = 0, last = body.size() - 1;
    if (range.starts_with("bytes=-")) {
      const std::size_t n = std::stoull(range.substr(7));
      if (body.empty() || (n > body.size() && !suffixes))
        return reply(416, "", {{"content-range", fmt::format("bytes */{}", body.size())}});
      first = body.size() - std::min(n, body.size());
    } else {
      first = std::stoull(range.substr(6));
      last = std::min<std::size_t>(last, std::stoull(range.substr(range.find('-') + 1)));
      if (first >= body.size()) return reply(416, "", {{"content-range", fmt::format("bytes */{}", body.size())}});
    }
    headers.push_back({"content-range", fmt::format("bytes {}-{}/{}", first, last, body.size())});
    return reply(206, body.substr(first, last - first + 1), headers);
  }
};

class WebStoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<Store> open() {
    network_ =
        std::make_shared<testing::SimulatedNetwork>([this](const http::Request& request) { return site(request); });
    return open_web_store("http://h/a.zarr/?token=secret",
                          std::make_shared<http::Client>(network_, http::Limits{}, network_->clock));
  }
  std::size_t requests() {
    const std::size_t n = network_->requests.size();
    network_->requests.clear();
    return n;
  }
  static std::string text(const Store& store, std::string_view key) {
    const std::optional<Bytes> bytes = store.get(key);
    return bytes ? std::string(text_of(*bytes)) : "<absent>";
  }
  static std::string range(const Store& store, std::string_view key, std::uint64_t offset, std::size_t size) {
    Bytes bytes(size);
    RangeRead read{key, offset, bytes};
    store.get(std::span(&read, 1));
    return read.found ? std::string(text_of(bytes)) : "<absent>";
  }
  static std::string end(const Store& store, std::string_view key, std::uint64_t most) {
    const std::optional<Tail> tail = store.tail(key, most);
    return tail ? fmt::format("{} of {}", text_of(tail->bytes), tail->size) : "<absent>";
  }

  Site site;
  std::shared_ptr<testing::SimulatedNetwork> network_;
};

TEST_F(WebStoreTest, EveryKindOfServerGivesTheSame) {
  struct {
    const char* name;
    std::function<void(Site&)> set;
  } const kinds[] = {
      {"as most", [](Site&) {}},
      {"no ranges", [](Site& s) { s.ranges = false; }},
      {"no ranges, no ETags", [](Site& s) { s.ranges = false, s.etag = ""; }},
      {"no long suffixes", [](Site& s) { s.suffixes = false; }},
      {"no HEAD", [](Site& s) { s.heads = false; }},
      {"no lengths", [](Site& s) { s.lengths = false; }},
      {"no lengths, no ranges", [](Site& s) { s.lengths = s.ranges = false; }},
  };
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.name);
    site = {};
    kind.set(site);
    const std::shared_ptr<Store> store = open();
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(text(*store, "zarr.json"), "{\"zarr_format\": 3}");
      EXPECT_EQ(text(*store, "empty"), "");
      EXPECT_EQ(text(*store, "c/1"), "<absent>");
      EXPECT_EQ(range(*store, "c/0", 2, 3), "234");
      EXPECT_EQ(range(*store, "c/0", 0, 10), "0123456789");
      EXPECT_EQ(range(*store, "c/0", 10, 0), "");
      EXPECT_EQ(range(*store, "c/1", 0, 3), "<absent>");
      EXPECT_EQ(range(*store, "c/1", 0, 0), "<absent>");
      EXPECT_EQ(end(*store, "c/0", 3), "789 of 10");
      EXPECT_EQ(end(*store, "c/0", 100), "0123456789 of 10");
      EXPECT_EQ(end(*store, "empty", 5), " of 0");
      EXPECT_EQ(end(*store, "c/1", 5), "<absent>");
      EXPECT_EQ(store->size("c/0"), 10u);
      EXPECT_EQ(store->size("empty"), 0u);
      EXPECT_EQ(store->size("c/1"), std::nullopt);
      EXPECT_ERROR(corrupt, "http://h/a.zarr/c/0: expected 5 bytes at byte 8", range(*store, "c/0", 8, 5));
      EXPECT_ERROR(corrupt, "http://h/a.zarr/c/0: expected 5 bytes at byte 10", range(*store, "c/0", 10, 5));
      EXPECT_ERROR(corrupt, "expected 10 bytes at byte", range(*store, "c/0", UINT64_MAX - 5, 10));
    }
  }
}

TEST_F(WebStoreTest, ABatchIsOneRoundTrip) {
  for (int i = 0; i < 40; ++i) site.files["d/" + std::to_string(i)] = std::string(100, 'x');
  const std::shared_ptr<Store> store = open();
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("d/" + std::to_string(i));
  std::vector<FileRead> files;
  for (const std::string& key : keys) files.push_back({key});
  store->get(files);
  EXPECT_EQ(requests(), 40u);
  EXPECT_EQ(network_->most_at_once, 40u);
  Bytes a(10), b(10);
  RangeRead near[] = {{"d/0", 0, a}, {"d/0", 50, b}};
  store->get(near);
  EXPECT_EQ(requests(), 1u);
}

TEST_F(WebStoreTest, ThousandsOfFiles) {
  std::vector<std::string> keys;
  for (int i = 0; i < 2500; ++i) keys.push_back("d/" + std::to_string(i));
  for (const std::string& key : keys) site.files[key] = key;
  std::vector<FileRead> files;
  for (const std::string& key : keys) files.push_back({key});
  open()->get(files);
  for (const FileRead& file : files) EXPECT_EQ(text_of(file.found->bytes), file.key);
}

TEST_F(WebStoreTest, OnlyTheAnswerThatItIsNotThereIsAbsence) {
  struct {
    Reply reply;
    std::optional<ErrorKind> kind;  // nothing: absent
    const char* message;
  } const cases[] = {
      {reply(404), std::nullopt, ""},
      {reply(410), std::nullopt, ""},
      {reply(301, "", {{"location", "http://h/a.zarr/c/0/"}}), std::nullopt, ""},
      {reply(403), ErrorKind::permission, "is not taken for absence"},
      {reply(401), ErrorKind::permission, "denies access"},
      {reply(500), ErrorKind::io, "the server answered 500, 8 times"},
      {reply(400), ErrorKind::io, "the server answered 400"},
      {reply(304), ErrorKind::io, "the server answered 304"},
      {reply(302, "", {{"location", "http://h/a.zarr/c/0?token=secret"}}), ErrorKind::io, "leads elsewhere"},
      {reply(302, "", {{"location", "file:///etc/passwd"}}), ErrorKind::io, "leads elsewhere"},
      {reply(200, "<html>", {{"content-type", "text/html; charset=utf-8"}}), ErrorKind::permission, "sent a page"},
      {reply(200, "x", {{"content-encoding", "gzip"}}), ErrorKind::io, "sends it encoded (gzip)"},
      {reply(206, "0123", {{"content-range", "bytes 0-3/10"}, {"content-encoding", "br"}}), ErrorKind::io,
       "sends it encoded (br)"},
      {testing::broken(http::Failure::connect, "connection refused"), ErrorKind::io, "connection refused, 4 times"},
  };
  for (const auto& [answer, kind, message] : cases) {
    site.instead = [&](const http::Request&, const std::string&) { return answer; };
    const std::function<void(const Store&)> reads[] = {
        [](const Store& store) { EXPECT_EQ(store.get("c/0"), std::nullopt); },
        [](const Store& store) { EXPECT_EQ(range(store, "c/0", 0, 4), "<absent>"); },
        [](const Store& store) { EXPECT_EQ(store.tail("c/0", 4), std::nullopt); },
        [](const Store& store) { EXPECT_EQ(store.size("c/0"), std::nullopt); },
    };
    for (const auto& read : reads) {
      const std::shared_ptr<Store> store = open();
      try {
        read(*store);
        EXPECT_FALSE(kind) << message;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
      }
    }
  }
}

TEST_F(WebStoreTest, ProbesHearWhyAFileCannotBeRead) {
  site.instead = [&](const http::Request&, const std::string& key) -> std::optional<Reply> {
    if (key == "meta") return reply(403);
    if (key == "page") return reply(200, "<html>", {{"content-type", "text/html"}});
    return std::nullopt;
  };
  const std::shared_ptr<Store> store = open();
  FileRead reads[] = {{"zarr.json"}, {"meta"}, {"page"}, {"gone"}};
  EXPECT_ERROR(permission, "meta", store->get(reads));
  for (FileRead& read : reads) read.may_fail = true;
  store->get(reads);
  EXPECT_TRUE(reads[0].found && !reads[0].failure);
  EXPECT_TRUE(!reads[1].found && reads[1].failure);
  EXPECT_TRUE(!reads[2].found && reads[2].failure);
  EXPECT_TRUE(!reads[3].found && !reads[3].failure);
}

TEST_F(WebStoreTest, ProbesMayFailAtTheSecondQuestionToo) {
  site.instead = [](const http::Request& request, const std::string&) -> std::optional<Reply> {
    return Site::asked(request, "Range").empty() ? reply(403) : reply(416);
  };
  FileRead read{"c/0", 100};
  const std::shared_ptr<Store> store = open();
  EXPECT_ERROR(permission, "c/0", store->get(std::span(&read, 1)));
  read.may_fail = true;
  store->get(std::span(&read, 1));
  EXPECT_TRUE(!read.found && read.failure);
}

TEST_F(WebStoreTest, OneSmallFileDoesNotMeanThatThereAreNoRanges) {
  site.files["big"] = std::string(100'000, 'x');
  site.instead = [](const http::Request&, const std::string& key) -> std::optional<Reply> {
    if (key == "empty") return reply(200, "", {{"content-length", "0"}});
    return key == "c/0" ? std::optional(reply(200, "0123456789", {{"content-length", "10"}})) : std::nullopt;
  };
  const std::shared_ptr<Store> store = open();
  EXPECT_EQ(end(*store, "empty", 5), " of 0");
  EXPECT_EQ(end(*store, "c/0", 10), "0123456789 of 10");
  EXPECT_EQ(range(*store, "c/0", 0, 10), "0123456789");
  std::string asked;
  site.instead = [&](const http::Request& request, const std::string&) {
    asked = Site::asked(request, "Range");
    return std::optional<Reply>();
  };
  EXPECT_EQ(range(*store, "big", 7, 3), "xxx");
  EXPECT_EQ(asked, "bytes=7-9");
}

// Each request of the first batch is answered with the whole file.
TEST_F(WebStoreTest, WholeFilesInPlaceOfRangesAreNotReadToTheirEnds) {
  site.ranges = false;
  site.files["big"] = std::string(8 << 20, 'x');
  const std::shared_ptr<Store> store = open();
  const auto client = std::make_shared<http::Client>(network_, http::Limits{}, network_->clock);
  const std::shared_ptr<Store> watched = open_web_store("http://h/a.zarr/?token=secret", client);
  std::vector<Bytes> into(8, Bytes(10));
  std::vector<RangeRead> reads;
  for (std::size_t i = 0; i < into.size(); ++i) reads.push_back({"big", i << 20, into[i]});
  watched->get(reads);
  for (const Bytes& bytes : into) EXPECT_EQ(text_of(bytes), "xxxxxxxxxx");
  const std::uint64_t size = 8 << 20, parts = (1 + 2 + 3 + 4 + 5 + 6 + 7) << 20;
  EXPECT_LE(client->traffic().received, size + parts + 1000) << "one is kept, the others end with their ranges";
}

TEST_F(WebStoreTest, IdentitiesTellUsersAndQueriesApart) {
  const auto identity = [](const char* url) { return open_web_store(url, nullptr)->identity(); };
  const char* urls[] = {"http://h/d",        "http://h/d?b=1",    "http://h/d?b=2",
                        "http://u:word@h/d", "http://v:word@h/d", "http://h/e"};
  for (const char* one : urls)
    for (const char* other : urls)
      EXPECT_EQ(identity(one) == identity(other), std::string_view(one) == other) << one << " " << other;
  EXPECT_EQ(identity("http://h/d/"), identity("http://h/d"));
  for (const char* url : urls) EXPECT_EQ(identity(url).find("word"), std::string::npos);
}

TEST_F(WebStoreTest, RedirectionsAreFollowed) {
  site.instead = [&](const http::Request& request, const std::string& key) -> std::optional<Reply> {
    if (key == "moved") return reply(302, "", {{"location", "/a.zarr/c/0?token=secret"}});
    EXPECT_EQ(request.method, "GET");
    return std::nullopt;
  };
  EXPECT_EQ(text(*open(), "moved"), "0123456789");
}

TEST_F(WebStoreTest, AFileThatChangesBetweenRangesIsAnError) {
  const std::shared_ptr<Store> store = open();
  EXPECT_EQ(range(*store, "c/0", 0, 2), "01");
  EXPECT_EQ(end(*store, "c/0", 2), "89 of 10");
  site.etag = "\"2\"";
  EXPECT_ERROR(io, "it changed while it was read", range(*store, "c/0", 2, 2));
  EXPECT_ERROR(io, "it changed while it was read", end(*store, "c/0", 2));
  EXPECT_EQ(text(*store, "c/0"), "0123456789") << "all of it is of one state";
  EXPECT_EQ(range(*open(), "c/0", 2, 2), "23");
}

TEST_F(WebStoreTest, WholeFilesOfAServerWithoutRangesAreKeptWhileTheyAreTheSame) {
  site.ranges = false;
  site.files["big"] = std::string(100'000, 'x');
  const std::shared_ptr<Store> store = open();
  std::uint64_t sent = 0;
  site.instead = [&](const http::Request& request, const std::string&) -> std::optional<Reply> {
    if (Site::asked(request, "If-None-Match").empty()) ++sent;
    return std::nullopt;
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(range(*store, "big", 1000 * i, 3), "xxx");
  EXPECT_EQ(sent, 1u);
  EXPECT_EQ(requests(), 5u) << "each asks whether it is still the same";
}

// Python's own server has no ETags. A file that changed in this second may change once more in it.
TEST_F(WebStoreTest, TimesOfChangesServeWhereThereAreNoETags) {
  site.ranges = false;
  site.etag = "";
  const std::string modified = "Fri, 24 May 2013 05:00:00 GMT";
  const std::pair<const char*, std::size_t> cases[] = {
      {"Fri, 24 May 2013 05:00:10 GMT", 5}, {"Fri, 24 May 2013 05:10:00 GMT", 1}, {"", 5}};
  for (const auto& [date, sent] : cases) {
    std::size_t whole = 0;
    site.instead = [&, now = std::string(date)](const http::Request& request, const std::string&) {
      if (Site::asked(request, "If-Modified-Since") == modified) return std::optional(reply(304));
      ++whole;
      return std::optional(reply(200, std::string(1000, 'x'), {{"last-modified", modified}, {"date", now}}));
    };
    const std::shared_ptr<Store> store = open();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(range(*store, "big", 10 * i, 3), "xxx");
    EXPECT_EQ(whole, sent) << date;
  }
}

TEST_F(WebStoreTest, BrokenAnswersAreAskedForAgain) {
  int broken = 3;
  site.instead = [&](const http::Request& request, const std::string&) -> std::optional<Reply> {
    if (request.method == "HEAD" || broken-- <= 0) return std::nullopt;
    if (broken == 2) return reply(206, "01", {{"content-range", "bytes 0-3/10"}});
    if (broken == 1) return reply(206, "2345", {{"content-range", "bytes 2-5/10"}});
    return reply(503);
  };
  EXPECT_EQ(range(*open(), "c/0", 0, 4), "0123");
  EXPECT_EQ(requests(), 4u);
}

TEST_F(WebStoreTest, NothingIsListedOrWritten) {
  const std::shared_ptr<Store> store = open();
  EXPECT_FALSE(store->hints().lists || store->hints().writes);
  EXPECT_ERROR(unsupported, "does not list its files", store->list(""));
  EXPECT_ERROR(unsupported, "does not list its files", store->list_all(""));
  EXPECT_ERROR(unsupported, "only read", store->put_text("x", ""));
  EXPECT_ERROR(unsupported, "only read", store->remove("x"));
  EXPECT_ERROR(invalid_argument, "", store->get("../x"));
  EXPECT_EQ(requests(), 0u);
  EXPECT_EQ(store->describe("c/0"), "http://h/a.zarr/c/0");
}

}  // namespace
}  // namespace tegula
