// What the answers of Azure mean, on a simulated network.
#include "store/azure/azure_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/azure/shared_key.h"
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
using testing::SimulatedNetwork;

constexpr const char* kKey = "U0VDUkVU";  // "SECRET"

Simulated azure_on(Handler server, objects::Settings settings = {},
                   objects::Credentials keys = {"acc", kKey, "", "", {}}) {
  auto network = std::make_shared<SimulatedNetwork>(std::move(server));
  settings.service = objects::Service::azure;
  settings.endpoint = "http://h:1/acc";
  auto client = std::make_shared<http::Client>(network, settings.limits, network->clock);
  return {network, azure::make_store({"c", "p", "", ""}, settings, client,
                                     {{"a test", [keys](http::Client&) { return std::optional(keys); }}})};
}

TEST(AzureErrors, OfReads) {
  struct Case {
    const char* what;
    std::vector<Reply> replies;
    const char* found;  // the text, "<absent>", or the kind of the error and a part of it
    std::size_t requests;
  };
  const Case cases[] = {
      {"there", {kFile}, "hello", 1},
      {"absent", {refused(404, "BlobNotFound")}, "<absent>", 1},
      {"absent, in a header", {reply(404, "", {{"x-ms-error-code", "BlobNotFound"}})}, "<absent>", 1},
      {"no container",
       {refused(404, "ContainerNotFound")},
       "not found: az://c/p/k: the server answered 404 Container",
       1},
      {"404 without a reason", {reply(404)}, "i/o error: az://c/p/k: the server answered 404", 1},
      {"404 of a web server", {reply(404, "<html><body>Not Found</body></html>")}, "i/o error", 1},
      {"404 of S3", {refused(404, "NoSuchKey")}, "i/o error", 1},
      {"denied",
       {refused(403, "AuthorizationFailure")},
       "permission denied: az://c/p/k: the server answered 403 Auth",
       1},
      {"no access", {refused(409, "PublicAccessNotPermitted")}, "permission denied", 1},
      {"archived", {refused(409, "BlobArchived")}, "has to be rehydrated", 1},
      {"wrong signature", {refused(403, "AuthenticationFailed")}, "the keys came from a test", 1},
      {"our fault", {refused(400, "InvalidHeaderValue")}, "400 InvalidHeaderValue", 1},
      {"busy", {refused(503, "ServerBusy"), kFile}, "hello", 2},
      {"busy for ever", {refused(503, "ServerBusy")}, "503 ServerBusy to GET, 8 times", 8},
      {"broken", {reply(500), reply(502), reply(504), broken(Failure::transfer, "reset"), kFile}, "hello", 5},
      {"unreachable", {broken(Failure::connect, "Connection refused")}, "GET failed, 4 times: Connection refused", 4},
      {"a wrong clock",
       {Reply{403, {{"date", "Fri, 24 May 2013 05:00:00 GMT"}}, "<Error><Code>AuthenticationFailed</Code></Error>"},
        kFile},
       "hello",
       2},
      {"not an answer to GET", {reply(204)}, "i/o error: az://c/p/k: the server answered 204", 1},
  };
  for (const Case& c : cases) {
    const Simulated s = azure_on(in_turn(c.replies));
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
    for (const char* secret : {"SECRET", kKey, "SharedKey"}) EXPECT_EQ(found.find(secret), std::string::npos) << found;
  }
}

TEST(AzureErrors, ForbiddenIsAbsentOnlyWhenTheUserSaysSo) {
  objects::Settings settings;
  settings.forbidden_is_absent = true;
  EXPECT_EQ(azure_on(in_turn({refused(403, "AuthorizationPermissionMismatch")}), settings).store->get("k"),
            std::nullopt);
  EXPECT_ERROR(permission, "AuthenticationFailed",
               azure_on(in_turn({refused(403, "AuthenticationFailed")}), settings).store->get("k"));
}

