// A format for tests: a folder that holds one array.npy of float64, read only.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/fail.h"
#include "format/driver.h"
#include "tegula/selection.h"

namespace tegula::testing {

inline constexpr std::string_view kNpyKey = "array.npy";

class NpyArray final : public Array {
 public:
  explicit NpyArray(const Store& store) {
    const std::optional<Bytes> file = store.get(kNpyKey);
    if (!file || file->size() < 10) fail(ErrorKind::corrupt, "{} is no .npy file", store.describe(kNpyKey));
    const std::size_t header =
        std::to_integer<std::size_t>((*file)[8]) + 256 * std::to_integer<std::size_t>((*file)[9]);
    values_.assign(file->begin() + static_cast<std::ptrdiff_t>(10 + header), file->end());
    schema_.format = "npy";
    Dimension rows;
    rows.name = "dim_0";
    rows.type = TypeId::uint64;
    rows.domain = {std::uint64_t{0}, values_.size() / 8 - 1};
    rows.tile = std::uint64_t{values_.size() / 8};
    schema_.dimensions = {rows};
    Attribute value;
    value.type = TypeId::float64;
    value.fill.resize(8, std::byte{0});
    schema_.attributes = {value};
  }

  const Schema& schema() const override { return schema_; }
  Metadata metadata() const override { return {}; }
  Info info(const Work&) const override {
    Info info;
    info.stored_bytes = values_.size();
    return info;
  }
  std::unique_ptr<BatchStream> query(const Query& query) const override {
    Selection all{{Ellipsis{}}};
    const AxisPick rows = resolve(query.select.value_or(all), schema_.shape()).axes.at(0);
    Batch batch;
    Column column;
    column.type = TypeId::float64;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      const std::byte* from = values_.data() + rows.at(i) * 8;
      column.data.insert(column.data.end(), from, from + 8);
    }
    batch.cells = rows.count;
    batch.shape = {rows.count};
    batch.columns.push_back(std::move(column));
    return std::make_unique<OneBatch>(std::move(batch));
  }

 private:
  struct OneBatch final : BatchStream {
    explicit OneBatch(Batch batch) : batch_(std::move(batch)) {}
    std::optional<Batch> next() override { return std::exchange(batch_, std::nullopt); }
    std::optional<Batch> batch_;
  };
  Bytes values_;
  Schema schema_;
};

inline Found probe_npy(const Store& store) { return store.has(kNpyKey) ? Found{ObjectKind::array, "npy"} : Found{}; }
inline std::shared_ptr<Array> open_npy(std::shared_ptr<Store> store, const OpenOptions&, KnownStore&) {
  return std::make_shared<NpyArray>(*store);
}

// All that a format has to say about itself.
inline constexpr Format kNpyFormats[] = {{{.format = "npy", .family = "npy", .title = "npy folder"}, {}}};
inline const Driver kNpyDriver{.family = "npy", .formats = kNpyFormats, .probe = probe_npy, .open_known = open_npy};

// The bytes of a .npy file.
inline std::string npy_file(const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  header.resize(118, ' ');
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * 8);
  return file;
}

}  // namespace tegula::testing
