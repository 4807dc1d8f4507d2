// A whole array: files one after the other, each as a byte that is the length of its name, the name, two bytes that are
// the length of its contents, the contents. The seeds are small arrays whose metadata is not compressed, so that
// changes reach what is behind it.
//
// room: format/tiledb
#include <memory>

#include "base/cursor.h"
#include "format/tiledb/array.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::tiledb;

namespace {

constexpr std::uint64_t kMostCells = 1 << 16;
constexpr int kMostBatches = 8;

template <class F>
void attempt(F body) {
  try {
    body();
  } catch (const Error&) {
  }
}

std::shared_ptr<Store> unpack(ByteView bytes) {
  std::shared_ptr<Store> store = make_memory_store();
  attempt([&] {
    Cursor in(bytes, "input");
    while (in.remaining() > 0) {
      const std::string name(text_of(in.bytes(in.read<std::uint8_t>(), "name")));
      store->put(name, in.bytes(in.read<std::uint16_t>(), "contents"));
    }
  });
  return store;
}

Query small_query() {
  Query query;
  query.work.threads = 1;
  query.work.memory = 1 << 20;
  return query;
}

void drain(const Array& array, const Query& query) {
  attempt([&] {
    const std::unique_ptr<BatchStream> stream = array.query(query);
    for (int i = 0; i < kMostBatches && stream->next(); ++i) continue;
  });
}

std::uint64_t cells_of(const Array& array) {
  std::uint64_t cells = 1;
  for (const std::uint64_t length : array.schema().shape())
    if (__builtin_mul_overflow(cells, length, &cells)) return UINT64_MAX;
  return cells;
}

void read_dense(const Array& array) {
  if (cells_of(array) > kMostCells) return;
  for (const Attribute& attribute : array.schema().attributes) {
    if (attribute.values_per_cell == kVar || attribute.cell_size() > 64) continue;
    const std::vector<std::uint64_t> shape = array.schema().shape();
    Bytes out(cells_of(array) * attribute.cell_size());
    attempt([&] {
      array.read({}, attribute.name, {out.data(), shape, contiguous_strides(shape, attribute.cell_size())},
                 small_query().work);
    });
  }
}

void read(const Array& array) {
  for (const Order order : {Order::row, Order::col, Order::global, Order::unordered}) {
    Query query = small_query();
    query.order = order;
    drain(array, query);
  }
  if (!array.schema().sparse) attempt([&] { read_dense(array); });
  if (array.schema().attributes.empty()) return;
  const std::string& name = array.schema().attributes[0].name;
  Query query = small_query();
  query.where = name + " > 2";
  drain(array, query);
  if (!array.schema().sparse && cells_of(array) > kMostCells) return;
  query.where.clear();
  query.aggregates = {{"n", AggregateOp::count, ""}, {"m", AggregateOp::min, name}, {"s", AggregateOp::sum, name}};
  drain(array, query);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::shared_ptr<Store> store = unpack({reinterpret_cast<const std::byte*>(data), size});
  attempt([&] {
    OpenOptions options;
    options.at = {0, UINT64_MAX};
    options.work = small_query().work;
    const TiledbArray array(store, options);
    attempt([&] { read(array); });
    attempt([&] { array.metadata(); });
    attempt([&] { array.info(options.work); });
    array.verify(options.work);
  });
  return 0;
}
