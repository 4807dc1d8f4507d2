// Shards are read through their index, and what the index says is checked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>

#include "base/endian.h"
#include "codec/checksum/crc32c.h"
#include "format/zarr/codec/sharding.h"
#include "format/zarr/numbers_array.h"
#include "store/file/file_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

TEST(Shards, WindowTouchesOnlyTheChunksItNeeds) {
  const auto memory = make_memory_store();
  // 8192 x 8192 in shards of 2048 x 2048 with chunks of 64 x 64; only the shard around the window is written.
  const auto array =
      create({"zarr3", {8192, 8192}, {2048, 2048}, {filter("sharding", {{"chunk_shape", "[64, 64]"}})}}, memory);
  std::vector<std::int32_t> values(2048 * 2048);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  write(*array, parse_selection("[2048:4096, 2048:4096]"), values);

  const auto counts = std::make_shared<StoreCounts>();
  const auto counted = reopen(counting_store(memory, counts));
  counts->reads = counts->bytes_read = counts->sizes = counts->lists = 0;
  const auto window = read(*counted, "[2100:2200, 3000:3100]");
  EXPECT_EQ(window[0], (2100 - 2048) * 2048 + 3000 - 2048);
  EXPECT_EQ(window[9999], (2199 - 2048) * 2048 + 3099 - 2048);
  const std::uint64_t chunks = 3 * 3;  // rows 52..151 and columns 952..1051 of the shard
  // The end of the shard, which is its index, then the chunks of a row of the grid at once: they are adjacent.
  EXPECT_EQ(counts->reads, 1u + 3);
  EXPECT_EQ(counts->sizes, 0u);
  EXPECT_EQ(counts->lists, 0u);
  EXPECT_EQ(counts->bytes_read, 16u * 32 * 32 + 4 + chunks * 64 * 64 * 4);
  // Cells of an absent shard cost one request.
  counts->reads = counts->sizes = 0;
  EXPECT_EQ(read(*counted, "[0, 0]"), std::vector<std::int32_t>{-7});
  EXPECT_EQ(counts->reads, 1u);
  EXPECT_EQ(counts->sizes, 0u);
}

TEST(Shards, ChunksOfFillAreLeftOut) {
  const auto store = make_memory_store();
  const auto array = create({"zarr3", {8}, {8}, {filter("sharding", {{"chunk_shape", "[2]"}})}}, store);
  write(*array, parse_selection("[2:4]"), {5, 6});
  EXPECT_EQ(store->size("c/0"), 8u + 4 * 16 + 4);
  EXPECT_EQ(read(*array, "[...]"), (std::vector<std::int32_t>{-7, -7, 5, 6, -7, -7, -7, -7}));
}

// Writes one index entry of a shard anew, with the checksum that suits it.
void patch_entry(Store& store, std::size_t number, std::uint64_t offset, std::uint64_t length) {
  Bytes shard = store.get("c/0").value();
  const std::size_t index = shard.size() - 4 * 16 - 4;
  store_le(shard.data() + index + 16 * number, offset);
  store_le(shard.data() + index + 16 * number + 8, length);
  store_le(shard.data() + shard.size() - 4, codec::crc32c(ByteView(shard).subspan(index, 4 * 16)));
  store.put("c/0", ByteView(shard));
}

TEST(Shards, BadIndexesAreErrorsThatNameTheFile) {
  struct Row {
    std::uint64_t offset, length;
    const char* part;
  };
  const Row rows[] = {{1000, 8, "1000+8"},    {0, 1000, "0+1000"},        {UINT64_MAX, 8, "c/0"},
                      {8, UINT64_MAX, "c/0"}, {UINT64_MAX - 1, 8, "c/0"}, {0, 7, "c/0"}};
  for (const Row& row : rows) {
    const auto store = make_memory_store();
    const auto array = create({"zarr3", {8}, {8}, {filter("sharding", {{"chunk_shape", "[2]"}})}}, store);
    write(*array, parse_selection("[...]"), {1, 2, 3, 4, 5, 6, 7, 8});
    patch_entry(*store, 1, row.offset, row.length);
    EXPECT_ERROR(corrupt, row.part, read(*array, "[2:4]"));
    EXPECT_EQ(array->verify().size(), 1u);
  }
  const auto store = make_memory_store();
  const auto array = create({"zarr3", {8}, {8}, {filter("sharding", {{"chunk_shape", "[2]"}})}}, store);
  write(*array, parse_selection("[...]"), {1, 2, 3, 4, 5, 6, 7, 8});
  Bytes shard = store->get("c/0").value();
  shard[shard.size() - 10] ^= std::byte{1};
  store->put("c/0", ByteView(shard));
  EXPECT_ERROR(corrupt, "c/0", read(*array, "[0]"));
  store->put("c/0", ByteView(shard).first(20));
  EXPECT_ERROR(corrupt, "index alone needs", read(*array, "[0]"));
}

