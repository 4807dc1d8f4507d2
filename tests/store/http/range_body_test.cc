// Which answers to a range are believed.
#include "store/http/range_body.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tegula {
namespace {

const std::string kFile = "0123456789";

struct Case {
  const char* what;
  int status;
  http::Headers headers;
  std::string body;
  const char* found;  // "2345 of 10", "too short, 10", or a part of the problem
};

// bytes=2-5 of ten bytes.
TEST(RangeBody, BelievesContentRange) {
  const Case cases[] = {
      {"right", 206, {{"content-range", "bytes 2-5/10"}}, "2345", "2345 of 10"},
      {"200 with the range", 200, {{"content-range", "bytes 2-5/10"}}, "2345", "2345 of 10"},
      {"the whole file", 200, {{"content-length", "10"}}, kFile, "2345 of 10"},
      {"the whole file, of a length that is not said", 200, {}, kFile, "2345 of ?"},
      {"size unknown", 206, {{"content-range", "bytes 2-5/*"}}, "2345", "2345 of ?"},
      {"206 without a range", 206, {}, "2345", "does not say which range"},
      {"another range", 206, {{"content-range", "bytes 0-3/10"}}, "0123", "the answer has 'bytes 0-3/10'"},
      {"more than asked for", 206, {{"content-range", "bytes 2-9/10"}}, "23456789", "the answer has 'bytes 2-9/10'"},
      {"less, though there is more", 206, {{"content-range", "bytes 2-3/10"}}, "23", "the answer has 'bytes 2-3/10'"},
      {"nonsense", 206, {{"content-range", "bytes 5-2/10"}}, "2345", "the answer has 'bytes 5-2/10'"},
      {"units", 206, {{"content-range", "lines 2-5/10"}}, "2345", "the answer has 'lines 2-5/10'"},
      {"cut", 206, {{"content-range", "bytes 2-5/10"}}, "23", "ends at byte 4"},
      {"cut whole file", 200, {{"content-length", "10"}}, "0123", "ends at byte 4"},
      {"the file ends", 206, {{"content-range", "bytes 2-3/4"}}, "23", "too short, 4"},
      {"the whole file is shorter", 200, {{"content-length", "4"}}, "0123", "too short, 4"},
      {"compressed", 206, {{"content-range", "bytes 2-5/10"}, {"content-encoding", "gzip"}}, "2345", "sent as gzip"},
  };
  for (const Case& c : cases) {
    std::string out = "????";
    http::RangeBody body(2, 4, {{2, std::as_writable_bytes(std::span(out))}});
    // A first try that went wrong leaves nothing behind.
    body.begin(206, {{"content-range", "bytes 2-5/10"}});
    body.take(bytes_of("xx"));
    body.begin(c.status, c.headers);
    for (const char& byte : c.body) body.take(bytes_of(std::string_view(&byte, 1)));
    const std::string size = body.size() ? std::to_string(*body.size()) : "?";
    const std::string found = body.too_short()          ? "too short, " + size
                              : !body.problem().empty() ? body.problem()
                                                        : out + " of " + size;
    EXPECT_NE(found.find(c.found), std::string::npos) << c.what << ": " << found;
    EXPECT_EQ(body.complete(), found.find(" of ") == 4) << c.what;
  }
}

TEST(RangeBody, ScattersPiecesWithGapsAndOverlaps) {
  std::string a = "??", b = "???", c = "????", none;
  http::RangeBody body(1, 8,
                       {{1, std::as_writable_bytes(std::span(a))},
                        {2, std::as_writable_bytes(std::span(b))},
                        {3, std::as_writable_bytes(std::span(none))},
                        {5, std::as_writable_bytes(std::span(c))}});
  body.begin(206, {{"content-range", "bytes 1-8/10"}});
  for (std::size_t at = 1; at < 9; at += 3)
    body.take(bytes_of(std::string_view(kFile).substr(at, std::min<std::size_t>(3, 9 - at))));
  EXPECT_TRUE(body.complete());
  EXPECT_EQ(a + " " + b + " " + c, "12 234 5678");
}

TEST(TailBody, TakesSuffixesAndWholeFiles) {
  const Case cases[] = {
      {"right", 206, {{"content-range", "bytes 6-9/10"}}, "6789", "6789 of 10"},
      {"a small file", 206, {{"content-range", "bytes 0-2/3"}}, "012", "012 of 3"},
      {"whole", 200, {{"content-length", "10"}}, kFile, "6789 of 10"},
      {"whole, chunked", 200, {}, kFile, "6789 of 10"},
      {"empty", 200, {{"content-length", "0"}}, "", " of 0"},
      {"not the end", 206, {{"content-range", "bytes 5-8/10"}}, "5678", "the answer has 'bytes 5-8/10'"},
      {"not all of it", 206, {{"content-range", "bytes 8-9/10"}}, "89", "the answer has 'bytes 8-9/10'"},
      {"cut", 206, {{"content-range", "bytes 6-9/10"}}, "67", "has 2 bytes, expected 4"},
      {"cut whole", 200, {{"content-length", "10"}}, "0123", "has 4 bytes, expected 10"},
      {"206 without a range", 206, {}, "6789", "does not say which range"},
  };
  for (const Case& c : cases) {
    http::TailBody body(4);
    body.begin(206, {{"content-range", "bytes 6-9/10"}});
    body.take(bytes_of("6"));
    body.begin(c.status, c.headers);
    for (const char& byte : c.body) body.take(bytes_of(std::string_view(&byte, 1)));
    const std::uint64_t size = body.size();
    const std::string problem = body.problem();
    const std::string found =
        problem.empty() ? std::string(text_of(body.bytes())) + " of " + std::to_string(size) : problem;
    EXPECT_NE(found.find(c.found), std::string::npos) << c.what << ": " << found;
  }
}

TEST(TailBody, KeepsOnlyTheEndOfALargeFile) {
  http::TailBody body(3);
  body.begin(200, {});
  const std::string block(1 << 16, 'x');
  for (int i = 0; i < 100; ++i) body.take(bytes_of(block));
  body.take(bytes_of("end"));
  EXPECT_EQ(body.size(), 100 * block.size() + 3);
  EXPECT_EQ(text_of(body.bytes()), "end");
}

// Servers that go on and on: what is kept stays small, and the transfer is ended.
TEST(Bodies, WithoutEnd) {
  struct Endless {
    const char* what;
    std::unique_ptr<http::BodySink> body;
    int status;
    http::Headers headers;
    http::Rest rest;
    int takes;  // of 1000 bytes each
  };
  Endless cases[] = {
      {"a range",
       std::make_unique<http::RangeBody>(2, 4, std::vector<http::Piece>()),
       206,
       {{"content-range", "bytes 2-5/10"}},
       http::Rest::unwanted,
       1},
      {"a whole file for a range",
       std::make_unique<http::RangeBody>(1500, 400, std::vector<http::Piece>()),
       200,
       {},
       http::Rest::unwanted,
       2},
      {"another range",
       std::make_unique<http::RangeBody>(2, 4, std::vector<http::Piece>()),
       206,
       {{"content-range", "bytes 0-3/10"}},
       http::Rest::unwanted,
       1},
      {"an end",
       std::make_unique<http::TailBody>(10),
       206,
       {{"content-range", "bytes 90-99/100"}},
       http::Rest::unwanted,
       1},
      {"a whole file", std::make_unique<http::TailBody>(UINT64_MAX, 5500), 200, {}, http::Rest::too_large, 6},
      {"a range for a whole file",
       std::make_unique<http::TailBody>(UINT64_MAX, 5500),
       206,
       {{"content-range", "bytes 0-999999/1000000"}},
       http::Rest::too_large,
       6},
  };
  for (Endless& c : cases) {
    c.body->begin(c.status, c.headers);
    int takes = 0;
    for (; takes < 100 && c.body->rest() == http::Rest::wanted; ++takes) c.body->take(Bytes(1000));
    // What cannot be used is known before the first byte.
    EXPECT_LE(takes, c.takes) << c.what;
    EXPECT_EQ(c.body->rest(), c.rest) << c.what;
  }
  http::TailBody end(10);
  end.begin(206, {{"content-range", "bytes 90-99/100"}});
  end.take(Bytes(11));
  EXPECT_NE(end.problem().find("longer than the 10 bytes"), std::string::npos) << end.problem();
}

}  // namespace
}  // namespace tegula
