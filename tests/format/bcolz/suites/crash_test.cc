// The process dies at every change of the store in turn: what is there then opens as before or as after.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "format/bcolz/fixtures.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/forgetting_store.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {
namespace {

struct Change {
  const char* name;
  bool table;
  std::function<void(Array&)> run;
};

void write_rows(Array& array, const char* selection, const std::string& field) {
  const Selection rows = parse_selection(selection);
  const std::vector<std::uint64_t> shape = resolve(rows, array.schema().shape()).shape();
  const std::vector<std::int32_t> values(cell_count(shape), -1);
  array.write(rows, field, {reinterpret_cast<const std::byte*>(values.data()), shape, contiguous_strides(shape, 4)});
}

const Change kChanges[] = {
    {"append within a chunk", false, [](Array& a) { a.append({{column<std::int32_t>("", "int32", {1, 2})}, 0, {}}); }},
    {"append across chunks", false,
     [](Array& a) { a.append({{column("", "int32", std::vector<std::int32_t>(20, 5))}, 0, {}}); }},
    {"resize up", false, [](Array& a) { a.resize({40}); }},
    {"trim within a chunk", false, [](Array& a) { a.resize({18}); }},
    {"trim across chunks", false, [](Array& a) { a.resize({3}); }},
    {"trim to a border", false, [](Array& a) { a.resize({12}); }},
    {"trim everything", false, [](Array& a) { a.resize({0}); }},
    {"set in one chunk", false, [](Array& a) { write_rows(a, "[1:3]", ""); }},
    {"set in several chunks", false, [](Array& a) { write_rows(a, "[2:20:2]", ""); }},
    {"set everything", false, [](Array& a) { write_rows(a, "[:]", ""); }},
    {"attributes", false,
     [](Array& a) { a.update_metadata({{"x", MetaValue{TypeId::int8, 1, bytes_from<std::int8_t>({1}), false}}}); }},
    {"append to a table", true, [](Array& a) { a.append(table_rows(19, 11)); }},
    {"trim a table", true, [](Array& a) { a.resize({4}); }},
    {"resize a table up", true, [](Array& a) { a.resize({33}); }},
    {"set a column", true, [](Array& a) { write_rows(a, "[3:17]", "k"); }},
    {"add a column", true, [](Array& a) { add_column(a, attribute("n", "int64"), {}); }},
    {"drop a column", true, [](Array& a) { drop_column(a, "k"); }},
    {"rename a column", true, [](Array& a) { rename_column(a, "f", "g"); }},
};

std::shared_ptr<Store> start(bool table) {
  const std::shared_ptr<Store> store = make_memory_store();
  if (table) {
    create(store, table_schema(6))->append(table_rows(0, 19));
  } else {
    std::vector<std::int32_t> values(19);
    for (int i = 0; i < 19; ++i) values[static_cast<std::size_t>(i)] = i * 100;
    create(store, carray_schema("int32", 6))->append({{column("", "int32", values)}, 0, {}});
  }
  return store;
}

std::string seen(const std::shared_ptr<Store>& store) {
  const auto array = open(store);
  std::string out = all_of(*array);
  for (const auto& [key, value] : array->metadata()) out += key;
  return out;
}

void expect_only_notes(const std::shared_ptr<Store>& store) {
  for (const Problem& problem : open(store)->verify())
    EXPECT_EQ(problem.severity, Problem::Severity::note) << problem.file << ": " << problem.text;
}

TEST(Crash, EveryStepOfEveryChange) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    const std::shared_ptr<Store> whole = start(change.table);
    const std::string before = seen(whole);
    change.run(*open(whole));
    const std::string after = seen(whole);
    ASSERT_NE(before, after);
    const auto count = std::make_shared<FaultPlan>();
    change.run(*open(failing_store(start(change.table), count)));
    bool was_before = false;
    for (std::uint64_t step = 0; step < 2 * count->changes; ++step) {
      const std::shared_ptr<Store> store = start(change.table);
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = step / 2;
      plan->done = step % 2;
      SCOPED_TRACE(fmt::format("killed at change {}{}", plan->at, plan->done ? ", which was done" : ""));
      const auto array = open(failing_store(store, plan));
      EXPECT_THROW(change.run(*array), Error);
      const std::string now = seen(store);
      EXPECT_TRUE(now == before || now == after);
      was_before |= now == before;
      EXPECT_EQ(all_of(*array), all_of(*open(store))) << "the handle that failed shows something else than a fresh one";
      if (!change.table) expect_only_notes(store);

      const auto again = open(store);
      const std::uint64_t rows = again->schema().shape()[0];
      again->resize({rows + 1});
      again->resize({rows});
      EXPECT_EQ(seen(store), now) << "after the next writes";
      expect_only_notes(store);
    }
    EXPECT_TRUE(was_before);
  }
}