// A key signs, a signature goes into the query, a token into a header, and none into a message.
TEST(AzureRequests, CarryOneOfThreeProofs) {
  struct Case {
    objects::Credentials keys;
    const char* authorization;
    const char* url;
  };
  const Case cases[] = {
      {{"acc", kKey, "", "", {}}, "SharedKey acc:", "http://h:1/acc/c/p/a%20b"},
      {{"", "", "", "HIDDEN", {}}, "Bearer HIDDEN", "http://h:1/acc/c/p/a%20b"},
      {{"", "", "", "", {}, "sv=1&sig=HIDDEN"}, "", "http://h:1/acc/c/p/a%20b?sv=1&sig=HIDDEN"},
      {{}, "", "http://h:1/acc/c/p/a%20b"},
  };
  for (const Case& c : cases) {
    const Simulated s = azure_on(
        [&](const http::Request& request) {
          const std::string* authorization = http::find(request.headers, "authorization");
          EXPECT_TRUE((authorization ? *authorization : "").starts_with(c.authorization));
          EXPECT_EQ(authorization == nullptr, *c.authorization == '\0');
          EXPECT_EQ(request.url, c.url);
          EXPECT_EQ(*http::find(request.headers, "x-ms-version"), "2021-12-02");
          return refused(403, "AuthorizationFailure");
        },
        {}, c.keys);
    try {
      s.store->get("a b");
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("HIDDEN"), std::string::npos) << error.what();
    }
  }
}

TEST(AzureRequests, ExpiredTokensAreRenewedOnce) {
  int generation = 0;
  std::vector<std::string> seen;
  auto network = std::make_shared<SimulatedNetwork>([&](const http::Request& request) {
    seen.push_back(*http::find(request.headers, "authorization"));
    return seen.back() == "Bearer T2" ? kFile : refused(401, "InvalidAuthenticationInfo");
  });
  objects::Settings settings;
  settings.service = objects::Service::azure;
  settings.endpoint = "http://h:1";
  auto client = std::make_shared<http::Client>(network, settings.limits, network->clock);
  const auto store =
      azure::make_store({"c", "", "acc", ""}, settings, client, {{"a test", [&](http::Client&) {
                                                                    objects::Credentials keys;
                                                                    keys.bearer = "T" + std::to_string(++generation);
                                                                    return std::optional(keys);
                                                                  }}});
  EXPECT_TRUE(store->get("k"));
  EXPECT_EQ(seen, (std::vector<std::string>{"Bearer T1", "Bearer T2"}));
  EXPECT_EQ(store->uri("k"), "az://c@acc/k");
}

// A container as the service keeps it, which looks at signatures.
struct BlobServer {
  struct Blob {
    std::string text;
    int version = 0;
  };
  std::map<std::string, Blob> blobs;                                 // by their paths
  std::map<std::string, std::map<std::string, std::string>> blocks;  // that no list names yet
  int versions = 0;
  std::size_t page = 2;
  std::vector<std::string> log;
  std::function<std::optional<Reply>(const std::string& step)> fault;

  static std::string parameter(const std::string& url, const std::string& name) {
    for (const char* before : {"?", "&"})
      if (const std::size_t at = url.find(before + name + "="); at != std::string::npos) {
        const std::size_t from = at + name.size() + 2;
        std::string out;
        for (std::size_t i = from; i < url.size() && url[i] != '&'; ++i)
          if (url[i] == '%') {
            out += static_cast<char>(std::stoi(url.substr(i + 1, 2), nullptr, 16));
            i += 2;
          } else {
            out += url[i];
          }
        return out;
      }
    return "";
  }
  static std::string header(const http::Request& request, const char* name) {
    const std::string* value = http::find(request.headers, name);
    return value ? *value : "";
  }

