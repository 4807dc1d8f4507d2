// Large tiles go through memory in pieces.
#include "format/tiledb/fragment/tile_stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "format/tiledb/read/array_contents.h"
#include "format/tiledb/reader_build.h"
#include "store/wrap/counting_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

constexpr std::int64_t kCells = 600000;  // 2.4 MB in 37 chunks

class Sink : public TileSink {
 public:
  Sink(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}
  bool wants(std::uint64_t begin, std::uint64_t end) const override { return begin < last_ && first_ < end; }
  MutableBytes place(std::uint64_t begin, std::uint64_t end) override {
    return begin % 2 ? MutableBytes() : MutableBytes(bytes).subspan(begin, end - begin);
  }
  void take(std::uint64_t begin, ByteView data) override {
    std::memcpy(bytes.data() + begin, data.data(), data.size());
  }
  Bytes bytes = Bytes(kCells * 4, std::byte{0});

 private:
  std::uint64_t first_, last_;
};

class TileStreamTest : public ::testing::Test {
 protected:
  TileStreamTest() : made_(kCells - 1, kCells), values_(kCells) {
    std::iota(values_.begin(), values_.end(), 7);
    file_ = made_.write(10, 0, values_) + "/a0.tdb";
  }

  void stream(Sink& sink, unsigned threads, std::shared_ptr<const Store> store = nullptr) const {
    const ArrayContents array = open_contents(store ? store : made_.store(), {});
    const TileStream tile{{array.fragments.at(0).get(), array.fragments[0]->field("a"), 0}, false, &sink};
    Work work;
    work.threads = threads;
    stream_tiles(array.files, std::span(&tile, 1), work);
  }

  HandMadeArray made_;
  std::vector<std::int32_t> values_;
  std::string file_;
};

TEST_F(TileStreamTest, gives_all_bytes_at_any_number_of_threads) {
  for (const unsigned threads : {1u, 2u, 8u}) {
    SCOPED_TRACE(threads);
    Sink sink(0, UINT64_MAX);
    stream(sink, threads);
    EXPECT_EQ(std::memcmp(sink.bytes.data(), values_.data(), sink.bytes.size()), 0);
  }
}

TEST_F(TileStreamTest, stops_reading_behind_what_is_wanted) {
  const auto counts = std::make_shared<StoreCounts>();
  Sink sink(100, 200);
  stream(sink, 1, counting_store(made_.store(), counts));
  EXPECT_EQ(std::memcmp(sink.bytes.data() + 100, reinterpret_cast<const std::byte*>(values_.data()) + 100, 100), 0);
  EXPECT_LT(counts->bytes_read.load(), 700000u);
}

// One chunk too many once made the loop wait for bytes behind the end of the tile for ever.
TEST_F(TileStreamTest, a_wrong_number_of_chunks_is_damage) {
  for (const std::uint64_t count : {0u, 1u, 36u, 38u, 1000u}) {
    SCOPED_TRACE(count);
    Bytes data = *made_.store()->get(file_);
    store_le<std::uint64_t>(data.data(), count);
    made_.store()->put(file_, data);
    Sink sink(0, UINT64_MAX);
    EXPECT_ERROR(corrupt, "a0.tdb at byte", stream(sink, 2));
  }
}

TEST_F(TileStreamTest, a_wrong_length_is_damage) {
  const Bytes good = *made_.store()->get(file_);
  for (const std::size_t at : {8, 12, 16}) {
    SCOPED_TRACE(at);
    Bytes data = good;
    data[at + 3] = std::byte{0x7F};
    made_.store()->put(file_, data);
    Sink sink(0, UINT64_MAX);
    EXPECT_ERROR(corrupt, "a0.tdb at byte", stream(sink, 2));
  }
}

}  // namespace
}  // namespace tegula::tiledb
