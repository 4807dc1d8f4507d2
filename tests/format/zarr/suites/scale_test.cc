// How the work grows with the size of a write, counted in bytes of the buffers it allocates.
#include <atomic>
#include <cstdlib>
#include <new>

#include "format/zarr/numbers_array.h"
#include "store/wrap/counting_store.h"

namespace {

std::atomic<std::uint64_t> allocated{0};

}  // namespace

// Buffers of cells are allocated by these, and little else is.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  allocated += size;
  const auto line = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(line, (size + line) / line * line)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace tegula::testing {
namespace {

Batch texts(std::size_t n) {
  Batch batch;
  Column column;
  column.type = Datatype(TypeId::utf8);
  column.values_per_cell = kVar;
  column.offsets.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string text = "a text of its own: " + std::to_string(i);
    const ByteView bytes = bytes_of(text);
    column.data.insert(column.data.end(), bytes.begin(), bytes.end());
    column.offsets.push_back(column.data.size());
  }
  batch.cells = n;
  batch.columns.push_back(std::move(column));
  return batch;
}

// Chunks of 100 texts: a write of all cells, then one of all but the ends.
TEST(Scale, TextWritesTakeTimeAndMemoryForWhatTheyWrite) {
  std::uint64_t first = 0;
  for (const std::uint64_t n : {std::uint64_t{4000}, std::uint64_t{16000}}) {
    Schema schema = schema_of({"zarr3", {n}, {100}, {}});
    schema.attributes[0].type = Datatype(TypeId::utf8);
    schema.attributes[0].values_per_cell = kVar;
    schema.attributes[0].fill = {};
    const auto counts = std::make_shared<StoreCounts>();
    const auto array = zarr::kZarrDriver.create(counting_store(make_memory_store(), counts), schema, {});
    const Batch all = texts(n), inner = texts(n - 100);
    const std::uint64_t before = allocated, reads = counts->reads;
    array->write(all);
    EXPECT_EQ(counts->reads, reads) << "whole chunks are not read first";
    array->write(parse_selection("[50:-50]"), inner);
    const std::uint64_t taken = allocated - before;
    if (first == 0)
      first = taken;
    else
      EXPECT_LT(taken, 6 * first) << "four times the cells";
  }
}

}  // namespace
}  // namespace tegula::testing
