// A carray of one or two chunk files: meta/storage, meta/sizes and the chunk, with a zero byte between them.
// room: format/bcolz
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "format/bcolz/disk/meta.h"
#include "format/bcolz/driver.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/error.h"

using namespace tegula;

namespace {

constexpr std::uint64_t kMostCells = 1 << 16;

void read(const Array& array, const Selection& selection) {
  const Attribute& attribute = array.schema().attributes.at(0);
  const Picks picks = resolve(selection, array.schema().shape());
  if (picks.cells() > kMostCells || picks.cells() * attribute.cell_size() > 1 << 24) return;
  const std::vector<std::uint64_t> shape = picks.shape();
  Bytes out(picks.cells() * attribute.cell_size());
  array.read(selection, attribute.name, {out.data(), shape, contiguous_strides(shape, attribute.cell_size())});
}

template <class F>
void attempt(F body) {
  try {
    body();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t first = input.find('\0');
  const std::size_t second = first == input.npos ? input.npos : input.find('\0', first + 1);
  attempt([&] { bcolz::decode_column_names(bytes_of(input.substr(0, first)), "names"); });
  if (second == input.npos) return 0;
  const std::shared_ptr<Store> store = make_memory_store();
  store->put_text("meta/storage", input.substr(0, first));
  store->put_text("meta/sizes", input.substr(first + 1, second - first - 1));
  for (const char* key : {"data/__0.blp", "data/__1.blp"}) store->put_text(key, input.substr(second + 1));
  attempt([&] {
    const std::shared_ptr<Array> array = bcolz::kBcolzDriver.open(store, {});
    for (const char* selection : {"[...]", "[0]", "[-1]", "[::7]", "[[0, 5, 1]]", "[2:9, ...]"})
      attempt([&] { read(*array, parse_selection(selection)); });
    array->verify();
    array->info();
  });
  return 0;
}
