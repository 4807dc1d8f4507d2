#include "tegula/work.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(Size, Parses) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } rows[] = {{"0", 0},          {"1000", 1000}, {"2GB", 2ull << 30}, {"64 KiB", 65536},
              {"1.5m", 3 << 19}, {"7b", 7},      {"1T", 1ull << 40}};
  for (const auto& row : rows) EXPECT_EQ(parse_size(row.text), row.bytes) << row.text;
  for (const char* bad : {"", "GB", "2XB", "-1", "1e30G", "nan", "2GBs", "1 2"})
    EXPECT_ERROR(invalid_argument, "is not a size", parse_size(bad));
}

TEST(Size, Formats) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1536), "1.5 KiB");
  EXPECT_EQ(format_size(1048575), "1.0 MiB");
  EXPECT_EQ(format_size(UINT64_MAX), "16.0 EiB");
}

}  // namespace
}  // namespace tegula