// Which of the changes that are not durable yet a power cut undoes.
const std::function<bool(std::string_view)> kLost[] = {
    [](std::string_view) { return true; },
    [](std::string_view key) { return std::hash<std::string_view>()(key) % 2 == 0; },
    [](std::string_view key) { return std::hash<std::string_view>()(key) % 2 == 1; },
};

TEST(Crash, PowerCutsAtEveryStepOfEveryChange) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    const std::shared_ptr<Store> whole = start(change.table);
    const std::string before = seen(whole);
    const auto count = std::make_shared<FaultPlan>();
    change.run(*open(failing_store(whole, count)));
    const std::string after = seen(whole);
    for (std::uint64_t step = 0; step <= count->changes; ++step)
      for (const auto& lost : kLost) {
        SCOPED_TRACE(fmt::format("cut at change {}", step));
        const std::shared_ptr<Store> store = start(change.table);
        const auto unsynced = std::make_shared<UnsyncedChanges>();
        const auto plan = std::make_shared<FaultPlan>();
        plan->at = step;
        try {
          change.run(*open(failing_store(forgetting_store(store, unsynced), plan)));
        } catch (const Error&) {
        }
        unsynced->cut_power(*store, lost);
        const std::string now = seen(store);
        EXPECT_TRUE(now == after || (now == before && step < count->changes)) << "a change that returned is durable";
      }
  }
}

// What was there, all of it, or nothing that opens.
TEST(Crash, PowerCutsWhileATableIsOverwritten) {
  const std::string before = seen(start(true));
  for (std::uint64_t at = 0; at < 30; ++at)
    for (const auto& lost : kLost) {
      SCOPED_TRACE(fmt::format("cut at change {}", at));
      const std::shared_ptr<Store> store = start(true);
      const auto unsynced = std::make_shared<UnsyncedChanges>();
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      CreateOptions options;
      options.overwrite = true;
      try {
        kBcolzDriver.create(failing_store(forgetting_store(store, unsynced), plan), table_schema(6), options);
      } catch (const Error&) {
      }
      unsynced->cut_power(*store, lost);
      try {
        const std::shared_ptr<Array> array = open(store);
        EXPECT_TRUE(array->schema().shape()[0] == 0 || seen(store) == before);
      } catch (const Error&) {
      }
    }
}

TEST(Crash, CreationLeavesNothingThatOpensHalf) {
  for (std::uint64_t at = 0;; ++at) {
    const std::shared_ptr<Store> store = make_memory_store();
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = at;
    try {
      create(failing_store(store, plan), table_schema(6));
      EXPECT_GT(at, 5u);
      break;
    } catch (const Error&) {
    }
    EXPECT_THROW(open(store), Error);
  }
}

TEST(Crash, AChangeOfSeveralChunksGivesWayToALaterOneByOthers) {
  const std::shared_ptr<Store> store = start(false);
  const auto plan = std::make_shared<FaultPlan>();
  plan->at = 6;  // four files and "commit" are written, one is copied
  EXPECT_THROW(write_rows(*open(failing_store(store, plan)), "[:]", ""), Error);
  EXPECT_EQ(values_of<std::int32_t>(*open(store)), std::vector<std::int32_t>(19, -1));
  // bcolz rewrites a chunk that was not copied yet.
  const std::shared_ptr<Store> other = start(false);
  open(other)->resize({18});
  store->put("data/__3.blp", *other->get("data/__2.blp"));
  store->put("data/__2.blp", *other->get("data/__0.blp"));
  EXPECT_EQ(values_of<std::int32_t>(*open(store), "[12:14]"), (std::vector<std::int32_t>{0, 100}));
}

}  // namespace
}  // namespace tegula::bcolz
