// Arrays made by hand, to the letter of the format, for tests that need many fragments or odd ones.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/endian.h"
#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/fragment_lists.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/disk/rtree.h"
#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/memory/memory_store.h"

namespace tegula::tiledb {

// Dense, one int64 dimension "x" from 0, one int32 attribute "a" without filters.
class HandMadeArray {
 public:
  HandMadeArray(std::int64_t last, std::int64_t extent) : store_(make_memory_store()), extent_(extent) {
    schema_.version = 22;
    SchemaDimension x;
    x.name = "x";
    x.type_code = 1;
    x.type = datatype_from_tiledb(1);
    x.domain.resize(16);
    store_le<std::int64_t>(x.domain.data(), 0);
    store_le<std::int64_t>(x.domain.data() + 8, last);
    x.extent.resize(8);
    store_le<std::int64_t>(x.extent.data(), extent);
    schema_.dimensions.push_back(std::move(x));
    SchemaAttribute a;
    a.name = "a";
    a.type_code = 0;
    a.type = datatype_from_tiledb(0);
    a.fill.resize(4);
    store_le<std::int32_t>(a.fill.data(), -1);
    schema_.attributes.push_back(std::move(a));
    schema_name_ = make_timed_name(1, 1, std::string(32, '0'), 0);
    Bytes payload, file;
    encode_schema(schema_, payload);
    encode_generic_tile(payload, 22, nullptr, file);
    store_->put("__schema/" + schema_name_, ByteView(file));
  }

  const std::shared_ptr<Store>& store() const { return store_; }

  // What the metadata says of each tile; nothing where lists are empty.
  struct Statistics {
    std::vector<std::int32_t> mins, maxs;
    std::vector<std::uint64_t> sums;
  };

  // Cells first .. first + values.size() - 1. Returns the folder.
  std::string write(std::uint64_t time, std::int64_t first, const std::vector<std::int32_t>& values,
                    const Statistics& statistics = {}) {
    const std::int64_t last = first + static_cast<std::int64_t>(values.size()) - 1;
    const std::int64_t first_tile = first / extent_, tiles = last / extent_ - first_tile + 1;
    const std::string name = make_timed_name(time, time, number_ + std::to_string(1000000000 + count_++).substr(1), 22);
    const std::string folder = "__fragments/" + name;
    Bytes data;
    std::vector<std::uint64_t> offsets;
    ScratchPool scratch;
    Pipeline no_filters;
    FilterInput input;
    input.type_code = 0;
    input.cell_size = 4;
    const FilterPlan plan = make_plan(no_filters, input, nullptr);
    for (std::int64_t t = 0; t < tiles; ++t) {
      Bytes raw(static_cast<std::size_t>(extent_) * 4);
      std::memset(raw.data(), 0, raw.size());
      for (std::int64_t i = 0; i < extent_; ++i) {
        const std::int64_t x = (first_tile + t) * extent_ + i;
        if (x >= first && x <= last)
          store_le<std::int32_t>(raw.data() + i * 4, values[static_cast<std::size_t>(x - first)]);
      }
      offsets.push_back(data.size());
      encode_tile(plan, raw, cut_cells(raw.size(), 4), data, scratch, {});
    }
    store_->put(folder + "/a0.tdb", ByteView(data));
    put_metadata(folder, first, last, data.size(), offsets, statistics);
    store_->put_text("__commits/" + name + ".wrt", "");
    return folder;
  }

 private:
  static std::vector<std::int32_t> no_values() { return {}; }

  void put_metadata(const std::string& folder, std::int64_t first, std::int64_t last, std::uint64_t size,
                    const std::vector<std::uint64_t>& offsets, const Statistics& stored) {
    FragmentFooter footer;
    footer.version = 22;
    footer.schema_name = schema_name_;
    footer.domain = {{first, last}};
    footer.last_tile_cells = static_cast<std::uint64_t>(extent_);
    footer.slots.resize(3);  // a, coordinates, x
    footer.slots[0].file_size = size;
    Bytes file;
    const auto tile = [&](const Bytes& payload) {
      const std::uint64_t at = file.size();
      encode_generic_tile(payload, 22, nullptr, file);
      return at;
    };
    const auto numbers = [&](const std::vector<std::uint64_t>& list) {
      Bytes payload;
      encode_numbers(list, payload);
      return tile(payload);
    };
    Bytes tree;
    encode_rtree(RTree{}, 22, tree);
    footer.rtree = tile(tree);
    const std::vector<std::uint64_t> zeros(offsets.size(), 0);
    for (std::size_t s = 0; s < 3; ++s) footer.slots[s].tile_offsets = numbers(s == 0 ? offsets : zeros);
    for (FooterSlot& slot : footer.slots) slot.var_offsets = numbers(zeros);
    for (FooterSlot& slot : footer.slots) slot.var_sizes = numbers(zeros);
    for (FooterSlot& slot : footer.slots) slot.validity_offsets = numbers(zeros);
    const auto extremes = [&](const std::vector<std::int32_t>& values) {
      TileExtremes all;
      all.cell = values.empty() ? 0 : 4;
      for (const std::int32_t value : values) ByteWriter(all.fixed).put(value);
      Bytes payload;
      encode_extremes(all, payload);
      return tile(payload);
    };
    for (std::size_t s = 0; s < 3; ++s) footer.slots[s].mins = extremes(s == 0 ? stored.mins : no_values());
    for (std::size_t s = 0; s < 3; ++s) footer.slots[s].maxs = extremes(s == 0 ? stored.maxs : no_values());
    for (std::size_t s = 0; s < 3; ++s)
      footer.slots[s].sums = numbers(s == 0 ? stored.sums : std::vector<std::uint64_t>());
    for (FooterSlot& slot : footer.slots) slot.null_counts = numbers({});
    Bytes statistics, processed;
    encode_statistics(std::vector<FieldStatistics>(3), statistics);
    footer.statistics = tile(statistics);
    encode_processed({}, processed);
    footer.processed_conditions = tile(processed);
    const std::uint64_t begin = file.size();
    encode_footer(footer, schema_, file);
    ByteWriter(file).put(std::uint64_t{file.size() - begin});
    store_->put(folder + "/__fragment_metadata.tdb", ByteView(file));
  }

  std::shared_ptr<Store> store_;
  std::int64_t extent_;
  ArraySchema schema_;
  std::string schema_name_;
  std::string number_ = std::string(23, 'a');
  std::uint64_t count_ = 0;
};

}  // namespace tegula::tiledb
