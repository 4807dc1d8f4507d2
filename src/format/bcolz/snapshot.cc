#include "format/bcolz/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/context.h"
#include "base/fail.h"
#include "base/name_list.h"
#include "base/parallel.h"
#include "format/bcolz/schema_model.h"

namespace tegula::bcolz {

namespace {

// What every column is opened from, with one batch.
void learn_documents(KnownStore& known, const std::vector<std::string>& columns) {
  if (!known.hints().remote()) return;
  std::vector<std::string> keys;
  for (const std::string& column : columns)
    for (const std::string_view name : {kStorage, kSizes}) keys.push_back(join(column, name));
  known.learn_files(keys);
}

}  // namespace

std::shared_ptr<const Snapshot> Snapshot::open(std::shared_ptr<Store> store, const Work& work) {
  KnownStore known(*store);
  known.look({});
  return open(std::move(store), work, known);
}

std::shared_ptr<const Snapshot> Snapshot::open(std::shared_ptr<Store> store, const Work& work, KnownStore& known) {
  auto out = std::make_shared<Snapshot>();
  out->store = std::move(store);
  if (const std::optional<Bytes> text = known.get(kColumnNames)) {
    out->table = true;
    out->names = decode_column_names(*text, out->store->describe(kColumnNames));
    out->columns.resize(out->names.size());
    learn_documents(known, out->names);
    parallel_for(work, out->names.size(), [&](std::size_t i) {
      const Context doing([&] { return fmt::format("column '{}'", out->names[i]); });
      out->columns[i] = Carray::open(out->store, out->names[i], known);
    });
  } else {
    out->names = {""};
    learn_documents(known, out->names);
    out->columns = {Carray::open(out->store, "", known)};
  }
  out->describe();
  return out;
}

std::size_t Snapshot::column(std::string_view name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    fail(ErrorKind::invalid_argument, "there is no field '{}'; there {} {}", name, names.size() == 1 ? "is" : "are",
         name_list(names));
  return static_cast<std::size_t>(it - names.begin());
}

void Snapshot::describe() {
  rows = columns.empty() ? 0 : columns[0].rows();
  for (const Carray& column : columns) rows = std::min(rows, column.rows());
  for (Carray& column : columns) column.sizes.shape[0] = rows;
  schema = std::make_shared<const Schema>(schema_of(*this));
}

}  // namespace tegula::bcolz
