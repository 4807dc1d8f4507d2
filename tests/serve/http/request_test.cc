#include "serve/http/request.h"

#include <gtest/gtest.h>

namespace tegula::serve {
namespace {

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string many(std::size_t count, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Request, WhatIsRefused) {
  const struct {
    std::string head;
    int status;  // 0: accepted
  } kRows[] = {
      {get("/"), 0},
      {get("/v3/a/c/0/0?x=1&y"), 0},
      {"GET http://host:80/v3/a HTTP/1.1\r\nHost: host\r\n\r\n", 0},
      {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 0},
      {"GET / HTTP/1.0\r\n\r\n", 0},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 0},
      {"", 400},
      {"\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\n", 400},
      {"GET / HTTP/1.1\nHost: a\n\n", 400},
      {"G\tT / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/2\r\nHost: a\r\n\r\n", 505},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {get("/a b"), 400},
      {get("/", "no colon\r\n"), 400},
      {get("/", ": empty\r\n"), 400},
      {get("/", "Name : space\r\n"), 400},
      {get("/", "Folded: a\r\n b\r\n"), 400},
      {get("/", "Bell: \a\r\n"), 400},
      {get("/", std::string("Zero: \0\r\n", 9)), 400},
      {get("/", "Content-Length: 5\r\n"), 413},
      {get("/", "Content-Length: -1\r\n"), 413},
      {get("/", "Transfer-Encoding: chunked\r\n"), 413},
      {get("/" + many(9000, "a")), 414},
      {get("/", many(101, "A: b\r\n")), 431},
      {get("/", "A: " + many(17000, "b") + "\r\n"), 431},
      // Ways out of the root, and what is no UTF-8.
      {get("/v3/../x"), 400},
      {get("/v3/./x"), 400},
      {get("/v3/%2e%2e/x"), 400},
      {get("/v3/%2E./x"), 400},
      {get("/v3/..%2fx"), 400},
      {get("/v3/..%5cx"), 400},
      {get("/v3/a%00b"), 400},
      {get("/v3//x"), 400},
      {get("/v3/x//"), 400},
      {get("//"), 400},
      {get("/v3/%c0%ae%c0%ae/x"), 400},
      {get("/v3/%ff"), 400},
      {get("/v3/%4"), 400},
      {get("/v3/%zz"), 400},
      {get("/v3/%252e%252e/x"), 0},  // decoded once: the name "%2e%2e"
      {get("/v3/a?q=%zz"), 400},
  };
  for (const auto& row : kRows) {
    const ParsedHead parsed = parse_head(row.head);
    EXPECT_EQ(parsed.refusal ? parsed.refusal->status : 0, row.status)
        << row.head.substr(0, 80) << (parsed.refusal ? parsed.refusal->text : "");
  }
}

TEST(Request, PathsAndQueriesAreDecodedOnce) {
  const Request request =
      parse_head(get("/v3/a%20b/%C3%BC%2525/c@1:2/?where=a+%3E+1&x&x=2", "RANGE:  bytes=0-1 \r\n")).request;
  EXPECT_EQ(request.path, (std::vector<std::string>{"v3", "a b", "ü%25", "c@1:2"}));
  EXPECT_TRUE(request.folder);
  EXPECT_EQ(*request.parameter("where"), "a > 1");
  EXPECT_EQ(*request.parameter("x"), "");
  EXPECT_EQ(request.parameter("y"), nullptr);
  EXPECT_EQ(request.header("range"), "bytes=0-1");
  EXPECT_EQ(request.header("etag"), "");
  EXPECT_TRUE(request.keep_alive);
}

TEST(Request, KeepAlive) {
  EXPECT_FALSE(parse_head(get("/", "Connection: Close\r\n")).request.keep_alive);
  EXPECT_FALSE(parse_head("GET / HTTP/1.0\r\n\r\n").request.keep_alive);
}

}  // namespace
}  // namespace tegula::serve
