#include "format/tiledb/listing/array_listing.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

std::string uuid(char c) { return std::string(32, c); }
std::string fragment(int first, int last, char c, int version) {
  return fmt::format("__{}_{}_{}_{}", first, last, uuid(c), version);
}

class Listing : public ::testing::Test {
 protected:
  void file(const std::string& key, std::string_view text = {}) { store_->put_text(key, text); }
  void modern(const std::string& name) {
    file("__fragments/" + name + "/__fragment_metadata.tdb");
    file("__commits/" + name + ".wrt");
  }
  void flat(const std::string& name) {
    file(name + "/__fragment_metadata.tdb");
    file(name + ".ok");
  }
  std::vector<std::string> names(const TimeWindow& window = {}, bool sparse = true) const {
    std::vector<std::string> out;
    for (const FragmentEntry& entry : visible_fragments(list_array(*store_), window, sparse)) out.push_back(entry.name);
    return out;
  }
  std::shared_ptr<Store> store_ = make_memory_store();
};

using Names = std::vector<std::string>;

TEST_F(Listing, needs_a_schema) {
  file("x");
  EXPECT_ERROR(not_found, "not a TileDB array", list_array(*store_));
}

TEST_F(Listing, all_eras_side_by_side) {
  file("__array_schema.tdb");
  file("__lock.tdb");
  const std::string v2 = "__" + uuid('a') + "_3", v4 = "__4_4_" + uuid('b'), v5 = fragment(5, 5, 'c', 5),
                    v22 = fragment(2, 2, 'd', 22);
  file(v2 + "/__fragment_metadata.tdb");
  file(v4 + "/__fragment_metadata.tdb");
  flat(v5);
  modern(v22);
  file(fragment(6, 6, 'e', 9) + "/__fragment_metadata.tdb");                    // not committed
  file("__fragments/" + fragment(7, 7, 'e', 22) + "/__fragment_metadata.tdb");  // not committed
  file("__8_8_" + uuid('f') + "/a.tdb");                                        // without metadata
  file(fragment(9, 9, 'e', 9) + ".ok");                                         // without a folder
  file("__commits/" + fragment(10, 10, 'e', 9) + ".wrt");                       // the mark of another era
  file("__commits/unknown.xyz");
  file("readme.txt");
  EXPECT_EQ(names(), (Names{v22, v2, v4, v5}));
  EXPECT_EQ(list_array(*store_).fragments[0].folder, "__fragments/" + v22);
  EXPECT_EQ(list_array(*store_).fragments[3].folder, v5);
}

TEST_F(Listing, schemas_by_time) {
  file("__schema/__10_10_" + uuid('a'));
  file("__schema/__20_20_" + uuid('a'));
  file("__schema/__enumerations/__" + uuid('a') + "_0");
  const ArrayListing listing = list_array(*store_);
  ASSERT_EQ(listing.schemas.size(), 2u);
  EXPECT_EQ(schema_at(listing, 5), 0u);  // before there was any: the first
  EXPECT_EQ(schema_at(listing, 10), 0u);
  EXPECT_EQ(schema_at(listing, 19), 0u);
  EXPECT_EQ(schema_at(listing, 20), 1u);
  file("__array_schema.tdb");
  const ArrayListing upgraded = list_array(*store_);
  EXPECT_EQ(upgraded.schemas[0], "__array_schema.tdb");
  EXPECT_EQ(schema_at(upgraded, 5), 0u);
  EXPECT_EQ(schema_at(upgraded, 25), 2u);
}

struct WindowRow {
  const char* name;
  TimeWindow window;
  bool sparse;
  int version;
  bool visible;
};

TEST_F(Listing, windows) {
  const WindowRow rows[] = {
      {"inside", {5, 10}, false, 22, true},
      {"cut, dense", {6, 10}, false, 22, false},
      {"cut, sparse", {6, 10}, true, 22, true},
      {"cut on the right", {0, 9}, true, 22, true},
      {"cut, sparse, version 14", {6, 10}, true, 14, false},
      {"after", {0, 4}, true, 22, false},
      {"before", {11, 20}, true, 22, false},
  };
  for (const WindowRow& row : rows) {
    SCOPED_TRACE(row.name);
    store_ = make_memory_store();
    file("__schema/__1_1_" + uuid('a'));
    modern(fragment(5, 10, 'a', row.version));
    EXPECT_EQ(names(row.window, row.sparse).size(), row.visible ? 1u : 0u);
  }
}

TEST_F(Listing, equal_times_are_ordered_by_name) {
  file("__schema/__1_1_" + uuid('a'));
  const std::string a = fragment(5, 5, 'a', 22), b = fragment(5, 6, 'b', 22), c = fragment(4, 9, 'c', 22);
  for (const std::string& name : {b, c, a}) modern(name);
  EXPECT_EQ(names(), (Names{c, a, b}));
}

