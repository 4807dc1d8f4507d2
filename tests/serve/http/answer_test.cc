#include "serve/http/answer.h"

#include <gtest/gtest.h>

#include "codec/compress/gzip_stream.h"
#include "codec/compress/zstd.h"

namespace tegula::serve {
namespace {

TEST(Answer, Ranges) {
  const struct {
    std::string_view header;
    std::uint64_t size;
    RangeKind kind;
    std::uint64_t first = 0, last = 0;
  } kRows[] = {
      {"bytes=0-9", 100, RangeKind::span, 0, 9},
      {"bytes=90-", 100, RangeKind::span, 90, 99},
      {"bytes=90-500", 100, RangeKind::span, 90, 99},
      {"bytes=-8", 100, RangeKind::span, 92, 99},
      {"bytes=-800", 100, RangeKind::span, 0, 99},
      {"bytes=5-5", 100, RangeKind::span, 5, 5},
      {"bytes=0-99999999999999999999", 100, RangeKind::span, 0, 99},
      {"bytes=-99999999999999999999", 100, RangeKind::span, 0, 99},
      {"bytes=100-", 100, RangeKind::unsatisfiable},
      {"bytes=99999999999999999999-", 100, RangeKind::unsatisfiable},
      {"bytes=-0", 100, RangeKind::unsatisfiable},
      {"bytes=-1", 0, RangeKind::unsatisfiable},
      {"bytes=0-0", 0, RangeKind::unsatisfiable},
      {"bytes=9-0", 100, RangeKind::none},
      {"bytes=0-1,3-4", 100, RangeKind::none},
      {"bytes=", 100, RangeKind::none},
      {"bytes=-", 100, RangeKind::none},
      {"bytes=a-b", 100, RangeKind::none},
      {"bytes=--1", 100, RangeKind::none},
      {"bytes=+1-2", 100, RangeKind::none},
      {"items=0-1", 100, RangeKind::none},
      {"", 100, RangeKind::none},
  };
  for (const auto& row : kRows) {
    const RangeAsked asked = asked_range(row.header, row.size);
    EXPECT_EQ(asked.kind, row.kind) << row.header;
    if (row.kind != RangeKind::span) continue;
    EXPECT_EQ(asked.span.first, row.first) << row.header;
    EXPECT_EQ(asked.span.last, row.last) << row.header;
  }
}

TEST(Answer, Tags) {
  EXPECT_TRUE(lists_tag("\"a\"", "\"a\""));
  EXPECT_TRUE(lists_tag("\"b\" , W/\"a\"", "\"a\""));
  EXPECT_TRUE(lists_tag("*", "\"a\""));
  EXPECT_TRUE(lists_tag("\"a-z\"", "\"a\""));
  EXPECT_FALSE(lists_tag("\"b\", \"c\"", "\"a\""));
  EXPECT_FALSE(lists_tag(",,", "\"a\""));
  EXPECT_FALSE(lists_tag("", "\"a\""));
}

TEST(Answer, Encodings) {
  EXPECT_EQ(best_encoding("gzip, deflate"), "gzip");
  EXPECT_EQ(best_encoding("deflate, gzip;q=0.5, br, zstd"), "zstd");
  EXPECT_EQ(best_encoding("zstd;q=0, gzip"), "gzip");
  EXPECT_EQ(best_encoding("identity"), "");
  EXPECT_EQ(best_encoding(""), "");
}

Request asking(std::vector<std::pair<std::string, std::string>> headers) {
  Request request;
  request.method = "GET";
  request.headers = std::move(headers);
  return request;
}

Answer whole() {
  Answer answer = text_answer(200, std::string(1000, 'x') + "end");
  answer.tag = "\"t\"";
  return answer;
}

std::string header(const Answer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name) return value;
  return "";
}

TEST(Answer, Shapes) {
  Answer part = whole();
  shape_answer(part, asking({{"range", "bytes=-4"}}), true);
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(text_of(part.body), "end\n");
  EXPECT_EQ(header(part, "Content-Range"), "bytes 1000-1003/1004");

  Answer stale = whole();
  shape_answer(stale, asking({{"range", "bytes=-4"}, {"if-range", "\"old\""}}), false);
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.body.size(), 1004u);

  Answer fresh = whole();
  shape_answer(fresh, asking({{"range", "bytes=0-1"}, {"if-range", "\"t\""}}), false);
  EXPECT_EQ(text_of(fresh.body), "xx");

  Answer beyond = whole();
  shape_answer(beyond, asking({{"range", "bytes=2000-"}}), false);
  EXPECT_EQ(beyond.status, 416);
  EXPECT_EQ(header(beyond, "Content-Range"), "bytes */1004");

  // HEAD knows only the length.
  Answer head = whole();
  head.body.clear();
  head.size = 1004;
  shape_answer(head, asking({{"range", "bytes=0-9"}}), true);
  EXPECT_EQ(head.size, 10u);

  Answer zstd = whole();
  shape_answer(zstd, asking({{"accept-encoding", "zstd"}}), true);
  EXPECT_EQ(header(zstd, "Content-Encoding"), "zstd");
  EXPECT_EQ(zstd.tag, "\"t-z\"");
  Bytes raw(1004);
  codec::zstd_decode(zstd.body, raw, {});
  EXPECT_EQ(text_of(raw), text_of(whole().body));

  Answer gzip = whole();
  shape_answer(gzip, asking({{"accept-encoding", "gzip"}}), true);
  Bytes out;
  codec::gzip_decode_stream(gzip.body, out, 1 << 20);
  EXPECT_EQ(text_of(out), text_of(whole().body));
}

TEST(Answer, Conditions) {
  EXPECT_EQ(decided_by_tag(asking({{"if-none-match", "\"t\""}}), "\"t\""), 304);
  EXPECT_EQ(decided_by_tag(asking({{"if-none-match", "\"o\""}}), "\"t\""), std::nullopt);
  EXPECT_EQ(decided_by_tag(asking({{"if-match", "\"o\""}}), "\"t\""), 412);
  EXPECT_EQ(decided_by_tag(asking({{"if-match", "\"t\""}}), "\"t\""), std::nullopt);
  EXPECT_EQ(decided_by_tag(asking({}), "\"t\""), std::nullopt);
}

TEST(Answer, Heads) {
  Answer answer = text_answer(404, "no");
  EXPECT_EQ(head_of(answer, true),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
  answer.status = 304;
  answer.tag = "\"t\"";
  EXPECT_EQ(head_of(answer, false), "HTTP/1.1 304 Not Modified\r\nETag: \"t\"\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace tegula::serve
