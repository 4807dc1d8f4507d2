// What reading costs in requests and bytes.
#include <gtest/gtest.h>

#include "format/tiledb/maintain/consolidate_files.h"
#include "format/tiledb/reader_build.h"
#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/tracing_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

constexpr std::int64_t kExtent = 65536;  // four chunks of 64 KiB per tile
constexpr std::int64_t kFragments = 1000;

std::vector<std::int32_t> cells_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::int32_t>(first + i));
  return values;
}

Selection between(std::int64_t first, std::int64_t end) {
  Selection selection;
  selection.axes.push_back(Slice{first, end, 1});
  return selection;
}

std::vector<std::int32_t> read(const Array& array, std::int64_t first, std::int64_t end, const Work& work = {}) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(end - first));
  array.read(between(first, end), "a", {reinterpret_cast<std::byte*>(values.data()), {values.size()}, {4}}, work);
  return values;
}

TEST(Requests, ASliceReadsTheDataOfTheFragmentsItTouches) {
  // Small tiles: what is asserted here is which fragments are read at all.
  HandMadeArray made(10 * kFragments - 1, 10);
  for (std::int64_t f = 0; f < kFragments; ++f)
    made.write(static_cast<std::uint64_t>(f + 1), 10 * f, cells_from(10 * f, 10));
  const auto counts = std::make_shared<StoreCounts>();
  std::vector<std::string> data_files;
  std::mutex mutex;
  const auto traced = tracing_store(counting_store(made.store(), counts), [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    if (line.find("a0.tdb") != std::string_view::npos && line.starts_with("read")) data_files.emplace_back(line);
  });
  const TiledbArray array(traced, {});
  EXPECT_LE(counts->reads, 2u) << "opening reads the schema only";
  EXPECT_EQ(read(array, 4995, 5005), cells_from(4995, 10));
  EXPECT_EQ(data_files.size(), 2u);
  // One footer each, tile offsets of two, data of two.
  EXPECT_LE(counts->reads, kFragments + 10u);
  EXPECT_EQ(counts->sizes, 0u);
  const std::uint64_t before_reads = counts->reads, before_bytes = counts->bytes_read;
  EXPECT_EQ(read(array, 7000, 7010), cells_from(7000, 10));
  EXPECT_LE(counts->reads - before_reads, 3u) << "footers are kept";
  EXPECT_LE(counts->bytes_read - before_bytes, 400u);
}

TEST(Requests, ConsolidatedFootersSpareARequestPerFragment) {
  std::uint64_t requests[2] = {};
  for (const bool many : {false, true}) {
    const std::int64_t fragments = many ? 400 : 5;
    HandMadeArray made(10 * fragments - 1, 10);
    for (std::int64_t f = 0; f < fragments; ++f)
      made.write(static_cast<std::uint64_t>(f + 1), 10 * f, cells_from(10 * f, 10));
    consolidate_footers({made.store(), {}}, Doing::change, {});
    const auto counts = std::make_shared<StoreCounts>();
    const TiledbArray array(counting_store(made.store(), counts), {});
    EXPECT_EQ(read(array, 15, 25), cells_from(15, 10));
    requests[many] = counts->reads + counts->sizes + counts->lists;
  }
  EXPECT_EQ(requests[0], requests[1]);
  EXPECT_LE(requests[1], 12u);
}

// All parts of a small file of metadata come with the first of them, wherever the footer was.
TEST(Requests, AFragmentIsAskedForItsMetadataOnce) {
  using namespace writing;
  const Schema schema = make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99'999})},
                                    {attribute("a", TypeId::int32), attribute("b", TypeId::float64)});
  constexpr std::uint64_t kCount = 20;
  for (const bool consolidated : {false, true}) {
    const auto store = make_memory_store();
    const auto array = create_array(store, schema, {});
    for (std::uint64_t f = 0; f < kCount; ++f) array->write(random_cells(schema, 50, f), {});
    if (consolidated) consolidate_footers({store, {}}, Doing::change, {});
    std::uint64_t asked = 0;
    std::mutex mutex;
    const auto traced = tracing_store(store, [&](std::string_view line) {
      const std::lock_guard lock(mutex);
      asked += line.find("__fragment_metadata.tdb") != std::string_view::npos;
    });
    Query query;
    query.ranges = {{"x", {{std::int64_t{10'000}, std::int64_t{90'000}}}}};
    EXPECT_GT(collect(*TiledbArray(traced, {}).query(query)).cells, 0u);
    EXPECT_EQ(asked, kCount) << (consolidated ? "consolidated footers" : "footers of the fragments");
  }
}

