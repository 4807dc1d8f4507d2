// A whole array of any family with changes to its files: the first byte chooses the array, then follow five bytes for
// each change: what it is, the file, an offset (two bytes), a value. The array is read, verified, repaired, written to,
// consolidated and vacuumed.
//
// room: convert
#include <memory>

#include "format/registry/registry.h"
#include "support/sample_operations.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::testing;

namespace {

constexpr std::size_t kMostChanges = 16;
constexpr std::uint64_t kMostRows = 1 << 16;

template <class F>
void attempt(F body) {
  try {
    body();
  } catch (const Error&) {
  }
}

struct Original {
  SampleArray sample;
  StorePointer store;
  std::vector<std::string> keys;
};

void add_keys(const Store& store, const std::string& prefix, std::vector<std::string>& keys) {
  for (const Entry& entry : store.list(prefix)) {
    const std::string key = join(prefix, entry.name);
    if (entry.folder)
      add_keys(store, key, keys);
    else
      keys.push_back(key);
  }
}

const std::vector<Original>& originals() {
  static const std::vector<Original> all = [] {
    std::vector<Original> made;
    for (SampleArray& sample : sample_arrays()) {
      Original original{sample, make_memory_store(), {}};
      make_sample(sample, original.store);
      add_keys(*original.store, "", original.keys);
      made.push_back(std::move(original));
    }
    return made;
  }();
  return all;
}

struct Change {
  std::uint8_t what, file;
  std::uint16_t offset;
  std::uint8_t value;
};

void apply(Store& store, const std::vector<std::string>& keys, const Change& change) {
  const std::string& key = keys[change.file % keys.size()];
  const std::string& other = keys[change.offset % keys.size()];
  std::optional<Bytes> bytes = store.get(key);
  if (!bytes) return;
  const std::size_t at = bytes->empty() ? 0 : change.offset % bytes->size();
  switch (change.what % 8) {
    case 0:
      return store.remove(key);
    case 1:  // swapped with another
      if (const std::optional<Bytes> second = store.get(other)) {
        store.put(other, *bytes);
        bytes = copy_of(*second);
      }
      break;
    case 2:  // cut short
      bytes->resize(at);
      break;
    case 3:  // longer
      bytes->resize(bytes->size() + change.value, static_cast<std::byte>(change.offset));
      break;
    case 4:  // a byte more
      bytes->insert(bytes->begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::byte>(change.value));
      break;
    case 5:  // a number of several bytes
      for (std::size_t i = at; i < std::min(at + 8, bytes->size()); ++i)
        (*bytes)[i] = static_cast<std::byte>(change.value);
      break;
    default:
      if (!bytes->empty()) (*bytes)[at] ^= static_cast<std::byte>(change.value);
  }
  store.put(key, *bytes);
}

Work small_work() {
  Work work = one_thread();
  work.memory = 1 << 20;
  return work;
}

void read(const Array& array) {
  Query query;
  query.work = small_work();
  query.limit = kMostRows;
  attempt([&] {
    const std::unique_ptr<BatchStream> stream = array.query(query);
    for (int i = 0; i < 8 && stream->next(); ++i) continue;
  });
  attempt([&] { array.metadata(); });
  attempt([&] { array.info(small_work()); });
  attempt([&] { array.verify(small_work()); });
}

std::uint64_t rows_of(const Array& array) {
  std::uint64_t rows = 0;
  attempt([&] { rows = array.schema().shape().at(0); });
  return rows;
}

void change(const Original& original, const StorePointer& store) {
  for (const SampleOperation& operation : SampleOperations(original.sample).take()) {
    if (operation.kind != SampleOperation::Kind::change && operation.kind != SampleOperation::Kind::repair) continue;
    const StorePointer copy = make_memory_store();
    copy_store(*store, *copy);
    attempt([&] { operation.run(copy); });
    attempt([&] {
      const auto array = open(copy);
      if (rows_of(*array) <= kMostRows) array->verify(small_work());
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6) return 0;
  const Original& original = originals()[data[0] % originals().size()];
  const StorePointer store = make_memory_store();
  copy_store(*original.store, *store);
  attempt([&] {
    for (std::size_t at = 1; at + 5 <= size && at < 1 + 5 * kMostChanges; at += 5)
      apply(*store, original.keys,
            {data[at], data[at + 1], static_cast<std::uint16_t>(data[at + 2] | data[at + 3] << 8), data[at + 4]});
  });
  attempt([&] {
    OpenOptions options;
    options.work = small_work();
    const auto array = open(store, options);
    if (rows_of(*array) > kMostRows) return;
    read(*array);
    change(original, store);
  });
  return 0;
}
