#include "format/bcolz/driver.h"

#include "format/bcolz/array.h"
#include "format/bcolz/create.h"
#include "format/bcolz/schema_model.h"
#include "format/bcolz/snapshot.h"
#include "format/bcolz/stored_rows.h"
#include "format/bcolz/write.h"

namespace tegula::bcolz {

namespace {

constexpr Format kFormats[] = {{{.format = kFormat,
                                 .family = kFormat,
                                 .title = kFormat,
                                 .create = true,
                                 .append = true,
                                 .resize = true,
                                 .repair = true,
                                 .tables = true,
                                 .empty_axes = true,
                                 .numpy_types = true},
                                {.blosc_level = "level"}}};

std::string_view default_filters(std::string_view, const Datatype& type) {
  return type.size > 1 ? "blosc:lz4:5:shuffle" : "blosc:lz4:5:noshuffle";
}

constexpr std::string_view kDocuments[] = {kColumnNames, kStorage, kSizes};

Found probe(const Store& store) {
  // A carray that lost one of its two files still counts as one, so that opening it reports what is missing.
  if (store.has(kColumnNames) || store.has(kStorage) || store.has(kSizes))
    return {ObjectKind::array, std::string(kFormat)};
  return {};
}

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options, KnownStore& known) {
  return std::make_shared<BcolzArray>(Snapshot::open(std::move(store), options.work, known));
}

std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  return std::make_shared<BcolzArray>(create(std::move(store), schema, options));
}

const Store& store_of(const Array& array) { return *dynamic_cast<const BcolzArray&>(array).snapshot()->store; }

// Of a table also the lengths of its columns, which are all that an append changes.
std::string state(const Store& store) {
  std::string text;
  for (const std::string_view name : {kColumnNames, kStorage, kSizes, kAttributes})
    text += store.get_stated(name).state + '\n';
  if (const std::optional<Bytes> names = store.get(kColumnNames))
    for (const std::string& name : decode_column_names(*names, store.describe(kColumnNames)))
      text += store.get_stated(join(name, kSizes)).state + '\n' + store.get_stated(join(name, kStorage)).state + '\n';
  return text;
}

}  // namespace

const Driver kBcolzDriver{
    .family = kFormat,
    .formats = kFormats,
    .probe = probe,
    .open_known = open,
    .create = create_array,
    .documents = kDocuments,
    .store_of = store_of,
    .default_filters = default_filters,
    .copy = {.rows_fit = rows_fit, .copy_stored = copy_rows},
    .stored_grid = stored_grid,
    .state = state,
};

}  // namespace tegula::bcolz