TEST(Requests, AWindowDecodesTheChunksItTouches) {
  HandMadeArray made(kExtent - 1, kExtent);
  made.write(1, 0, cells_from(0, kExtent));
  const auto counts = std::make_shared<StoreCounts>();
  const TiledbArray array(counting_store(made.store(), counts), {});
  read(array, 0, 1);  // footers and offsets
  const std::uint64_t before = counts->bytes_read;
  EXPECT_EQ(read(array, 20000, 20003), cells_from(20000, 3));
  EXPECT_EQ(counts->bytes_read - before, 65536u + kChunkHeaderSize) << "one chunk of four";
  EXPECT_EQ(read(array, 0, kExtent), cells_from(0, kExtent));
}

// Chunks with a checksum that does not fit are noticed when they are decoded, and only then.
TEST(Requests, ChunksOutsideOfAWindowAreNotDecoded) {
  using namespace writing;
  const auto store = make_memory_store();
  const Schema schema =
      make_schema(false, {dimension("x", TypeId::int64, std::int64_t{0}, kExtent - 1, kExtent)},
                  {attribute("a", TypeId::int32, 1, false, {filter("byteshuffle"), filter("checksum_md5")})});
  const auto values = cells_from(0, kExtent);
  create_array(store, schema, {})
      ->write(between(0, kExtent), "a", {reinterpret_cast<const std::byte*>(values.data()), {values.size()}, {4}});
  const std::string key = join("__fragments/" + store->list("__fragments").at(0).name, "a0.tdb");
  const Bytes right = *store->get(key);
  constexpr std::int64_t kChunkCells = 16384;
  for (std::int64_t chunk = 0; chunk < 4; ++chunk) {
    Bytes damaged = right;
    damaged[static_cast<std::size_t>(chunk) * (right.size() / 4) + 30000] ^= std::byte{1};
    store->put(key, ByteView(damaged));
    const TiledbArray array(store, {});
    for (std::int64_t other = 0; other < 4; ++other) {
      const std::int64_t first = other * kChunkCells + 100;
      if (other == chunk)
        EXPECT_ERROR(corrupt, "MD5", read(array, first, first + 100));
      else
        EXPECT_EQ(read(array, first, first + 100), cells_from(first, 100));
    }
  }
}

TEST(Requests, ADamagedFragmentDoesNotHideTheOthers) {
  HandMadeArray made(99, 10);
  made.write(1, 0, cells_from(0, 50));
  const std::string newer = made.write(2, 50, cells_from(50, 50));
  Bytes data = *made.store()->get(newer + "/a0.tdb");
  data.resize(data.size() / 2);
  made.store()->put(newer + "/a0.tdb", ByteView(data));
  const TiledbArray array(made.store(), {});
  EXPECT_EQ(read(array, 5, 45), cells_from(5, 40));
  EXPECT_ANY_THROW(read(array, 90, 100));
  OpenOptions earlier;
  earlier.at = {{0, 1}};
  EXPECT_EQ(read(TiledbArray(made.store(), earlier), 40, 50), cells_from(40, 10));

  // Without its footer nobody knows what it covers; what does not need it still works.
  made.store()->put_text(newer + "/__fragment_metadata.tdb", "damaged");
  EXPECT_EQ(read(TiledbArray(made.store(), earlier), 40, 50), cells_from(40, 10));
  const TiledbArray damaged(made.store(), {});
  EXPECT_EQ(damaged.schema().attributes.size(), 1u);
  EXPECT_TRUE(damaged.metadata().empty());
  for (const int again : {0, 1}) EXPECT_ERROR(corrupt, "__fragment_metadata.tdb", read(damaged, 5, 45 + again));
}

TEST(Requests, TheLatestFragmentWinsWhateverTheNumberOfThreads) {
  HandMadeArray made(999, 7);
  std::vector<std::int32_t> expected(1000, -1);
  for (std::uint64_t f = 0; f < 60; ++f) {
    const std::int64_t first = static_cast<std::int64_t>(f * 37 % 900),
                       count = static_cast<std::int64_t>(5 + f * 13 % 90);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count), static_cast<std::int32_t>(f));
    made.write(f + 1, first, values);
    std::fill_n(expected.begin() + first, count, static_cast<std::int32_t>(f));
  }
  const TiledbArray array(made.store(), {});
  for (const unsigned threads : {1u, 2u, 8u}) {
    Work work;
    work.threads = threads;
    EXPECT_EQ(read(array, 0, 1000, work), expected);
  }
}

}  // namespace
}  // namespace tegula::tiledb
