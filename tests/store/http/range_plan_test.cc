#include "store/http/range_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/expect_error.h"

namespace tegula::http {
namespace {

std::string told(const std::vector<RangeGroup>& requests) {
  std::string out;
  for (const RangeGroup& request : requests) {
    out += fmt::format("{} {}+{}:", request.key, request.offset, request.length);
    for (const std::size_t i : request.reads) out += fmt::format(" {}", i);
    out += "; ";
  }
  return out;
}

struct Wanted {
  const char* key;
  std::uint64_t offset, size;
};

TEST(RangePlan, NearRangesShareARequestAndLargeOnesAreCut) {
  struct {
    std::vector<Wanted> reads;
    std::uint64_t gap, part;
    const char* expected;
  } const cases[] = {
      {{}, 0, 100, ""},
      {{{"a", 0, 10}}, 0, 100, "a 0+10: 0; "},
      {{{"a", 0, 10}, {"a", 10, 5}}, 0, 100, "a 0+15: 0 1; "},
      {{{"a", 0, 10}, {"a", 11, 5}}, 0, 100, "a 0+10: 0; a 11+5: 1; "},
      {{{"a", 0, 10}, {"a", 11, 5}}, 1, 100, "a 0+16: 0 1; "},
      {{{"a", 11, 5}, {"b", 0, 1}, {"a", 0, 10}}, 1, 100, "a 0+16: 2 0; b 0+1: 1; "},
      {{{"a", 0, 25}}, 0, 10, "a 0+10: 0; a 10+10: 0; a 20+5: 0; "},
      {{{"a", 0, 9}, {"a", 12, 9}}, 5, 10, "a 0+9: 0; a 12+8: 1; a 20+1: 1; "},
      {{{"a", 0, 10}, {"a", 2, 3}, {"a", 2, 3}}, 0, 100, "a 0+10: 0 1 2; "},
      {{{"a", 7, 0}}, 0, 100, "a 7+0: 0; "},
      {{{"a", 0, 10}, {"a", 10, 0}, {"a", 0, 0}}, 0, 10, "a 0+10: 0 2 1; "},
      {{{"a", 0, 20}, {"a", 10, 0}}, 0, 10, "a 0+10: 0 1; a 10+10: 0; "},
  };
  for (const auto& test : cases) {
    std::vector<Bytes> room;
    std::vector<RangeRead> reads;
    room.reserve(test.reads.size());
    for (const Wanted& wanted : test.reads) {
      room.emplace_back(wanted.size);
      reads.push_back({wanted.key, wanted.offset, room.back()});
    }
    EXPECT_EQ(told(plan_ranges(reads, test.gap, test.part)), test.expected);
  }
}

TEST(RangePlan, EveryByteIsAskedForOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t gap = random() % 8, part = 1 + random() % 40;
    std::vector<Bytes> room(random() % 12);
    std::vector<RangeRead> reads;
    for (Bytes& bytes : room) {
      bytes.assign(random() % 50, std::byte{0});
      reads.push_back({random() % 2 ? "a" : "b", random() % 200, bytes});
    }
    std::vector<int> seen(reads.size());
    for (const RangeGroup& request : plan_ranges(reads, gap, part)) {
      EXPECT_LE(request.length, part);
      std::uint64_t before = request.offset;
      for (const Piece& piece : request.pieces) {
        EXPECT_GE(piece.offset, before);
        EXPECT_LE(piece.offset + piece.into.size(), request.offset + request.length);
        before = piece.offset;
        for (std::byte& byte : piece.into) byte = static_cast<std::byte>(static_cast<int>(byte) + 1);
      }
      for (const std::size_t i : request.reads) ++seen[i];
    }
    for (std::size_t i = 0; i < reads.size(); ++i) {
      EXPECT_GE(seen[i], 1);
      for (const std::byte byte : reads[i].into) EXPECT_EQ(byte, std::byte{1});
    }
  }
}

TEST(RangePlan, NoFileReachesThere) {
  Bytes bytes(10);
  const RangeRead reads[] = {{"f", 0, bytes}, {"f", UINT64_MAX - 5, bytes}};
  EXPECT_ERROR(corrupt, "f: expected 10 bytes at byte 18446744073709551610, which no file has",
               http::plan_ranges(reads, 0, 4));
}

}  // namespace
}  // namespace tegula::http
