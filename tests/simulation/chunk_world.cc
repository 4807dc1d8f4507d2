// zarr: a writer for each chunk, and readers. zarr and bcolz: one process that adds rows, and readers; or one process
// that changes values and sizes, alone.
#include <fmt/format.h>

#include <set>

#include "base/endian.h"
#include "simulation/simulated_store.h"
#include "simulation/world.h"
#include "store/memory/memory_store.h"
#include "support/sample_operations.h"
#include "tegula/error.h"

namespace tegula::simulation {

namespace {

using testing::one_thread;
using Values = std::vector<std::int32_t>;

// What something that one process changes may hold, at every step.
class History {
 public:
  explicit History(Values first) { states_.emplace_back(0, std::set<Values>{std::move(first)}); }
  const std::set<Values>& now() const { return states_.back().second; }
  void set(std::uint64_t step, std::set<Values> may) { states_.emplace_back(step, std::move(may)); }
  bool held(const Values& values, std::uint64_t began, std::uint64_t ended) const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const bool over = i + 1 < states_.size() && states_[i + 1].first < began;
      if (!over && states_[i].first <= ended && states_[i].second.contains(values)) return true;
    }
    return false;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::set<Values>>> states_;  // from which step on
};

enum class Use : std::uint8_t { chunks, rows, alone };

struct Kind {
  const char* format;
  Use use;
  bool sharded = false;
};

constexpr std::uint64_t kChunk = 8, kChunks = 4;

class ChunkWorld {
 public:
  ChunkWorld(std::uint64_t seed, const Kind& kind, std::vector<std::string>* trace)
      : scheduler_(seed), kind_(kind), trace_(trace) {
    disk_.files = make_memory_store();
    disk_.traced = trace != nullptr;
    const std::uint64_t rows = kind.use == Use::chunks ? kChunk * kChunks : 0;
    Attribute attribute = testing::sample_attribute("", TypeId::int32);
    attribute.fill = Bytes(4, std::byte{0});
    if (kind.sharded) attribute.filters = {{"sharding", {{"chunk_shape", std::string("[2]")}}}};
    create(disk_.files, testing::sample_schema(kind.format, rows, kChunk, {attribute}));
    for (std::uint64_t i = 0; i < kChunks; ++i) parts_.emplace_back(Values(rows ? kChunk : 0, 0));
    const std::uint64_t how = scheduler_.below(4);
    if (how == 1 || how == 3) troubles_.crash = 40;
    if (how == 2 || how == 3) troubles_.lost = troubles_.unanswered = 30;
  }

  Tally run() {
    if (kind_.use == Use::chunks)
      for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
        scheduler_.add(fmt::format("writer{}", chunk), [this, chunk](Actor& actor) { write_chunk(actor, chunk); });
    else
      scheduler_.add("writer", [this](Actor& actor) { change_rows(actor); });
    // A shard that another process replaces while it is read, and rows that are set or trimmed, are not isolated.
    if (kind_.use != Use::alone && !kind_.sharded)
      for (int i = 0; i < 2; ++i)
        scheduler_.add(fmt::format("reader{}", i), [this](Actor& actor) { read_often(actor); });
    try {
      scheduler_.run();
      check_end();
    } catch (...) {
      if (trace_) *trace_ = std::move(disk_.trace);
      throw;
    }
    if (trace_) *trace_ = std::move(disk_.trace);
    tally_.steps = scheduler_.time();
    return tally_;
  }

 private:
  static std::shared_ptr<Array> opened(const std::shared_ptr<Store>& store) {
    OpenOptions options;
    options.work = one_thread();
    return open(store, options);
  }
  static Values read(const Array& array) {
    Query query;
    query.work = one_thread();
    const Batch batch = collect(*array.query(query));
    Values values(batch.cells);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = load_le<std::int32_t>(batch.columns[0].cell(i).data());
    return values;
  }
  static Batch batch_of(const Schema& schema, const Values& values) {
    Batch batch;
    batch.cells = values.size();
    batch.columns = {empty_column(field_info(schema.attributes[0], schema))};
    batch.columns[0].data.resize(4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) store_le(batch.columns[0].data.data() + 4 * i, values[i]);
    return batch;
  }
  static void set(Array& array, std::uint64_t first, const Values& values) {
    array.write(testing::sample_box(first, values.size()), "",
                {reinterpret_cast<const std::byte*>(values.data()), {values.size()}, {4}}, testing::written_at(0));
  }

  template <class F>
  bool attempt(Actor& actor, F act) {
    Process process(actor, disk_, troubles_);
    try {
      act(process.store());
      return true;
    } catch (const Error& error) {
      ++tally_.failures;
      tally_.crashes += process.crashed();
      if (!process.troubled()) throw Broken(fmt::format("{}: {}", actor.name(), error.what()));
      return false;
    }
  }
  // A change of one part by the only process that changes it: while it runs and after it failed, old and new.
  template <class Apply, class F>
  void change(Actor& actor, History& part, Apply apply, F act) {
    std::set<Values> after, both = part.now();
    for (const Values& values : part.now()) after.insert(apply(values));
    both.insert(after.begin(), after.end());
    part.set(scheduler_.time(), both);
    ++tally_.writes;
    if (attempt(actor, act)) part.set(scheduler_.time(), after);
  }

