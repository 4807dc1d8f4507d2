// Writers whose clocks differ, readers, a consolidator, a vacuumer and a repairer of one TileDB array.
#include <fmt/format.h>

#include <memory>

#include "base/endian.h"
#include "format/registry/registry.h"
#include "simulation/fragment_model.h"
#include "simulation/simulated_store.h"
#include "simulation/world.h"
#include "store/memory/memory_store.h"
#include "support/sample_operations.h"
#include "tegula/error.h"
#include "tegula/tiledb.h"

namespace tegula::simulation {

namespace {

using testing::one_thread;
using Rule = FragmentModel::Rule;

constexpr std::uint64_t kDomain = 40;
constexpr std::uint64_t kOld = 600;  // steps without a change after which the repairer takes a writer for dead

struct Kind {
  bool sparse, duplicates;
};

OpenOptions reading() {
  OpenOptions options;
  options.work = one_thread();
  return options;
}

class TiledbWorld {
 public:
  TiledbWorld(std::uint64_t seed, const Kind& kind, std::vector<std::string>* trace)
      : scheduler_(seed),
        kind_(kind),
        model_(kind.duplicates ? Rule::duplicates
               : kind.sparse   ? Rule::latest
                               : Rule::merged),
        trace_(trace) {
    disk_.files = make_memory_store();
    disk_.traced = trace != nullptr;
    schema_ = testing::sample_schema("tiledb", kDomain, 10, {testing::sample_attribute("a", TypeId::int32)});
    schema_.sparse = kind.sparse;
    schema_.allows_duplicates = kind.duplicates;
    schema_.capacity = 4;
    CreateOptions options;
    options.at = 1'000'000;
    create(disk_.files, schema_, options);
    choose_troubles();
  }

  Tally run() {
    const std::uint64_t writers = 1 + scheduler_.below(3), readers = 1 + scheduler_.below(2);
    for (std::uint64_t i = 0; i < writers; ++i)
      scheduler_.add(fmt::format("writer{}", i), [this](Actor& actor) { write_often(actor); });
    for (std::uint64_t i = 0; i < readers; ++i)
      scheduler_.add(fmt::format("reader{}", i), [this](Actor& actor) { read_often(actor); });
    // One consolidation at a time is what docs/guarantees.md allows; a vacuum may run beside it.
    if (scheduler_.below(4) != 0) scheduler_.add("consolidator", [this](Actor& actor) { consolidate_often(actor); });
    if (scheduler_.below(2) != 0) {
      vacuums_ = true;
      scheduler_.add("vacuumer", [this](Actor& actor) { vacuum_often(actor); });
    }
    if (scheduler_.below(3) == 0) scheduler_.add("repairer", [this](Actor& actor) { repair_often(actor); });
    try {
      scheduler_.run();
      check_end();
    } catch (...) {
      give_trace();
      throw;
    }
    give_trace();
    tally_.steps = scheduler_.time();
    return tally_;
  }

 private:
  void choose_troubles() {
    const std::uint64_t how = scheduler_.below(5);
    if (how == 1 || how == 4) troubles_.crash = 60;
    if (how == 2 || how == 4) troubles_.lost = troubles_.unanswered = 40;
    // A merge whose commit comes late, after another merge of the same fragments, is a second one at the same time:
    // cells of arrays that allow duplicates then show twice (docs/guarantees.md).
    if ((how == 3 || how == 4) && !schema_.allows_duplicates) troubles_.late = 40;
  }
  void give_trace() {
    if (trace_) *trace_ = std::move(disk_.trace);
  }

  // Runs `act` in a process of its own. Returns whether it succeeded.
  template <class F>
  bool attempt(Actor& actor, bool may_fail, F act) {
    Process process(actor, disk_, troubles_);
    try {
      act(process.store());
      return true;
    } catch (const Error& error) {
      ++tally_.failures;
      tally_.crashes += process.crashed();
      if (!process.troubled() && !may_fail) throw Broken(fmt::format("{}: {}", actor.name(), error.what()));
      return false;
    }
  }

  void write_often(Actor& actor) {
    const std::uint64_t ahead = scheduler_.below(100);  // what its clock is ahead of the slowest
    for (std::uint64_t n = 4 + scheduler_.below(8); n > 0; --n) {
      ModelWrite write;
      write.time = 2'000'000 + (scheduler_.time() + ahead) * 64 + next_++ % 64;  // of as many digits as all others
      write.begun = scheduler_.time();
      const std::uint64_t first = scheduler_.below(kDomain), count = 1 + scheduler_.below(kDomain - first);
      for (std::uint64_t i = first; i < first + count; ++i)
        if (!kind_.sparse || scheduler_.below(2) == 0) write.cells[i] = static_cast<std::int32_t>(next_ * 1000 + i);
      if (write.cells.empty()) continue;
      const std::size_t number = model_.begin(write);
      ++tally_.writes;
      if (attempt(actor, false, [&](const std::shared_ptr<Store>& store) { write_cells(store, write); }))
        model_.commit(number, scheduler_.time());
    }
  }
  void write_cells(const std::shared_ptr<Store>& store, const ModelWrite& write) const {
    Batch batch;
    batch.cells = write.cells.size();
    Column at = empty_column(field_info(schema_.dimensions[0]));
    Column values = empty_column(field_info(schema_.attributes[0], schema_));
    at.data.resize(8 * batch.cells);
    values.data.resize(4 * batch.cells);
    std::size_t i = 0;
    for (const auto& [cell, value] : write.cells) {
      store_le(at.data.data() + 8 * i, cell);
      store_le(values.data.data() + 4 * i++, value);
    }
    if (kind_.sparse) batch.columns.push_back(std::move(at));
    batch.columns.push_back(std::move(values));
    const auto array = open(store, reading());
    if (kind_.sparse)
      array->write(batch, testing::written_at(write.time));
    else
      array->write(testing::sample_box(write.cells.begin()->first, batch.cells), batch,
                   testing::written_at(write.time));
  }

