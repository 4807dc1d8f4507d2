#include "store/wrap/tracing_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/memory/memory_store.h"

namespace tegula {
namespace {

TEST(TracingStore, OneLinePerRequest) {
  std::vector<std::string> lines;
  const auto store = tracing_store(make_memory_store(), [&](std::string_view line) { lines.emplace_back(line); });
  store->put_text("d/f", "0123");
  Bytes a(3);
  RangeRead reads[] = {{"d/f", 1, a}, {"none", 0, a}};
  store->get(reads);
  store->get("d/f");
  store->size("none");
  store->list("");
  store->remove("d/f");
  const std::vector<std::string> expected = {"write d/f 4 bytes", "read d/f 1+3",     "read none 0+3 absent",
                                             "read d/f 4 bytes",  "size none absent", "list . 1 entries",
                                             "remove d/f"};
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace tegula
