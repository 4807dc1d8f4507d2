#include "format/bcolz/driver.h"

#include "format/bcolz/array.h"
#include "format/bcolz/create.h"
#include "format/bcolz/schema_model.h"
#include "format/bcolz/snapshot.h"

namespace tegula::bcolz {

namespace {

constexpr std::string_view kFormats[] = {kFormat};

Found probe(const Store& store) {
  // A carray that lost one of its two files still counts as one, so that opening it reports what is missing.
  if (store.has(kColumnNames) || store.has(kStorage) || store.has(kSizes))
    return {ObjectKind::array, std::string(kFormat)};
  return {};
}

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions&) {
  return std::make_shared<BcolzArray>(Snapshot::open(std::move(store)));
}

std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  return std::make_shared<BcolzArray>(create(std::move(store), schema, options));
}

}  // namespace

const Driver kBcolzDriver{"bcolz", kFormats, probe, open, nullptr, create_array, nullptr};

}  // namespace tegula::bcolz
