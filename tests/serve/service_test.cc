#include "serve/service.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "store/wrap/sub_store.h"
#include "support/sample_arrays.h"

namespace tegula::serve {
namespace {

using namespace tegula::testing;

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() : root_(make_memory_store()) { make_sample(sample_arrays()[0], sub_store(root_, "a")); }

  Answer ask(const ServiceOptions& options, const std::string& target, const std::string& headers = "",
             const std::string& method = "GET") {
    TreeOptions tree;
    tree.fresh = std::chrono::milliseconds(0);
    tree.work = one_thread();
    Service service(std::make_shared<Tree>(root_, tree), options);
    const ParsedHead parsed =
        parse_head(method + " " + target + " HTTP/1.1\r\nHost: localhost:80\r\n" + headers + "\r\n");
    EXPECT_FALSE(parsed.refusal) << target;
    return service.handle(parsed.request);
  }
  int status(const std::string& target, const std::string& headers = "", const std::string& method = "GET") {
    return ask({}, target, headers, method).status;
  }
  static std::string header(const Answer& answer, std::string_view name) {
    for (const auto& [key, value] : answer.headers)
      if (key == name) return value;
    return "";
  }

  std::shared_ptr<Store> root_;
};

TEST_F(ServiceTest, Statuses) {
  const struct {
    const char* target;
    int status;
  } kRows[] = {{"/", 200},
               {"/metrics", 200},
               {"/v3/zarr.json", 200},
               {"/v3/a/", 200},
               {"/v3/a/zarr.json", 200},
               {"/v3/a/a/c/0", 200},
               {"/v2/a/a/0", 200},
               {"/v3/a/a/c/9", 404},
               {"/v3/a/a/.zarray", 404},
               {"/v3/b/zarr.json", 404},
               {"/v4/a/zarr.json", 404},
               {"/etc/passwd", 404}};
  for (const auto& row : kRows) EXPECT_EQ(status(row.target), row.status) << row.target;
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get"})
    EXPECT_EQ(status("/v3/a/zarr.json", "", method), 405) << method;
}

// Damage is 422: clients take 404 for fill values, and ask again after 5xx.
TEST_F(ServiceTest, DamageIs422) {
  for (const ListedFile& file : root_->list_all("a/__fragments").files)
    if (file.key.ends_with("a0.tdb")) root_->put_text(file.key, "short");
  const Answer answer = ask({}, "/v3/a/a/c/0");
  EXPECT_EQ(answer.status, 422);
  EXPECT_NE(text_of(answer.body).find("a0.tdb"), std::string_view::npos) << text_of(answer.body);
}

TEST_F(ServiceTest, HeadKnowsTheLength) {
  const Answer whole = ask({}, "/v3/a/a/c/0"), head = ask({}, "/v3/a/a/c/0", "", "HEAD");
  EXPECT_EQ(head.size, whole.body.size());
  EXPECT_EQ(head.tag, whole.tag);
  EXPECT_TRUE(head.body.empty());
  EXPECT_EQ(status("/v3/a/a/c/0", "If-None-Match: " + whole.tag + "\r\n"), 304);
  EXPECT_EQ(status("/v3/a/a/c/0", "If-Match: \"other\"\r\n"), 412);
  EXPECT_EQ(status("/v3/a/a/c/0", "Range: bytes=0-3\r\n"), 206);
}

TEST_F(ServiceTest, Tokens) {
  ServiceOptions options;
  options.token = "secret";
  EXPECT_EQ(ask(options, "/v3/a/zarr.json").status, 401);
  EXPECT_EQ(ask(options, "/t/wrong/v3/a/zarr.json").status, 401);
  EXPECT_EQ(ask(options, "/t/secre/v3/a/zarr.json").status, 401);
  EXPECT_EQ(ask(options, "/t/secrets/v3/a/zarr.json").status, 401);
  EXPECT_EQ(ask(options, "/metrics").status, 401);
  EXPECT_EQ(ask(options, "/t/secret/v3/a/zarr.json").status, 200);
  EXPECT_EQ(ask(options, "/v3/a/zarr.json", "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(ask(options, "/v3/a/zarr.json", "Authorization: Bearer \r\n").status, 401);
  const ParsedHead parsed = parse_head("GET /t/secret/v3/a?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(Service::shown_path(parsed.request), "/t/.../v3/a?x=1");
}

ServiceOptions with_cors(const char* origin) {
  ServiceOptions options;
  options.cors = {origin};
  return options;
}

TEST_F(ServiceTest, Origins) {
  const auto allowed = [&](const ServiceOptions& options, const std::string& origin, const char* target) {
    return header(ask(options, target, origin.empty() ? "" : "Origin: " + origin + "\r\n"),
                  "Access-Control-Allow-Origin");
  };
  // Also on answers that are errors: clients probe for names that are not there.
  for (const char* target : {"/v3/a/zarr.json", "/v3/a/a/c/9", "/nothing"}) {
    EXPECT_EQ(allowed({}, "http://localhost:3000", target), "http://localhost:3000");
    EXPECT_EQ(allowed({}, "http://127.0.0.1", target), "http://127.0.0.1");
    EXPECT_EQ(allowed({}, "http://[::1]:5", target), "http://[::1]:5");
    EXPECT_EQ(allowed({}, "https://example.org", target), "");
    EXPECT_EQ(allowed({}, "http://localhost.example.org", target), "");
    EXPECT_EQ(allowed({}, "http://127.evil.org", target), "");
    EXPECT_EQ(allowed(with_cors("https://example.org"), "https://example.org", target), "https://example.org");
    EXPECT_EQ(allowed(with_cors("*"), "https://example.org", target), "*");
  }
  const Answer preflight = ask(with_cors("*"), "/v3/a", "Origin: https://example.org\r\n", "OPTIONS");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_NE(header(preflight, "Access-Control-Allow-Headers").find("Range"), std::string::npos);
}

TEST_F(ServiceTest, Hosts) {
  ServiceOptions options;
  options.hosts = {"data.example.org"};
  EXPECT_EQ(ask(options, "/").status, 200);
  const auto from = [&](const std::string& host) {
    const ParsedHead parsed = parse_head("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    TreeOptions tree;
    return Service(std::make_shared<Tree>(root_, tree), options).handle(parsed.request).status;
  };
  EXPECT_EQ(from("data.example.org:8080"), 200);
  EXPECT_EQ(from("[::1]:8080"), 200);
  EXPECT_EQ(from("evil.example.org"), 421);
  EXPECT_EQ(from("127.0.0.1.evil.org"), 421);
}

}  // namespace
}  // namespace tegula::serve
