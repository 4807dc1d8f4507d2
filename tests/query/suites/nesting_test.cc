// Conditions as long and as deep as somebody may write them: long ones work, in time and memory that grow with their
// length; deep ones are refused; and what is accepted needs little of a thread's stack.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "query/condition/condition.h"
#include "query/make_columns.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The mask of three cells, a = 0, 1, 2.
std::string matches(const std::string& text) {
  Batch batch;
  batch.cells = 3;
  batch.columns = {testing::numbers<std::int64_t>("a", TypeId::int64, {0, 1, 2})};
  std::vector<std::uint8_t> mask;
  Condition::bind(text, testing::infos(batch), Rules::numpy).evaluate(batch, mask);
  std::string out;
  for (const std::uint8_t m : mask) out += m ? '1' : '0';
  return out;
}

TEST(Nesting, LongChainsWork) {
  constexpr std::size_t kMany = 100000;
  std::string list = "a in [1";
  for (std::size_t i = 3; i < kMany; ++i) list += "," + std::to_string(i);
  const std::pair<std::string, const char*> kCases[] = {
      {"a == 9" + repeated(" or a == 2", kMany), "001"},
      {"a >= 1" + repeated(" and a < 2", kMany), "010"},
      {"(a == 9)" + repeated(" | (a == 2)", kMany), "001"},
      {"a" + repeated(" + a", kMany) + " == 100001", "010"},
      {"200002 == a" + repeated(" + a", kMany), "001"},
      {"1" + repeated(" + 1", kMany) + " == a + 100000", "010"},
      {"a" + repeated(" * 1", kMany) + " - 1 == 1", "001"},
      {"5 - a" + repeated(" - 1 + 1", kMany) + " == 4 - (a - a)", "010"},
      {"0 <= a" + repeated(" <= a", kMany), "111"},
      {list + "]", "010"},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(matches(text), expected) << text.substr(0, 40);
}

TEST(Nesting, DeepOnesAreRefused) {
  constexpr std::size_t kMany = 100000;
  for (const std::string& text :
       {repeated("(", kMany) + "a == 1" + repeated(")", kMany), repeated("not ", kMany) + "a == 1",
        repeated("~", kMany) + "(a == 1)", "a == " + repeated("-", kMany) + "a", "a == a" + repeated(" ** a", kMany),
        "a == " + repeated("(a + ", kMany) + "a" + repeated(")", kMany), repeated("val(", kMany)})
    EXPECT_ERROR(invalid_argument, "nested too deeply", matches(text));
}

TEST(Nesting, StoredTreesAreLimited) {
  ConditionTree tree;
  tree.field = "a";
  tree.value.resize(8);
  for (int i = 0; i < 1000; ++i) {
    ConditionTree above;
    above.kind = ConditionTree::Kind::all;
    above.children.push_back(std::move(tree));
    tree = std::move(above);
  }
  const std::vector<FieldInfo> fields{{"a", TypeId::int64, 1, false, false, nullptr}};
  EXPECT_ERROR(corrupt, "nested deeper", Condition::from_tree(tree, fields));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStack = 8 << 20;
#elif defined(__has_feature)
constexpr std::size_t kStack = 8 << 20;
#else
constexpr std::size_t kStack = 512 << 10;  // what threads get on macOS
#endif

void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Nesting, WhatIsAcceptedFitsASmallStack) {
  constexpr std::size_t kDeep = 95;  // below the limits, so that each of these works
  const std::pair<std::string, const char*> kCases[] = {
      {repeated("(", 2 * kDeep) + "a == 1" + repeated(")", 2 * kDeep), "010"},
      {repeated("not ", 2 * kDeep) + "a == 1", "010"},
      {"a == " + repeated("(0 + a - ", 2 * kDeep) + "a" + repeated(")", 2 * kDeep), "111"},
      {repeated("(a == 0 or a == 1 and ", 2 * kDeep) + "a == a" + repeated(")", 2 * kDeep), "110"},
  };
  on_small_stack([&] {
    for (const auto& [text, expected] : kCases) EXPECT_EQ(matches(text), expected) << text.substr(0, 40);
  });
}

}  // namespace
}  // namespace tegula
