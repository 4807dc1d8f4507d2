#include "query/columns/gather.h"

#include <gtest/gtest.h>

#include "query/make_columns.h"

namespace tegula {
namespace {

TEST(Gather, PicksAndJoins) {
  const Column s = testing::texts("s", TypeId::ascii, {"a", std::nullopt, "ccc", ""});
  const std::uint64_t indices[] = {2, 2, 0};
  const Column gathered = gather(s, indices);
  EXPECT_EQ(text_of(gathered.data), "cccccca");
  const std::uint8_t mask[] = {0, 1, 1, 0};
  const Column kept = filter(s, mask);
  ASSERT_EQ(kept.cells(), 2u);
  EXPECT_FALSE(kept.valid(0));
  EXPECT_EQ(text_of(kept.cell(1)), "ccc");
  Column joined = slice(s, 2, 2);
  append(joined, s, 0, 1);
  EXPECT_EQ(text_of(joined.cell(2)), "a");
  fill_unmatched(joined, std::vector<std::uint8_t>{1, 1, 0}, bytes_of("zz"), true);
  EXPECT_EQ(text_of(joined.cell(2)), "zz");
  const Column odd = testing::numbers<std::array<char, 3>>(
      "o", Datatype(TypeId::bytes, 3), {{'a', 'b', 'c'}, {'d', 'e', 'f'}, {'g', 'h', 'i'}, {'j', 'k', 'l'}});
  EXPECT_EQ(text_of(filter(odd, mask).data), "defghi");
}

}  // namespace
}  // namespace tegula
