// Damaged arrays: every answer is right, or an error; nothing else.
#include <gtest/gtest.h>

#include <random>

#include "format/tiledb/reader_support.h"

namespace tegula::tiledb {
namespace {

std::vector<std::string> files_below(const Store& store, const std::string& folder) {
  std::vector<std::string> files;
  for (const Entry& entry : store.list(folder)) {
    const std::string key = join(folder, entry.name);
    if (!entry.folder) {
      files.push_back(key);
      continue;
    }
    for (std::string& file : files_below(store, key)) files.push_back(std::move(file));
  }
  return files;
}

// Everything a reader may ask for. Throws only Error.
std::optional<Batch> read_all(const std::shared_ptr<Store>& store) {
  try {
    const TiledbArray array(store, {});
    array.metadata();
    array.info({});
    array.verify({});
    Query query;
    query.order = Order::row;
    query.work.memory = 64 << 20;
    return collect(*array.query(query));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void damage(const char* name, bool checked) {
  const std::shared_ptr<Store> store = memory_copy(name);
  const std::optional<Batch> right = read_all(store);
  ASSERT_TRUE(right) << name;
  std::mt19937 random(5);
  for (const std::string& key : files_below(*store, "")) {
    const Bytes bytes = *store->get(key);
    if (bytes.empty()) continue;
    // Every byte of small files, every so many of larger ones.
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 60);
    for (std::size_t at = random() % step; at < bytes.size(); at += step)
      for (const int kind : {0, 1, 2}) {
        Bytes changed = bytes;
        if (kind == 0) changed[at] ^= std::byte{static_cast<unsigned char>(1u << (random() % 8))};
        if (kind == 1) changed.resize(at);
        if (kind == 2)
          std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::size_t>(8, bytes.size() - at),
                      std::byte{0});
        if (changed == bytes) continue;
        store->put(key, ByteView(changed));
        const std::optional<Batch> found = read_all(store);
        // Chunks of the data carry a digest of their contents.
        if (checked && found && key.find("a0.tdb") != std::string::npos) {
          EXPECT_TRUE(same(*found, *right)) << key << " byte " << at << " change " << kind;
        }
      }
    store->put(key, ByteView(bytes));
  }
  for (const std::string& key : files_below(*store, "")) {
    const Bytes bytes = *store->get(key);
    store->remove(key);
    read_all(store);
    store->put(key, ByteView(bytes));
  }
  const std::optional<Batch> again = read_all(store);
  ASSERT_TRUE(again);
  EXPECT_TRUE(same(*again, *right));
}

TEST(DamagedArrays, DenseWithChecksums) { damage("filter_checksum_md5", true); }
TEST(DamagedArrays, Sparse) { damage("sparse_2d", false); }
TEST(DamagedArrays, OldDense) { damage("dense_fragments_v4", false); }
TEST(DamagedArrays, Timestamps) { damage("consolidate_timestamps-2.30", false); }

}  // namespace
}  // namespace tegula::tiledb
