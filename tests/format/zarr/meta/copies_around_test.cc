#include "format/zarr/meta/copies_around.h"

#include <fmt/format.h>

#include <thread>

#include "base/json.h"
#include "format/zarr/meta/consolidated.h"
#include "format/zarr/numbers_array.h"
#include "format/zarr/other_machine.h"
#include "store/file/file_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/sub_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

using zarr::kZarrDriver;
using StorePtr = std::shared_ptr<Store>;

std::map<std::string, std::optional<MetaValue>> attribute(const std::string& name, const std::string& json) {
  MetaValue value;
  value.json = true;
  value.data = copy_of(bytes_of(json));
  return {{name, value}};
}

StorePtr below(const StorePtr& root, const std::string& path) { return path.empty() ? root : sub_store(root, path); }

std::shared_ptr<Array> make_array(const std::string& format, const StorePtr& store, std::uint64_t cells = 4,
                                  bool overwrite = false) {
  CreateOptions options;
  options.overwrite = overwrite;
  return kZarrDriver.create(store, schema_of({format, {cells}, {2}, {}}), options);
}

// Groups "" and "g", both with consolidated metadata, and arrays "g/a" and "g/sub/b".
StorePtr make_hierarchy(const std::string& format, StorePtr root = make_memory_store()) {
  for (const char* path : {"", "g", "g/sub"}) kZarrDriver.create_group(below(root, path), format, {});
  make_array(format, below(root, "g/a"));
  make_array(format, below(root, "g/sub/b"));
  for (const char* path : {"g", ""}) kZarrDriver.open_group(below(root, path), {})->consolidate();
  return root;
}

// What the copies of the groups have wrong.
std::string stale(const StorePtr& root) {
  std::string text;
  for (const char* path : {"", "g"}) {
    if (kZarrDriver.probe(*below(root, path)).kind != ObjectKind::group) continue;
    for (const Problem& problem : kZarrDriver.open_group(below(root, path), {})->verify())
      text += fmt::format("'{}': {}\n", path, problem.text);
  }
  return text;
}

std::string copies_of(const Store& root, const std::string& format) {
  return std::string(text_of(root.get(format == "zarr2" ? ".zmetadata" : "zarr.json").value()));
}

struct Change {
  const char* name;
  std::function<void(const StorePtr& root, const std::string& format)> run;
};

const Change kChanges[] = {
    {"append", [](auto& root, auto&) { reopen(below(root, "g/a"))->append(rows({1, 2, 3})); }},
    {"append_two_levels_down", [](auto& root, auto&) { reopen(below(root, "g/sub/b"))->append(rows({1})); }},
    {"grow", [](auto& root, auto&) { reopen(below(root, "g/a"))->resize({9}); }},
    {"shrink", [](auto& root, auto&) { reopen(below(root, "g/a"))->resize({1}); }},
    {"attributes_of_an_array",
     [](auto& root, auto&) { reopen(below(root, "g/a"))->update_metadata(attribute("unit", "\"K\"")); }},
    {"attributes_of_a_group",
     [](auto& root, auto&) {
       kZarrDriver.open_group(below(root, "g/sub"), {})->update_metadata(attribute("n", "[1, NaN]"));
     }},
    {"attributes_of_a_consolidated_group",
     [](auto& root, auto&) { kZarrDriver.open_group(below(root, "g"), {})->update_metadata(attribute("n", "2")); }},
    {"attributes_of_the_root",
     [](auto& root, auto&) { kZarrDriver.open_group(root, {})->update_metadata(attribute("n", "3")); }},
    {"new_array", [](auto& root, auto& format) { make_array(format, below(root, "g/new")); }},
    {"new_array_in_new_groups", [](auto& root, auto& format) { make_array(format, below(root, "g/p/q/r")); }},
    {"new_group", [](auto& root, auto& format) { kZarrDriver.create_group(below(root, "g/h"), format, {}); }},
    {"array_overwritten", [](auto& root, auto& format) { make_array(format, below(root, "g/a"), 7, true); }},
    {"group_overwritten_by_an_array",
     [](auto& root, auto& format) { make_array(format, below(root, "g/sub"), 7, true); }},
};

TEST(CopiesOfNodes, DoNotKnowWhatIsUnfinished) {
  const StorePtr root = make_hierarchy("zarr3");
  make_array("zarr3", below(root, "g/.tegula-new"));
  EXPECT_EQ(stale(root), "");
  // By a rename.
  for (const ListedFile& file : root->list_all("g/.tegula-new").files) {
    root->put("g/placed" + file.key.substr(13), root->get(file.key).value());
    root->remove(file.key);
  }
  root->remove_tree("g/a");
  EXPECT_NE(stale(root), "");
  for (const char* path : {"g/placed", "g/a"}) kZarrDriver.placed(below(root, path));
  EXPECT_EQ(stale(root), "");
}

class CopiesAround : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, CopiesAround, ::testing::Values("zarr2", "zarr3"));

TEST_P(CopiesAround, StayInStepWithEveryChange) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    const StorePtr root = make_hierarchy(GetParam());
    ASSERT_EQ(stale(root), "");
    const std::string before = copies_of(*root, GetParam());
    change.run(root, GetParam());
    EXPECT_EQ(stale(root), "");
    EXPECT_NE(copies_of(*root, GetParam()), before);
  }
}

