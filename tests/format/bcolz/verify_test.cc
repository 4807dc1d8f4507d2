#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "format/bcolz/fixtures.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {
namespace {

std::shared_ptr<Store> carray_of_20() {
  const std::shared_ptr<Store> store = make_memory_store();
  create(store, carray_schema("int32", 6))->append({{column("", "int32", std::vector<std::int32_t>(20, 3))}, 0, {}});
  return store;
}

std::size_t damages(const std::vector<Problem>& problems) {
  return static_cast<std::size_t>(std::count_if(
      problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Problem::Severity::damage; }));
}

TEST(Verify, FindsWhatIsWrong) {
  struct Row {
    const char* name;
    std::function<void(Store&)> spoil;
    const char* file;
    std::size_t damages;
    std::uint64_t rows_after_repair;
  };
  const auto cut = [](Store& store, const char* key, std::size_t size) {
    Bytes file = *store.get(key);
    file.resize(size);
    store.put(key, file);
  };
  const Row rows[] = {
      {"sound", [](Store&) {}, "", 0, 20},
      {"last chunk missing", [](Store& s) { s.remove("data/__3.blp"); }, "meta/sizes", 1, 18},
      {"two missing", [](Store& s) { s.remove("data/__3.blp"), s.remove("data/__2.blp"); }, "meta/sizes", 1, 12},
      {"all missing", [](Store& s) { s.remove_tree("data"); }, "meta/sizes", 1, 0},
      {"last chunk cut", [&](Store& s) { cut(s, "data/__3.blp", 30); }, "meta/sizes", 1, 18},
      {"hole", [](Store& s) { s.remove("data/__1.blp"); }, "data/__1.blp", 1, 20},
      {"cut in the middle", [&](Store& s) { cut(s, "data/__1.blp", 20); }, "data/__1.blp", 1, 20},
      {"attributes", [](Store& s) { s.put_text("__attrs__", "{"); }, "__attrs__", 1, 20},
      {"surplus chunk", [](Store& s) { s.put("data/__9.blp", *s.get("data/__0.blp")); }, "data/__9.blp", 0, 20},
      {"stranger", [](Store& s) { s.put_text("data/notes.txt", "x"); }, "data/notes.txt", 0, 20},
      {"longer than files",
       [](Store& s) { s.put_text("meta/sizes", "{\"shape\": [999999999999], \"nbytes\": 0, \"cbytes\": 0}\n"); },
       "meta/sizes", 1, 18},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::shared_ptr<Store> store = carray_of_20();
    row.spoil(*store);
    const std::vector<Problem> problems = open(store)->verify();
    EXPECT_EQ(damages(problems), row.damages);
    EXPECT_EQ(problems.empty(), *row.file == '\0');
    if (!problems.empty()) {
      EXPECT_NE(problems[0].file.find(row.file), std::string::npos) << problems[0].file << ": " << problems[0].text;
    }
    const auto array = open(store);
    repair(*array);
    EXPECT_EQ(array->schema().shape()[0], row.rows_after_repair);
    EXPECT_EQ(open(store)->schema().shape()[0], row.rows_after_repair);
  }
}

TEST(Verify, ColumnsAreMadeEqual) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto table = create(store, table_schema(6));
  table->append(table_rows(0, 10));
  const Bytes old_sizes = *store->get("f/meta/sizes");
  table->append(table_rows(10, 7));
  store->put("f/meta/sizes", old_sizes);

  const auto torn = open(store);
  EXPECT_EQ(torn->schema().shape()[0], 10u);
  EXPECT_EQ(damages(torn->verify()), 2u);
  const std::vector<Problem> done = repair(*torn);
  EXPECT_EQ(damages(done), 0u);
  EXPECT_EQ(damages(open(store)->verify()), 0u);
  EXPECT_NE(text_of(*store->get("k/meta/sizes")).find("[10]"), std::string_view::npos);
  const auto expected = create(make_memory_store(), table_schema(6));
  expected->append(table_rows(0, 10));
  EXPECT_EQ(all_of(*open(store)), all_of(*expected));
}

TEST(Verify, ATornTableIsGoneOnWith) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto table = create(store, table_schema(6));
  table->append(table_rows(0, 10));
  const Bytes old_sizes = *store->get("f/meta/sizes");
  table->append(table_rows(10, 7));
  store->put("f/meta/sizes", old_sizes);
  // Fewer rows than the longer columns have.
  open(store)->append(table_rows(10, 2));
  EXPECT_TRUE(damages(open(store)->verify()) == 0);
  const auto expected = create(make_memory_store(), table_schema(6));
  expected->append(table_rows(0, 12));
  EXPECT_EQ(all_of(*open(store)), all_of(*expected));
}

TEST(Verify, TornTablesSaySo) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto table = create(store, table_schema(6));
  table->append(table_rows(0, 10));
  EXPECT_EQ(torn_rows(*open(store)), "");
  const Bytes old_sizes = *store->get("f/meta/sizes");
  table->append(table_rows(10, 7));
  store->put("f/meta/sizes", old_sizes);
  const std::string torn = torn_rows(*open(store));
  EXPECT_NE(torn.find("all columns have 10 rows"), std::string::npos) << torn;
  EXPECT_NE(torn.find("(17)"), std::string::npos) << torn;
}

TEST(Verify, DamageInABlockIsFound) {
  const std::shared_ptr<Store> store = make_memory_store();
  Schema schema = carray_schema("int32", 20000);
  schema.attributes[0].filters = {{"blosc", {{"cname", "zlib"}}}};
  std::vector<std::int32_t> values(40000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * i);
  create(store, schema)->append({{column("", "int32", values)}, 0, {}});
  Bytes file = *store->get("data/__1.blp");
  file[file.size() - 40] ^= std::byte{0x55};
  store->put("data/__1.blp", file);
  const std::vector<Problem> problems = open(store)->verify();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].file.find("__1.blp"), std::string::npos);
}

}  // namespace
}  // namespace tegula::bcolz
