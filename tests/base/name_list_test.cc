#include "base/name_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegula {
namespace {

TEST(NameList, OfManyNamesTheFirst) {
  EXPECT_EQ(name_list(std::vector<std::string>{}), "");
  EXPECT_EQ(name_list(std::vector<std::string>{"a", "", "b"}), "'a', '', 'b'");
  const std::string many = name_list(std::vector<std::string>(3000, "name"));
  EXPECT_TRUE(many.ends_with("'name' and 2980 more")) << many;
  EXPECT_LT(many.size(), 200u);
}

}  // namespace
}  // namespace tegula