// The same through the own path of the array, and with paths that are written in other ways.
TEST_P(CopiesAround, StayInStepOnFilesHoweverTheArrayIsNamed) {
  const TempFolder folder;
  StoreOptions options;
  options.sync = false;
  make_hierarchy(GetParam(), open_file_store(folder / "root", options));
  const StorePtr root = open_file_store(folder / "root", options);
  std::int32_t next = 0;
  for (const char* path : {"root/g/a", "root/g/a/", "root/g/../g/./a"}) {
    reopen(open_file_store(folder / path, options))->append(rows({++next}));
    EXPECT_EQ(stale(root), "") << path;
  }
  EXPECT_EQ(reopen(open_file_store(folder / "root/g/a"))->schema().shape(), Shape{7});
}

TEST_P(CopiesAround, AreLeftAloneWhereThereAreNone) {
  const auto root = make_memory_store();
  kZarrDriver.create_group(root, GetParam(), {});
  make_array(GetParam(), below(root, "a"))->append(rows({1}));
  EXPECT_FALSE(root->has(".zmetadata"));
  if (root->has("zarr.json")) {
    EXPECT_EQ(copies_of(*root, "zarr3").find("consolidated"), std::string::npos);
  }
}

// After every stop tegula reads the array before or after the change and the right members; what the copies lack is
// noted, and one consolidate() brings them in step.
TEST_P(CopiesAround, StopsLeaveDocumentsThatAreRight) {
  for (const Change& change : kChanges)
    for (std::uint64_t at = 0;; ++at) {
      SCOPED_TRACE(fmt::format("{} stopped at {}", change.name, at));
      const StorePtr files = make_hierarchy(GetParam());
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      bool stopped = false;
      try {
        change.run(failing_store(files, plan), GetParam());
      } catch (const Error&) {
        stopped = true;
      }
      for (const char* path : {"", "g"}) {
        const auto group = kZarrDriver.open_group(below(files, path), {});
        for (const Member& member : group->members())
          EXPECT_NE(kZarrDriver.probe(*below(below(files, path), member.name)).kind, ObjectKind::none) << member.name;
        group->consolidate();
      }
      EXPECT_EQ(stale(files), "");
      if (!stopped) break;
      ASSERT_LT(at, 100u);
    }
}

TEST_P(CopiesAround, AreBroughtInStepByTheNextChange) {
  const StorePtr root = make_hierarchy(GetParam());
  const std::string file(zarr::file_of_copies(GetParam()[4] - '0'));
  const Bytes old = root->get(file).value();
  reopen(below(root, "g/a"))->append(rows({1}));
  root->put(file, old);
  EXPECT_NE(stale(root), "");
  EXPECT_EQ(reopen(below(root, "g/a"))->verify().size(), 1u);
  reopen(below(root, "g/a"))->append(rows({2}));
  EXPECT_EQ(stale(root), "");
  EXPECT_TRUE(reopen(below(root, "g/a"))->verify().empty());
}

TEST_P(CopiesAround, ThatCannotBeReadStopAChangeBeforeItIsMade) {
  const StorePtr root = make_hierarchy(GetParam());
  root->put_text(zarr::file_of_copies(GetParam()[4] - '0'), "{ damaged");
  EXPECT_THROW(reopen(below(root, "g/a"))->append(rows({1})), Error);
  EXPECT_EQ(reopen(below(root, "g/a"))->schema().shape(), Shape{4});
  EXPECT_EQ(reopen(below(root, "g/a"))->verify().size(), 1u);
}

TEST_P(CopiesAround, LoseNothingOfSeveralWriters) {
  const StorePtr files = make_hierarchy(GetParam());
  constexpr int kWriters = 4, kArrays = 6;
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; ++t)
    threads.emplace_back([&, t] {
      const StorePtr root = std::make_shared<OtherMachine>(files, t);
      for (int i = 0; i < kArrays; ++i) {
        const auto array = make_array(GetParam(), below(root, fmt::format("g/new_{}_{}", t, i)));
        array->append(rows({1, 2}));
        array->update_metadata(attribute("writer", std::to_string(t)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stale(files), "");
  EXPECT_EQ(kZarrDriver.open_group(below(files, "g"), {})->members().size(), 2u + kWriters * kArrays);
}

// Somebody who finds no copies yet changes a document while they are made.
class Meanwhile final : public WrappedStore {
 public:
  Meanwhile(StorePtr store, std::function<void()> act) : WrappedStore(std::move(store)), act_(std::move(act)) {}
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    if (act_) std::exchange(act_, nullptr)();
    return store_->put_if(key, parts, state);
  }

 private:
  std::function<void()> act_;
};

TEST_P(CopiesAround, AreRightWhenDocumentsChangeWhileTheyAreMade) {
  const auto files = make_memory_store();
  kZarrDriver.create_group(files, GetParam(), {});
  make_array(GetParam(), below(files, "a"));
  const auto store = std::make_shared<Meanwhile>(files, [&] { reopen(below(files, "a"))->append(rows({1, 2, 3})); });
  kZarrDriver.open_group(store, {})->consolidate();
  EXPECT_EQ(stale(files), "");
}

TEST_P(CopiesAround, GroupsAreMadeBetweenAGroupAndANewArray) {
  const auto root = make_memory_store();
  make_array(GetParam(), below(root, "no/group/around"));
  EXPECT_EQ(zarr::folders_around(*below(root, "no/group/around")).size(), 3u);
  EXPECT_FALSE(root->has(join("no", GetParam()[4] == '2' ? ".zgroup" : "zarr.json")));
  kZarrDriver.create_group(below(root, "g"), GetParam(), {});
  make_array(GetParam(), below(root, "g/p/q/r"));
  for (const char* path : {"g/p", "g/p/q"}) {
    const auto group = kZarrDriver.open_group(below(root, path), {});
    group->update_metadata(attribute("n", "1"));  // a plain folder has none
    EXPECT_EQ(group->members().size(), 1u);
  }
}

}  // namespace
}  // namespace tegula::testing
