// What the reader tests share: arrays of tests/data/tiledb in memory, and columns as plain vectors.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/endian.h"
#include "format/tiledb/array.h"
#include "store/memory/memory_store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

inline std::shared_ptr<Store> memory_copy(const std::string& name) {
  const std::filesystem::path root = std::filesystem::path(TEGULA_TEST_DATA) / "tiledb" / name;
  std::shared_ptr<Store> store = make_memory_store();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    store->put_text(std::filesystem::relative(entry.path(), root).generic_string(), bytes.str());
  }
  return store;
}

inline std::shared_ptr<Array> open_copy(const std::string& name, const OpenOptions& options = {}) {
  return std::make_shared<TiledbArray>(memory_copy(name), options);
}

template <class T>
std::vector<T> values(const Column& column) {
  std::vector<T> result;
  for (std::size_t i = 0; i < column.data.size() / sizeof(T); ++i)
    result.push_back(load_le<T>(column.data.data() + i * sizeof(T)));
  return result;
}

inline std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < column.cells(); ++i) result.emplace_back(text_of(column.cell(i)));
  return result;
}

// A whole answer, for comparing two ways to get it.
inline bool same(const Batch& a, const Batch& b) {
  if (a.cells != b.cells || a.columns.size() != b.columns.size()) return false;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const Column &x = a.columns[i], &y = b.columns[i];
    if (x.name != y.name || x.data != y.data || x.offsets != y.offsets || x.validity != y.validity) return false;
  }
  return true;
}

inline Batch ask(const Array& array, const Query& query) { return collect(*array.query(query)); }

}  // namespace tegula::tiledb
