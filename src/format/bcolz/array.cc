#include "format/bcolz/array.h"

#include <algorithm>
#include <optional>

#include "base/current_work.h"
#include "base/fail.h"
#include "format/bcolz/create.h"
#include "format/bcolz/metadata.h"
#include "format/bcolz/pending_set.h"
#include "format/bcolz/queries.h"
#include "format/bcolz/verify.h"
#include "format/bcolz/write.h"
#include "store/wrap/known_store.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {

namespace {

BcolzArray& table_of(Array& array) {
  auto* const out = dynamic_cast<BcolzArray*>(&array);
  if (!out || !out->snapshot()->table)
    fail(ErrorKind::invalid_argument, "only a bcolz ctable has columns to add, drop or rename");
  return *out;
}

}  // namespace

std::shared_ptr<const Snapshot> BcolzArray::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void BcolzArray::publish(std::shared_ptr<const Snapshot> snapshot) {
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(snapshot);
}

void BcolzArray::change(const Work& work, const std::function<void(const Snapshot&)>& body, WriterLock::Others others) {
  const std::lock_guard lock(writing_);
  const std::shared_ptr<Store> store = snapshot()->store;
  std::optional<WriterLock> one_writer;
  {
    const CurrentWork waiting(work);
    one_writer.emplace(store, others);
  }
  std::shared_ptr<const Snapshot> now = Snapshot::open(store, work);
  for (const Carray& carray : now->columns) finish_pending(carray, work);
  if (std::any_of(now->columns.begin(), now->columns.end(), [](const Carray& c) { return !c.pending.empty(); }))
    now = Snapshot::open(store, work);
  // Once the change is made, nothing keeps the handle from seeing it.
  Work to_the_end = work;
  to_the_end.cancel = nullptr;
  try {
    body(*now);
  } catch (...) {
    // The change may have got far enough to be visible.
    try {
      publish(Snapshot::open(store, to_the_end));
    } catch (...) {  // the first failure is the one to report
    }
    throw;
  }
  publish(Snapshot::open(store, to_the_end));
}

Metadata BcolzArray::metadata() const { return read_attributes(*snapshot()->store); }

Info BcolzArray::info(const Work& work) const {
  const std::shared_ptr<const Snapshot> now = snapshot();
  Info out;
  KnownStore known(*now->store);
  if (now->store->hints().remote() && now->store->hints().lists) known.learn(now->store->list_all(""));
  for (std::size_t i = 0; i < now->columns.size() && now->store->hints().lists; ++i) {
    work.check();
    const Carray& carray = now->columns[i];
    FieldSize size{now->names[i], 0, carray.rows() * carray.row_bytes};
    const std::uint64_t expected = carray.holds_objects() ? carray.rows() : carray.chunks();
    for (const Entry& entry : known.list(join(carray.prefix, "data"))) {
      const std::optional<std::uint64_t> index = chunk_index(entry.name);
      if (entry.folder || !index || *index >= expected) continue;
      size.stored += entry.size;
      ++out.chunks_present;
    }
    out.chunks_expected += expected;
    out.stored_bytes += size.stored;
    for (const Entry& entry : known.list(join(carray.prefix, "meta"))) out.stored_bytes += entry.size;
    out.fields.push_back(std::move(size));
  }
  if (std::all_of(now->schema->dimensions.begin(), now->schema->dimensions.end(),
                  [](const Dimension& d) { return d.domain != Range{}; })) {
    out.non_empty_domain.emplace();
    for (const Dimension& d : now->schema->dimensions) out.non_empty_domain->push_back(d.domain);
  }
  return out;
}

std::unique_ptr<BatchStream> BcolzArray::query(const Query& query) const { return bcolz::query(snapshot(), query); }

void BcolzArray::read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                      const Work& work) const {
  read_field(*snapshot(), selection, field, out, work);
}

std::vector<Problem> BcolzArray::verify(const Work& work) const {
  const std::shared_ptr<Store> store = snapshot()->store;
  try {
    return bcolz::verify(*Snapshot::open(store, work), work);
  } catch (const Error& error) {
    // It could be opened before, but not any more: that is a finding, too.
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::not_found) throw;
    return {{Problem::Severity::damage, store->describe(""), error.what(), ""}};
  }
}

void BcolzArray::write(const Selection& selection, std::string_view field, const StridedView& values,
                       const WriteOptions& options) {
  change(options.work, [&](const Snapshot& now) { bcolz::write(now, selection, field, values, options.work); });
}

void BcolzArray::append(const Batch& rows, const WriteOptions& options) {
  change(options.work, [&](const Snapshot& now) { bcolz::append(now, rows, options.work); });
}

void BcolzArray::resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options) {
  change(options.work, [&](const Snapshot& now) { bcolz::resize(now, shape, options.work); });
}

void BcolzArray::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                                 const WriteOptions& options) {
  change(options.work, [&](const Snapshot& now) { change_attributes(*now.store, changes); });
}

void add_column(Array& table, const Attribute& column, const Column& values, const WriteOptions& options) {
  table_of(table).change(options.work, [&](const Snapshot& now) { add_column(now, column, values, options.work); });
}

void drop_column(Array& table, std::string_view name, const WriteOptions& options) {
  table_of(table).change(options.work, [&](const Snapshot& now) { drop_column(now, name); });
}

void rename_column(Array& table, std::string_view from, std::string_view to, const WriteOptions& options) {
  table_of(table).change(options.work, [&](const Snapshot& now) { rename_column(now, from, to, options.work); });
}

std::string torn_rows(const Array& array) {
  const auto* const table = dynamic_cast<const BcolzArray*>(&array);
  if (!table) return {};
  const std::shared_ptr<const Snapshot> now = table->snapshot();
  std::string longer;
  for (std::size_t i = 0; i < now->columns.size(); ++i)
    if (const std::uint64_t rows = now->columns[i].stored_rows; now->table && rows != now->rows)
      longer += fmt::format("{}'{}' ({})", longer.empty() ? "" : ", ", now->names[i], rows);
  if (longer.empty()) return {};
  return fmt::format("the table is torn: all columns have {} rows, and more have {}; those are left out", now->rows,
                     longer);
}

std::vector<Problem> repair(Array& array, const Work& work) {
  auto* const bcolz_array = dynamic_cast<BcolzArray*>(&array);
  if (!bcolz_array) fail(ErrorKind::invalid_argument, "this is no bcolz carray or ctable");
  std::vector<Problem> done;
  bcolz_array->change(work, [&](const Snapshot& now) { done = repair(now, work); }, WriterLock::Others::gone);
  return done;
}

}  // namespace tegula::bcolz
