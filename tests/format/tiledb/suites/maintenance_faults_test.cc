// A stop at every single change of a consolidation or a vacuum: readers see the same cells, and the next run ends the
// work.
#include <gtest/gtest.h>

#include <thread>

#include "format/tiledb/maintain_support.h"
#include "format/tiledb/read/array_contents.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

struct Operation {
  std::string name;
  std::uint32_t since;
  std::function<void(Array&)> prepare, change;
};

ConsolidateOptions merging(Part part) {
  ConsolidateOptions options;
  options.part = part;
  return options;
}
VacuumOptions vacuuming(Part part) {
  VacuumOptions options;
  options.part = part;
  return options;
}

std::vector<Operation> operations(bool sparse) {
  const auto nothing = [](Array&) {};
  const auto merge = [](Array& array) { consolidate(array); };
  const auto merge_part = [](Part part) { return [part](Array& array) { consolidate(array, merging(part)); }; };
  const auto clean = [](Part part) { return [part](Array& array) { vacuum(array, vacuuming(part)); }; };
  ConsolidateOptions split;
  split.max_fragment_size = 400;
  std::vector<Operation> all{
      {"consolidate", 3, nothing, merge},
      {"split", 12, nothing, [=](Array& array) { consolidate(array, split); }},
      {"vacuum", 5, merge, clean(Part::fragments)},
      {"vacuum committed together", 12,
       [=](Array& array) {
         consolidate(array, split);
         vacuum(array);
         consolidate(array);
       },
       clean(Part::fragments)},
      {"vacuum two rounds", 5,
       [=](Array& array) {
         ConsolidateOptions some;
         some.at = {{0, 20}};
         consolidate(array, some);
         consolidate(array);
       },
       clean(Part::fragments)},
      {"consolidate footers", 5, nothing, merge_part(Part::fragment_metadata)},
      {"vacuum footers", 5,
       [=](Array& array) {
         merge_part(Part::fragment_metadata)(array);
         merge_part(Part::fragment_metadata)(array);
       },
       clean(Part::fragment_metadata)},
      {"consolidate commits", 12, nothing, merge_part(Part::commits)},
      {"vacuum commits", 12, merge_part(Part::commits), clean(Part::commits)},
      {"vacuum commits of removed fragments", 12,
       [=](Array& array) {
         merge_part(Part::commits)(array);
         merge(array);
         vacuum(array);
         merge_part(Part::commits)(array);
       },
       clean(Part::commits)},
      {"vacuum fragments in a file of commits", 12,
       [=](Array& array) {
         merge_part(Part::commits)(array);
         vacuum(array, vacuuming(Part::commits));
         merge(array);
       },
       clean(Part::fragments)},
      {"consolidate metadata", 4, nothing, merge_part(Part::array_metadata)},
      {"vacuum metadata", 5, merge_part(Part::array_metadata), clean(Part::array_metadata)},
  };
  if (sparse)
    all.push_back({"purge", 16, [](Array& array) { delete_cells(array, "a > 50", at(60)); },
                   [](Array& array) {
                     ConsolidateOptions purge;
                     purge.purge_deleted = true;
                     consolidate(array, purge);
                   }});
  return all;
}

struct Kind {
  const char* name;
  bool sparse, duplicates;
  std::vector<std::uint32_t> versions;
};

Schema small(const Kind& kind) {
  Schema schema =
      make_schema(kind.sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                  {attribute("a", TypeId::int32), attribute("s", TypeId::ascii, kVar)});
  schema.allows_duplicates = kind.duplicates;
  schema.capacity = 8;
  return schema;
}

void fill(const std::shared_ptr<Store>& store, const Kind& kind, std::uint32_t version) {
  CreateOptions options;
  options.format_version = version;
  options.at = 1;
  const Schema schema = small(kind);
  const std::shared_ptr<Array> array = create_array(store, schema, options);
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (kind.sparse)
      array->write(random_cells(schema, 20 + i, i), at(10 * (i + 1)));
    else
      array->write(box_selection({{5 * i, 20}}), random_cells(schema, 20, i), at(10 * (i + 1)));
    if (version >= 4)
      array->update_metadata(
          {{std::string(1, static_cast<char>('a' + i)), MetaValue{TypeId::utf8, 1, Bytes(1, std::byte{'x'}), false}}},
          at(10 * (i + 1)));
  }
}

std::vector<std::string> state(const std::shared_ptr<Store>& store) {
  std::vector<std::string> lines;
  try {
    lines = cells_at(store);
    for (const auto& [key, value] : TiledbArray(store, {}).metadata()) lines.push_back(key);
  } catch (const Error& error) {
    lines.emplace_back(error.what());
  }
  return lines;
}

class MaintenanceFaults : public ::testing::TestWithParam<Kind> {};