  Cells read_cells(const Array& array) const {
    Query query;
    query.work = one_thread();
    const Batch batch = collect(*array.query(query));
    const Column& values = *batch.column("a");
    const Column* at = batch.column("x");
    Cells cells;
    for (std::size_t i = 0; i < batch.cells; ++i) {
      const ByteView value = values.cell(i);
      if (!kind_.sparse && is_fill(value)) continue;
      cells.emplace(at ? load_le<std::uint64_t>(at->cell(i).data()) : i, load_le<std::int32_t>(value.data()));
    }
    return cells;
  }
  bool is_fill(ByteView value) const {
    return std::equal(value.begin(), value.end(), schema_.attributes[0].fill.begin());
  }

  void read_often(Actor& actor) {
    for (std::uint64_t n = 4 + scheduler_.below(8); n > 0; --n)
      attempt(actor, vacuums_, [&](const std::shared_ptr<Store>& store) {
        const std::uint64_t began = scheduler_.time();
        const auto array = open(store, reading());
        for (std::uint64_t again = 1 + scheduler_.below(2); again > 0; --again) {
          check(actor.name(), read_cells(*array), began);
          ++tally_.answers;
        }
      });
  }
  void check(const std::string& who, const Cells& cells, std::uint64_t began) const {
    if (const std::string fault = model_.fault_in(cells, began, scheduler_.time()); !fault.empty())
      throw Broken(fmt::format("{}, from step {} to {}: {}", who, began, scheduler_.time(), fault));
  }

  static constexpr tiledb::Part kParts[] = {tiledb::Part::fragments, tiledb::Part::fragments,
                                            tiledb::Part::fragment_metadata, tiledb::Part::commits};

  void consolidate_often(Actor& actor) {
    for (std::uint64_t n = 4 + scheduler_.below(5); n > 0; --n) {
      tiledb::ConsolidateOptions options;
      options.part = kParts[scheduler_.below(std::size(kParts))];
      options.work = one_thread();
      if (scheduler_.below(4) == 0) options.max_fragment_size = 300;
      // What a process that was taken for dead asked for may still come.
      attempt(actor, vacuums_ || troubles_.late != 0,
              [&](const std::shared_ptr<Store>& store) { tiledb::consolidate(*open(store, reading()), options); });
    }
  }
  void vacuum_often(Actor& actor) {
    for (std::uint64_t n = 4 + scheduler_.below(5); n > 0; --n) {
      tiledb::VacuumOptions options;
      options.part = kParts[scheduler_.below(std::size(kParts))];
      options.work = one_thread();
      attempt(actor, true,
              [&](const std::shared_ptr<Store>& store) { tiledb::vacuum(*open(store, reading()), options); });
    }
  }
  // As `tegula repair` does, whose files have times.
  void repair_often(Actor& actor) {
    for (int n = 0; n < 3; ++n) {
      for (int i = 0; i < 50; ++i) actor.step();
      attempt(actor, true, [&](const std::shared_ptr<Store>& store) {
        for (const std::string& folder : tiledb::uncommitted_fragments(*store))
          if (is_old(folder)) store->remove_tree(folder);
      });
    }
  }
  bool is_old(const std::string& folder) const {
    for (auto it = disk_.changed.lower_bound(folder); it != disk_.changed.end() && it->first.starts_with(folder); ++it)
      if (it->second + kOld > scheduler_.time()) return false;
    return true;
  }

  // Afterwards, without troubles: everything is readable, and maintenance changes nothing.
  void check_end() {
    const std::uint64_t end = scheduler_.time();
    try {
      check("the end", read_cells(*open(disk_.files, reading())), end);
      const auto damage = [&] { return testing::problems_text(open(disk_.files, reading())->verify(one_thread())); };
      if (const std::string found = damage(); found.find("damage") != found.npos) throw Broken("verify: " + found);
      testing::remove_uncommitted(*disk_.files);
      check("after a repair", read_cells(*open(disk_.files, reading())), end);
      for (const tiledb::Part part :
           {tiledb::Part::fragments, tiledb::Part::commits, tiledb::Part::fragment_metadata}) {
        const auto array = open(disk_.files, reading());
        tiledb::consolidate(*array, {.part = part, .work = one_thread()});
        check("after a consolidation", read_cells(*open(disk_.files, reading())), end);
        tiledb::vacuum(*array, {.part = part, .work = one_thread()});
        check("after a vacuum", read_cells(*open(disk_.files, reading())), end);
      }
      if (const std::string found = damage(); found.find("damage") != found.npos) throw Broken("verify: " + found);
    } catch (const Error& error) {
      throw Broken(fmt::format("the end: {}", error.what()));
    }
  }

  Scheduler scheduler_;
  const Kind kind_;
  FragmentModel model_;
  std::vector<std::string>* trace_;
  Disk disk_;
  Schema schema_;
  Troubles troubles_;
  bool vacuums_ = false;
  std::uint64_t next_ = 1;
  Tally tally_;
};

template <bool sparse, bool duplicates>
Tally run_tiledb(std::uint64_t seed, std::vector<std::string>* trace) {
  return TiledbWorld(seed, {sparse, duplicates}, trace).run();
}

}  // namespace

std::vector<World> tiledb_worlds() {
  return {{"tiledb_dense", run_tiledb<false, false>},
          {"tiledb_sparse", run_tiledb<true, false>},
          {"tiledb_duplicates", run_tiledb<true, true>}};
}

}  // namespace tegula::simulation