// Acts once, after the index was read and before the chunks are. For the locks of this process it is another array.
class Interloper final : public WrappedStore {
 public:
  Interloper(std::shared_ptr<Store> store, std::function<void()> act, int times)
      : WrappedStore(std::move(store)), act_(std::move(act)), left_(times) {}
  using Store::get;
  void get(std::span<RangeRead> reads) const override {
    if (left_-- > 0) act_();
    store_->get(reads);
  }
  std::string identity() const override { return "another machine"; }

 private:
  std::function<void()> act_;
  mutable std::atomic<int> left_;
};

// Somebody else replaces a shard between its index and its chunks, where no checksum would tell: what is read is the
// new one.
TEST(Shards, ThatAreReplacedWhileTheyAreReadAreReadAgain) {
  const std::vector<std::int32_t> old{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int32_t> others[] = {
      {11, 12, 13, 14, 15, 16, 17, 18},  // of the same size
      {-7, -7, 13, 14, 15, 16, -7, -7},  // shorter, and chunks lie where others lay
      {-7, -7, -7, -7, -7, -7, 17, 18},  // shorter than the first chunks end
      {-7, -7, -7, -7, -7, -7, -7, -7},  // without chunks
  };
  const TempFolder folder;
  int number = 0;
  for (const char* location : {"end", "start"})
    for (const bool on_disk : {false, true})
      for (const int times : {1, 3})
        for (const auto& other : others) {
          SCOPED_TRACE(fmt::format("index at {}, {}, {} times, {}", location, on_disk ? "disk" : "memory", times,
                                   fmt::join(other, " ")));
          const std::shared_ptr<Store> files =
              on_disk ? open_file_store(folder / std::to_string(number++)) : make_memory_store();
          const auto array = create(
              {"zarr3", {8}, {8}, {filter("sharding", {{"chunk_shape", "[2]"}, {"index_location", location}})}}, files);
          write(*array, parse_selection("[...]"), old);
          std::vector<std::int32_t> last = other;
          const auto replace = [&] {
            // Another state each time.
            last[2] += 100;
            write(*array, parse_selection("[...]"), last);
          };
          EXPECT_EQ(read(*reopen(std::make_shared<Interloper>(files, replace, times)), "[...]"), last);
        }
  const auto memory = make_memory_store();
  const auto array = create({"zarr3", {8}, {8}, {filter("sharding", {{"chunk_shape", "[2]"}})}}, memory);
  write(*array, parse_selection("[...]"), old);
  const auto remove = [&] { memory->remove("c/0"); };
  EXPECT_EQ(read(*reopen(std::make_shared<Interloper>(memory, remove, 1)), "[...]"), std::vector<std::int32_t>(8, -7));
  write(*array, parse_selection("[...]"), old);
  const auto again = [&] { write(*array, parse_selection("[...]"), old); };
  EXPECT_ERROR(io, "was replaced", read(*reopen(std::make_shared<Interloper>(memory, again, 1000)), "[...]"));
}

TEST(Shards, SmallWindowOfALargeBloscChunkDecodesOnlyItsBlocks) {
  const auto store = make_memory_store();
  const auto array =
      create({"zarr2", {1 << 20}, {1 << 20}, {filter("blosc", {{"blocksize", std::int64_t{65536}}})}}, store);
  std::vector<std::int32_t> values(1 << 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 2654435761u);
  write(*array, parse_selection("[...]"), values);
  // Damage in other blocks does not affect the window, and is found when they are read.
  Bytes chunk = store->get("0").value();
  std::fill(chunk.end() - 1000, chunk.end(), std::byte{0xff});
  store->put("0", ByteView(chunk));
  EXPECT_EQ(read(*array, "[1000:1003]"), (std::vector<std::int32_t>{values[1000], values[1001], values[1002]}));
}

}  // namespace
}  // namespace tegula::testing