TEST_P(MaintenanceFaults, LeaveTheSameCells) {
  const Kind& kind = GetParam();
  for (const std::uint32_t version : kind.versions)
    for (const Operation& operation : operations(kind.sparse)) {
      if (operation.since > version) continue;
      // The same steps again and again: under a sanitizer one version has to do.
      if (testing::kSanitized && version != kind.versions.back()) continue;
      SCOPED_TRACE(fmt::format("{} v{}", operation.name, version));
      const auto prepare = [&] {
        const std::shared_ptr<Store> store = make_memory_store();
        fill(store, kind, version);
        TiledbArray array(store, {});
        operation.prepare(array);
        return store;
      };
      const std::shared_ptr<Store> whole = prepare();
      const std::vector<std::string> before = state(whole);
      const auto count = std::make_shared<FaultPlan>();
      TiledbArray changed(failing_store(whole, count), {});
      operation.change(changed);
      ASSERT_EQ(state(whole), before);
      ASSERT_GT(count->changes.load(), 0u);
      for (std::uint64_t stop = 0; stop < count->changes; ++stop)
        for (const bool done : {false, true}) {
          const std::shared_ptr<Store> store = prepare();
          const auto plan = std::make_shared<FaultPlan>();
          plan->at = stop;
          plan->done = done;
          TiledbArray stopped(failing_store(store, plan), {});
          EXPECT_ERROR(io, "", operation.change(stopped));
          ASSERT_EQ(state(store), before) << "at change " << stop << (done ? ", done" : "");
          // Whatever comes next ends the work.
          TiledbArray next(store, {});
          operation.change(next);
          ASSERT_EQ(state(store), before) << "again, after a stop at " << stop << (done ? ", done" : "");
          for (const Part part : {Part::fragments, Part::fragment_metadata, Part::commits, Part::array_metadata})
            vacuum(next, vacuuming(part));
          ASSERT_EQ(state(store), before) << "vacuumed, after a stop at " << stop << (done ? ", done" : "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MaintenanceFaults,
                         ::testing::Values(Kind{"sparse", true, false, {3, 4, 7, 11, 12, 22}},
                                           Kind{"duplicates", true, true, {5, 11, 12, 22}},
                                           Kind{"dense", false, false, {3, 11, 22}}),
                         [](const auto& kind) { return kind.param.name; });

TEST(MaintenanceFaults, FilesAreSyncedBeforeWhatTheyReplaceGoes) {
  // A real store: every write, sync, rename and remove.
  const Kind kind{"duplicates", true, true, {}};
  StoreOptions quick;
  quick.sync = false;
  std::uint64_t steps = UINT64_MAX;
  for (std::uint64_t stop = 0; stop < steps; stop += 3) {
    const testing::TempFolder folder;
    const std::string path = folder / "array";
    fill(open_store(path, quick), kind, 22);
    const std::vector<std::string> before = state(open_store(path, quick));
    std::uint64_t at = 0;
    StoreOptions watched;
    watched.sync = true;
    watched.before_step = [&](std::string_view, std::string_view) {
      if (at++ >= stop) throw Error(ErrorKind::io, "stopped");
    };
    bool stopped = false;
    try {
      TiledbArray array(open_store(path, watched), {});
      ConsolidateOptions options;
      options.work.memory = 1;  // so that there is scratch room as well
      consolidate(array, options);
      vacuum(array);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::io);
      stopped = true;
    }
    ASSERT_EQ(state(open_store(path, quick)), before) << "at step " << stop;
    if (!stopped) steps = stop;
  }
  EXPECT_GT(steps, 20u);
}

TEST(ConcurrentMaintenance, ReadersAndWritersGoOn) {
  const testing::TempFolder folder;
  const std::string path = folder / "array";
  StoreOptions quick;
  quick.sync = false;
  const Kind kind{"sparse", true, false, {}};
  const Schema schema = small(kind);
  create_array(open_store(path, quick), schema, {});
  constexpr std::int64_t kCells = 60;
  std::atomic<std::int64_t> written{0};
  std::atomic<bool> done{false};
  std::thread writer([&] {
    TiledbArray array(open_store(path, quick), {});
    for (std::int64_t i = 0; i < kCells; ++i) {
      Batch batch = random_cells(schema, 1, 5);
      store_le<std::int64_t>(batch.columns[0].data.data(), i);
      array.write(batch, WriteOptions{});
      written = i + 1;
    }
    done = true;
  });
  std::thread reader([&] {
    while (!done) {
      const std::int64_t least = written;
      try {
        const TiledbArray array(open_store(path, quick), {});
        EXPECT_GE(ask(array, {}).cells, static_cast<std::uint64_t>(least));
      } catch (const Error& error) {
        // A vacuum may remove a fragment during a read: the reader gets an error, never other cells.
        EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::not_found ||
                    error.kind() == ErrorKind::io)
            << error.what();
      }
    }
  });
  TiledbArray array(open_store(path, quick), {});
  while (!done) {
    consolidate(array);
    vacuum(array);
    consolidate(array, merging(Part::commits));
    vacuum(array, vacuuming(Part::commits));
  }
  writer.join();
  reader.join();
  consolidate(array);
  vacuum(array);
  EXPECT_EQ(ask(array, {}).cells, static_cast<std::uint64_t>(kCells));
  EXPECT_EQ(array.info({}).fragments.size(), 1u);
}

}  // namespace
}  // namespace tegula::tiledb
