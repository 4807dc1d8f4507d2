#include "store/file/steady_names.h"

#include <gtest/gtest.h>

namespace tegula {
namespace {

using Names = std::vector<std::string>;

// Fragments a, b and c become m; x is written meanwhile.
TEST(SteadyNames, NothingIsMissedWithWhatTookItsPlace) {
  struct Case {
    const char* what;
    std::vector<FolderNames> readings;
    Names expected;
    std::size_t read;
  };
  const Case cases[] = {
      {"a folder that does not change is read once", {{{"b", "a"}, true}}, {"a", "b"}, 1},
      {"an empty one too", {{{}, true}}, {}, 1},
      {"files were added", {{{"a"}, false}, {{"a", "x"}, false}}, {"a", "x"}, 2},
      {"files were removed", {{{"a", "b"}, false}, {{"b"}, false}}, {"a", "b"}, 2},
      {"the first reading missed all of them", {{{}, false}, {{"m"}, false}}, {"m"}, 2},
      {"the second reading missed all of them",
       {{{"a", "b"}, false}, {{"x"}, false}, {{"m", "x"}, false}},
       {"m", "x"},
       3},
      {"the second reading missed some of them",
       {{{"a", "b"}, false}, {{"a", "x"}, false}, {{"m", "x"}, true}},
       {"m", "x"},
       3},
      {"files that are being written do not count",
       {{{".tegula-1", "a"}, false}, {{".tegula-2", "a"}, false}},
       {".tegula-2", "a"},
       2},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    std::size_t read = 0;
    const auto names = steady_names([&] { return c.readings.at(read++); });
    ASSERT_TRUE(names);
    EXPECT_EQ(*names, c.expected);
    EXPECT_EQ(read, c.read);
  }
}

TEST(SteadyNames, AFolderThatNeverComesToRestEnds) {
  int read = 0;
  EXPECT_FALSE(steady_names([&]() -> FolderNames { return {{"f" + std::to_string(read++)}, false}; }));
  EXPECT_LT(read, 100);
}

}  // namespace
}  // namespace tegula