  Reply operator()(const http::Request& request) {
    const std::string path = request.url.substr(0, request.url.find('?')), comp = parameter(request.url, "comp");
    const std::string step = request.method + (comp.empty() ? "" : " " + comp);
    log.push_back(step);
    objects::Query query;
    for (const char* name : {"comp", "restype", "prefix", "delimiter", "maxresults", "marker", "blockid"})
      if (const std::string value = parameter(request.url, name); !value.empty()) query.emplace_back(name, value);
    const std::string expected =
        azure::shared_key("acc", kKey, azure::text_to_sign(request, "acc", path.substr(10), query));
    if (header(request, "authorization") != expected) return refused(403, "AuthenticationFailed");
    Reply done = serve(request, path, comp);
    if (const std::optional<Reply> wrong = fault ? fault(step) : std::nullopt) return *wrong;
    return done;
  }

  Reply serve(const http::Request& request, const std::string& path, const std::string& comp) {
    const auto found = blobs.find(path);
    const bool there = found != blobs.end();
    const std::string etag = there ? "\"0x" + std::to_string(found->second.version) + "\"" : "";
    std::string body;
    for (const ByteView part : request.body) body += text_of(part);
    if (comp == "list") return list(request.url);
    if (request.method == "PUT" && comp == "block") {
      blocks[path][parameter(request.url, "blockid")] = body;
      return reply(201);
    }
    const std::string match = header(request, "if-match"), none = header(request, "if-none-match");
    if (none == "*" && there) return refused(409, "BlobAlreadyExists");
    if (!match.empty() && match != etag) return refused(412, "ConditionNotMet");
    if (request.method == "PUT" && comp == "blocklist") return make(path, body);
    if (request.method == "PUT") {
      if (header(request, "x-ms-blob-type") != "BlockBlob") return refused(400, "MissingRequiredHeader");
      blobs[path] = {body, ++versions};
      return reply(201);
    }
    if (!there) return refused(404, "BlobNotFound");
    if (request.method == "DELETE") {
      blobs.erase(path);
      return reply(202);
    }
    const std::string& text = found->second.text;
    if (request.method == "HEAD")
      return reply(200, "", {{"content-length", std::to_string(text.size())}, {"etag", etag}});
    const std::string range = header(request, "range");
    if (range.empty()) return reply(200, text, {{"content-length", std::to_string(text.size())}, {"etag", etag}});
    if (range.starts_with("bytes=-")) return refused(500, "InternalError");
    const std::size_t first = std::stoul(range.substr(6));
    const std::size_t last = std::min<std::size_t>(std::stoul(range.substr(range.find('-') + 1)), text.size() - 1);
    if (first >= text.size()) return refused(416, "InvalidRange");
    return reply(206, text.substr(first, last - first + 1),
                 {{"etag", etag},
                  {"content-range",
                   "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" + std::to_string(text.size())}});
  }

  Reply make(const std::string& path, const std::string& xml) {
    std::string text;
    for (std::size_t at = xml.find("<Latest>"); at != std::string::npos; at = xml.find("<Latest>", at + 1)) {
      const std::string id = xml.substr(at + 8, xml.find("</Latest>", at) - at - 8);
      if (!blocks[path].contains(id)) return refused(400, "InvalidBlockList");
      text += blocks[path][id];
    }
    blobs[path] = {text, ++versions};
    return reply(201);
  }

  Reply list(const std::string& url) const {
    const std::string root = "http://h:1/acc/c/", prefix = parameter(url, "prefix"), marker = parameter(url, "marker");
    const bool one_level = parameter(url, "delimiter") == "/";
    std::string inside, next, folder;
    std::size_t count = 0;
    for (const auto& [path, blob] : blobs) {
      const std::string name = path.substr(root.size());
      if (!name.starts_with(prefix) || name < marker) continue;
      const std::size_t slash = one_level ? name.find('/', prefix.size()) : std::string::npos;
      const std::string shown = slash == std::string::npos ? name : name.substr(0, slash + 1);
      if (shown == folder) continue;
      if (count++ == page) {
        next = name;
        break;
      }
      if (slash != std::string::npos) {
        folder = shown;
        inside += "<BlobPrefix><Name>" + shown + "</Name></BlobPrefix>";
      } else {
        inside += "<Blob><Name>" + name + "</Name><Properties><Content-Length>" + std::to_string(blob.text.size()) +
                  "</Content-Length><Etag>0x" + std::to_string(blob.version) + "</Etag></Properties></Blob>";
      }
    }
    return reply(200, "<EnumerationResults><Blobs>" + inside + "</Blobs><NextMarker>" + next +
                          "</NextMarker></EnumerationResults>");
  }
};