  void write_chunk(Actor& actor, std::size_t chunk) {
    for (std::uint64_t n = 3 + scheduler_.below(4); n > 0; --n) {
      const std::uint64_t first = scheduler_.below(kChunk), count = 1 + scheduler_.below(kChunk - first);
      const Values values(count, next_++);
      change(
          actor, parts_[chunk],
          [&](Values old) {
            std::copy(values.begin(), values.end(), old.begin() + static_cast<std::ptrdiff_t>(first));
            return old;
          },
          [&](const std::shared_ptr<Store>& store) { set(*opened(store), chunk * kChunk + first, values); });
    }
  }

  // What the next change does depends on what is there, which after a failure only the array knows.
  void change_rows(Actor& actor) {
    for (std::uint64_t n = 6 + scheduler_.below(6); n > 0; --n) {
      Values before;
      if (!attempt(actor, [&](const std::shared_ptr<Store>& store) { before = read(*opened(store)); })) continue;
      if (!parts_[0].now().contains(before)) throw Broken("the writer reads " + text(before));
      parts_[0].set(scheduler_.time(), {before});
      const std::uint64_t what = kind_.use == Use::alone ? scheduler_.below(4) : 0;
      if (what == 0 || before.empty())
        append(actor);
      else if (what == 1 && bcolz())
        resize(actor, before.size() + scheduler_.below(2 * kChunk));
      else if (what == 2 && bcolz())
        resize(actor, scheduler_.below(before.size() + 1));
      else
        overwrite(actor, before.size());
    }
  }
  // Of zarr, what a stopped append or shrink leaves outside of the array shows when it grows by resize().
  bool bcolz() const { return std::string_view(kind_.format) == "bcolz"; }
  void append(Actor& actor) {
    const Values more(1 + scheduler_.below(3 * kChunk), next_++);
    change(
        actor, parts_[0],
        [&](Values old) {
          old.insert(old.end(), more.begin(), more.end());
          return old;
        },
        [&](const std::shared_ptr<Store>& store) {
          const auto array = opened(store);
          array->append(batch_of(array->schema(), more), testing::written_at(0));
        });
  }
  void resize(Actor& actor, std::uint64_t rows) {
    change(
        actor, parts_[0],
        [&](Values old) {
          old.resize(rows, 0);
          return old;
        },
        [&](const std::shared_ptr<Store>& store) { opened(store)->resize({rows}, testing::written_at(0)); });
  }
  void overwrite(Actor& actor, std::uint64_t rows) {
    // Of zarr, only what lies in one chunk changes as a whole.
    const std::uint64_t first = scheduler_.below(rows);
    const std::uint64_t end = bcolz() ? rows : std::min(rows, (first / kChunk + 1) * kChunk);
    const Values values(1 + scheduler_.below(end - first), next_++);
    change(
        actor, parts_[0],
        [&](Values old) {
          std::copy(values.begin(), values.end(), old.begin() + static_cast<std::ptrdiff_t>(first));
          return old;
        },
        [&](const std::shared_ptr<Store>& store) { set(*opened(store), first, values); });
  }

  void read_often(Actor& actor) {
    for (std::uint64_t n = 4 + scheduler_.below(4); n > 0; --n)
      attempt(actor, [&](const std::shared_ptr<Store>& store) {
        const std::uint64_t began = scheduler_.time();
        check(actor.name(), read(*opened(store)), began);
        ++tally_.answers;
      });
  }
  void check(const std::string& who, const Values& values, std::uint64_t began) const {
    const auto broken = [&](const Values& found) {
      throw Broken(fmt::format("{}, from step {} to {}: {}", who, began, scheduler_.time(), text(found)));
    };
    if (kind_.use != Use::chunks) {
      if (!parts_[0].held(values, began, scheduler_.time())) broken(values);
      return;
    }
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      const auto at = values.begin() + static_cast<std::ptrdiff_t>(chunk * kChunk);
      const Values part(at, at + kChunk);
      if (!parts_[chunk].held(part, began, scheduler_.time())) broken(part);
    }
  }
  void check_end() {
    try {
      const auto array = opened(disk_.files);
      check("the end", read(*array), scheduler_.time() + 1);
      for (const Problem& problem : array->verify(one_thread()))
        if (problem.severity == Problem::Severity::damage) throw Broken(problem.file + ": " + problem.text);
    } catch (const Error& error) {
      throw Broken(fmt::format("the end: {}", error.what()));
    }
  }
  static std::string text(const Values& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

  Scheduler scheduler_;
  const Kind kind_;
  std::vector<std::string>* trace_;
  Disk disk_;
  Troubles troubles_;
  std::vector<History> parts_;
  std::int32_t next_ = 1;
  Tally tally_;
};

constexpr Kind kKinds[] = {{"zarr2", Use::chunks}, {"zarr3", Use::chunks, true}, {"zarr3", Use::rows},
                           {"zarr2", Use::alone},  {"bcolz", Use::rows},         {"bcolz", Use::alone}};

template <std::size_t kind>
Tally run_kind(std::uint64_t seed, std::vector<std::string>* trace) {
  return ChunkWorld(seed, kKinds[kind], trace).run();
}

}  // namespace

std::vector<World> chunk_worlds() {
  return {{"zarr_chunks", run_kind<0>}, {"zarr_shards", run_kind<1>}, {"zarr_rows", run_kind<2>},
          {"zarr_alone", run_kind<3>},  {"bcolz_rows", run_kind<4>},  {"bcolz_alone", run_kind<5>}};
}

}  // namespace tegula::simulation