TEST_F(Listing, consolidated_commits) {
  file("__schema/__1_1_" + uuid('a'));
  const std::string a = fragment(1, 1, 'a', 22), b = fragment(2, 2, 'b', 22), c = fragment(3, 3, 'c', 22),
                    old = fragment(4, 4, 'd', 6);
  file(old + "/__fragment_metadata.tdb");
  const std::string del = "__commits/" + fragment(5, 5, 'e', 22) + ".del";
  std::string con = "__commits/" + a + ".wrt\n" + del + "\n" + std::string("\x03\0\0\0\0\0\0\0", 8) + "a\nb" +
                    "__commits/" + b + ".wrt\n__commits/" + c + ".wrt\n" + old + ".ok\n";
  const std::string key = "__commits/" + fragment(1, 4, 'f', 22) + ".con";
  file(key, con);
  file("__commits/" + fragment(1, 4, 'f', 22) + ".ign", "__commits/" + b + ".wrt\n__commits/" + c + ".wrt\n");
  file("__commits/" + c + ".wrt");  // a commit file of its own still counts
  EXPECT_EQ(names(), (Names{a, c, old}));
  const ArrayListing listing = list_array(*store_);
  ASSERT_EQ(listing.conditions.size(), 1u);
  EXPECT_EQ(listing.conditions[0].marker, del);
  EXPECT_EQ(listing.conditions[0].time, 5u);
  EXPECT_EQ(listing.conditions[0].place.key, key);
  EXPECT_EQ(con.substr(listing.conditions[0].place.offset, *listing.conditions[0].place.size), "a\nb");
  EXPECT_EQ(visible_conditions(listing, {0, 4}).size(), 0u);
  EXPECT_EQ(visible_conditions(listing, {5, 5}).size(), 1u);
}

TEST_F(Listing, vacuumed_fragments_hide_behind_what_replaced_them) {
  file("__schema/__1_1_" + uuid('a'));
  const std::string a = fragment(1, 1, 'a', 22), b = fragment(2, 2, 'b', 22), both = fragment(1, 2, 'c', 22);
  for (const std::string& name : {a, b, both}) modern(name);
  file("__commits/" + both + ".vac", "/__fragments/" + a + "\nfile:///elsewhere/array/__fragments/" + b + "\n");
  EXPECT_EQ(names(), Names{both});
  EXPECT_EQ(names({0, 2}, false), Names{both});
  EXPECT_EQ(names({0, 1}, false), Names{a});  // the replacement is not seen, so what it replaced is
  EXPECT_EQ(names({0, 1}, true), Names{both});
}

// The array may lie in a folder that has the name of one of its own folders.
TEST_F(Listing, vacuum_lines_of_arrays_below_such_names) {
  file("__schema/__1_1_" + uuid('a'));
  const std::string a = fragment(1, 1, 'a', 16), both = fragment(1, 2, 'c', 16);
  for (const std::string& name : {a, both}) modern(name);
  file("__commits/" + both + ".vac", "file:///b__fragments/__meta/__fragments/array/__fragments/" + a + "\n");
  EXPECT_EQ(names(), Names{both});
}

TEST_F(Listing, damage_is_named) {
  file("__schema/__1_1_" + uuid('a'));
  const std::string key = "__commits/" + fragment(1, 4, 'f', 22) + ".con";
  file(key, "no end of line");
  EXPECT_ERROR(corrupt, "a line that ends", list_array(*store_));
  file(key, "x.del\n" + std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8));
  EXPECT_ERROR(corrupt, "delete condition", list_array(*store_));
}

TEST_F(Listing, keys_of_vacuum_lines) {
  EXPECT_EQ(vacuumed_key("/__fragments/__1_1_a_22"), "__fragments/__1_1_a_22");
  EXPECT_EQ(vacuumed_key("file:///x/__fragments/__1_1_a_12"), "__fragments/__1_1_a_12");
  EXPECT_EQ(vacuumed_key("s3://b/x/__meta/__1_1_a"), "__meta/__1_1_a");
  EXPECT_EQ(vacuumed_key("file:///x/__1_1_a_5"), "__1_1_a_5");
  EXPECT_EQ(vacuumed_key("/__1_1_a_5"), "__1_1_a_5");
  EXPECT_EQ(vacuumed_key("__1_1_a_5"), "__1_1_a_5");
  EXPECT_EQ(vacuumed_key("file:///b__fragments/x/__fragments/__1_1_a_16"), "__fragments/__1_1_a_16");
  EXPECT_EQ(vacuumed_key("file:///__fragments/x/__meta/__1_1_a"), "__meta/__1_1_a");
  EXPECT_EQ(vacuumed_key("file:///my__meta/x/__1_1_a_5"), "__1_1_a_5");
  EXPECT_EQ(vacuumed_key("file:///__meta/__1_1_a_5"), "__1_1_a_5");
  EXPECT_EQ(vacuumed_key("file:///__fragments/__1_1_a_11"), "__1_1_a_11");
}

TEST_F(Listing, costs_a_known_number_of_requests) {
  file("__schema/__1_1_" + uuid('a'));
  for (int i = 0; i < 50; ++i) modern(fragment(i, i, 'a', 22));
  const auto counts = std::make_shared<StoreCounts>();
  list_array(*counting_store(store_, counts));
  EXPECT_EQ(counts->lists.load(), 3u);  // the folder, __schema, __commits
  EXPECT_EQ(counts->reads.load() + counts->sizes.load(), 0u);
}

}  // namespace
}  // namespace tegula::tiledb