TEST(AzureStore, ReadsWritesListsAndRemoves) {
  BlobServer server;
  const Simulated s = azure_on(std::ref(server));
  Store& store = *s.store;
  for (const char* key : {"a/x", "a/y/z", "a.b", "b", "ab/c", "empty"}) store.put_text(key, key[0] == 'e' ? "" : key);
  EXPECT_EQ(text_of(*store.get("a/y/z")), "a/y/z");
  EXPECT_EQ(store.size("a/y/z"), 5u);
  EXPECT_EQ(store.size("empty"), 0u);
  EXPECT_EQ(store.size("none"), std::nullopt);
  std::string names;
  for (const Entry& entry : store.list("")) names += entry.name + (entry.folder ? "/ " : " ");
  EXPECT_EQ(names, "a/ a.b ab/ b empty ") << "over several pages";
  const Listing all = store.list_all("");
  ASSERT_EQ(all.files.size(), 6u);
  EXPECT_EQ(all.files[3].key, "ab/c");
  EXPECT_EQ(all.files[3].state, store.get_stated("ab/c").state);
  store.remove_tree("a");
  EXPECT_EQ(store.list_all("").files.size(), 4u);
  const std::vector<std::string> keys = {"b", "none", "ab/c"};
  store.remove(keys);
  EXPECT_EQ(store.list_all("").files.size(), 2u);
  EXPECT_TRUE(store.hints().conditional);
}

// The service has no suffix ranges: HEAD tells the size, then the range is one of that state.
TEST(AzureStore, EndsAreReadByTheirSize) {
  BlobServer server;
  const Simulated s = azure_on(std::ref(server));
  s.store->put_text("f", "0123456789");
  s.store->put_text("empty", "");
  server.log.clear();
  FileRead reads[] = {{"f", 4}, {"f", 100}, {"empty", 5}, {"none", 3}, {"f"}, {"f", 0}};
  s.store->get(reads);
  EXPECT_EQ(text_of(reads[0].found->bytes), "6789");
  EXPECT_EQ(reads[0].found->size, 10u);
  EXPECT_EQ(text_of(reads[1].found->bytes), "0123456789");
  EXPECT_EQ(reads[2].found->size, 0u);
  EXPECT_FALSE(reads[3].found);
  EXPECT_EQ(text_of(reads[4].found->bytes), "0123456789");
  EXPECT_TRUE(reads[5].found->bytes.empty());
  EXPECT_EQ(reads[5].found->size, 10u);
  EXPECT_EQ(std::ranges::count(server.log, "HEAD"), 5);
  EXPECT_EQ(std::ranges::count(server.log, "GET"), 3);
  server.fault = [&](const std::string& step) -> std::optional<Reply> {
    if (step == "HEAD") ++server.blobs["http://h:1/acc/c/p/f"].version;
    return std::nullopt;
  };
  EXPECT_ERROR(io, "az://c/p/f: it changed while it was read", s.store->tail("f", 4));
  server.fault = [](const std::string& step) { return step == "HEAD" ? std::optional(reply(200)) : std::nullopt; };
  EXPECT_EQ(text_of(s.store->tail("f", 4)->bytes), "6789") << "a proxy that leaves out the size";
  EXPECT_EQ(s.store->tail("f", 4)->size, 10u);
  server.fault = [](const std::string& step) {
    return step == "HEAD" ? std::optional(reply(403, "", {{"x-ms-error-code", "AuthorizationFailure"}})) : std::nullopt;
  };
  EXPECT_ERROR(permission, "403 AuthorizationFailure to HEAD", s.store->tail("f", 4));
}

TEST(AzureStore, Conditions) {
  BlobServer server;
  const Simulated s = azure_on(std::ref(server));
  const auto put_if = [&](const std::string& text, const std::string& state) {
    const ByteView part = bytes_of(text);
    return s.store->put_if("k", std::span(&part, 1), state);
  };
  EXPECT_FALSE(put_if("one", "\"0x7\""));
  EXPECT_TRUE(put_if("one", ""));
  EXPECT_FALSE(put_if("two", ""));
  const std::string state = s.store->get_stated("k").state;
  EXPECT_TRUE(put_if("two", state));
  EXPECT_FALSE(put_if("six", state));
  // The answer to the first try is lost: the blob in the way is our own, or that of another.
  for (const bool ours : {true, false}) {
    int tries = 0;
    server.fault = [&](const std::string& step) -> std::optional<Reply> {
      if (step != "PUT" || tries++ > 0) return std::nullopt;
      if (!ours) server.blobs["http://h:1/acc/c/p/k"] = {"other", ++server.versions};
      return broken(Failure::transfer, "the answer is lost");
    };
    EXPECT_EQ(put_if("ten", s.store->get_stated("k").state), ours);
    server.fault = {};
  }
  EXPECT_ERROR(permission, "somebody holds a lease",
               azure_on(in_turn({refused(412, "LeaseIdMissing")})).store->put_if("k", {}, "\"e\""));
}

TEST(AzureStore, LargeBlobsAreMadeOfBlocks) {
  constexpr std::uint64_t kPart = 5 << 20;
  const std::string large(2 * kPart + 7, 'x');
  struct Case {
    const char* step;
    Reply fault;
    bool for_ever, good;
  };
  const Case cases[] = {
      {"none", reply(200), false, true},
      {"PUT block", refused(503, "ServerBusy"), false, true},
      {"PUT block", refused(403, "AuthorizationFailure"), true, false},
      {"PUT block", broken(Failure::transfer, "reset"), false, true},
      {"PUT blocklist", broken(Failure::transfer, "the answer is lost"), false, true},
      {"PUT blocklist", refused(500, "InternalError"), true, false},
      {"PUT blocklist", refused(400, "InvalidBlockList"), true, false},
  };
  for (const Case& c : cases) {
    BlobServer server;
    int faults = 0;
    server.fault = [&](const std::string& step) {
      return step == c.step && (c.for_ever || faults++ == 0) ? std::optional(c.fault) : std::nullopt;
    };
    objects::Settings settings;
    settings.part_size = kPart;
    const Simulated s = azure_on(std::ref(server), settings);
    bool good = true;
    try {
      s.store->put("f", bytes_of(large));
    } catch (const Error&) {
      good = false;
    }
    EXPECT_EQ(good, c.good) << c.step << " " << c.fault.body << c.fault.failure_text;
    if (good) {
      EXPECT_EQ(server.blobs["http://h:1/acc/c/p/f"].text, large) << c.step;
    }
  }
  BlobServer server;
  objects::Settings settings;
  settings.part_size = kPart;
  const Simulated s = azure_on(std::ref(server), settings);
  const auto one = s.store->begin("f"), other = s.store->begin("f");
  one->append(bytes_of(large));
  other->append(bytes_of(std::string(2 * kPart + 7, 'y')));
  one->sync();
  other->sync();
  EXPECT_EQ(server.blobs.count("http://h:1/acc/c/p/f"), 0u);
  one->appear();
  EXPECT_EQ(server.blobs["http://h:1/acc/c/p/f"].text, large) << "not mixed with blocks of the other";
}

}  // namespace
}  // namespace tegula
