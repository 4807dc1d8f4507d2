// An open fragment: its footer, its fields, and the rest of its metadata on demand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/rtree.h"
#include "format/tiledb/filter/filter_plan.h"
#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/fragment/fragment_metadata.h"
#include "format/tiledb/listing/array_listing.h"
#include "store/store.h"

namespace tegula::tiledb {

enum class FieldKind : std::uint8_t { attribute, dimension, timestamps, delete_times, delete_condition };

// A field as one fragment stores it.
struct StoredField {
  std::string name;
  FieldKind kind = FieldKind::attribute;
  std::size_t index = 0;  // in the schema's attributes or dimensions
  std::size_t slot = 0;
  std::uint8_t type_code = 0;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  bool in_coords = false;  // a dimension of versions 1 to 4: part of the coordinates' tile
  std::string base;        // key without "[_var|_validity].tdb"

  bool var() const { return values_per_cell == kVar; }
  std::uint64_t cell_size() const { return var() ? 0 : std::uint64_t{values_per_cell} * type.size; }
  std::string file() const { return base + ".tdb"; }  // data, or offsets
  std::string var_file() const { return base + "_var.tdb"; }
  std::string validity_file() const { return base + "_validity.tdb"; }
};

// Loads each part of its metadata once, when it is first needed. Safe to share between threads.
class Fragment {
 public:
  // Reads the footer unless it is given; then it makes no request. `schema_of` finds a schema by the name in a footer.
  using SchemaFinder = FragmentMetadata::SchemaFinder;
  static std::shared_ptr<const Fragment> open(const ArrayFiles& files, const FragmentEntry& entry,
                                              const SchemaFinder& schema_of,
                                              std::optional<ByteView> footer = std::nullopt);
  // The same, from a store that may know what plan_footer() wants.
  static std::shared_ptr<const Fragment> open(const ArrayFiles& files, const FragmentEntry& entry,
                                              const SchemaFinder& schema_of, std::optional<ByteView> footer,
                                              const Store& from);
  static void plan_footer(const FragmentEntry& entry, Wants& wants);
  Fragment(const Fragment&) = delete;
  Fragment& operator=(const Fragment&) = delete;

  const std::string& name() const { return entry_.name; }
  const std::string& folder() const { return entry_.folder; }
  std::uint64_t first_time() const { return entry_.time.first; }
  std::uint64_t last_time() const { return entry_.time.last; }
  std::uint32_t version() const { return footer().version; }
  bool dense() const { return footer().dense; }
  bool has_timestamps() const { return footer().has_timestamps; }
  bool has_deletes() const { return footer().has_deletes; }
  const NdRange& domain() const { return footer().domain; }  // non-empty
  const ArraySchema& schema() const { return *schema_; }
  const FragmentFooter& footer() const { return metadata_.footer(); }

  std::uint64_t tiles() const { return tiles_; }
  std::uint64_t cells(std::uint64_t tile) const;  // dense: of a whole space tile
  std::uint64_t total_cells() const;
  // Dense: the space tiles that the domain covers, along each dimension the index of the first and their number.
  struct TileBox {
    std::vector<std::uint64_t> first, count;
  };
  const TileBox& tile_box() const { return box_; }

  const std::vector<StoredField>& fields() const { return fields_; }  // attributes, dimensions (sparse), times
  const StoredField* field(std::string_view name) const;              // attribute or dimension; null when absent
  const StoredField* special(FieldKind kind) const;                   // timestamps, delete_times, delete_condition

  // Loads several parts with one request, for the calls below.
  using Wanted = WantedPart;
  void prefetch(std::span<const WantedPart> wanted) const { metadata_.prefetch(wanted, *files_.store); }
  // The same for a loop over fragments; see fetch_each().
  void plan(std::span<const WantedPart> wanted, Wants& wants) const { metadata_.plan(wanted, wants); }
  void prefetch(std::span<const WantedPart> wanted, const Store& from) const { metadata_.prefetch(wanted, from); }

  std::span<const std::uint64_t> tile_offsets(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::tile_offsets, slot);
  }
  std::span<const std::uint64_t> var_offsets(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::var_offsets, slot);
  }
  std::span<const std::uint64_t> var_sizes(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::var_sizes, slot);
  }
  std::span<const std::uint64_t> validity_offsets(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::validity_offsets, slot);
  }
  // Empty, or without entries, where the fragment has none. See trust().
  const TileExtremes& mins(std::size_t slot) const { return metadata_.extremes(FragmentPart::mins, slot); }
  const TileExtremes& maxs(std::size_t slot) const { return metadata_.extremes(FragmentPart::maxs, slot); }
  std::span<const std::uint64_t> sums(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::sums, slot);
  }  // bits of int64, uint64 or double
  std::span<const std::uint64_t> null_counts(std::size_t slot) const {
    return metadata_.numbers(FragmentPart::null_counts, slot);
  }
  const RTree& rtree() const { return metadata_.rtree(); }  // sparse only
  const std::vector<FieldStatistics>& statistics() const {
    return metadata_.statistics();
  }  // by slot; empty before version 12
  const std::vector<std::string>& processed_conditions() const {
    return metadata_.processed_conditions();
  }  // markers; empty before version 16
  // Version 23, sparse: coordinate of the first and last cell of each tile; no entries when not stored.
  const TileExtremes& first_coordinates(std::size_t dimension) const {
    return metadata_.extremes(FragmentPart::first_coordinates, dimension);
  }
  const TileExtremes& last_coordinates(std::size_t dimension) const {
    return metadata_.extremes(FragmentPart::last_coordinates, dimension);
  }
  // Which statistics of the tiles of a field can be trusted. Some versions counted padding, some kinds of fields were
  // always wrong, and lossy filters change values afterwards. Of dense tiles only those whose cells all lie in the
  // domain: a consolidation by libtiledb counts the padding of the others.
  struct Trust {
    bool extremes = false, sums = false, null_counts = false;
  };
  Trust trust(const StoredField& field) const;
  // Smallest and largest value of a tile; none unless they are certain. If there are some, no value of the tile is NaN.
  struct Extremes {
    ByteView min, max;
  };
  std::optional<Extremes> extremes(const StoredField& field, std::uint64_t tile) const;

  // Version of the library that wrote the fragment.
  std::uint32_t writer_version() const { return metadata_.writer_version(); }

  // Made once per field and part.
  enum class Data : std::uint8_t { fixed, var, validity };  // fixed: cells, or the offsets of variable ones
  const FilterPlan& plan(const StoredField& field, Data data) const;
  // Bytes [begin, end) of a filtered tile in its file, checked against the size of the file that the footer states.
  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  Extent stored(const StoredField& field, Data data, std::uint64_t tile) const;
  // Raw bytes of a tile: cells * cell_size, cells * 8 offsets, or the variable size.
  std::uint64_t raw_bytes(const StoredField& field, Data data, std::uint64_t tile) const;
  std::string file(const StoredField& field, Data data) const;

 private:
  Fragment(const ArrayFiles& files, const FragmentEntry& entry);
  void set_box();

  const ArrayFiles files_;
  const FragmentEntry entry_;
  FragmentMetadata metadata_;
  std::shared_ptr<const ArraySchema> schema_;
  std::vector<StoredField> fields_;
  std::uint64_t tiles_ = 0;
  std::uint64_t dense_cells_ = 0;
  TileBox box_;
  mutable std::mutex plans_mutex_;
  mutable std::map<std::pair<std::size_t, Data>, std::unique_ptr<const FilterPlan>> plans_;  // by slot
};

// The fields that a fragment in `folder` stores: attributes, then for a sparse one dimensions, timestamps, delete times
// and delete conditions.
struct FragmentShape {
  std::uint32_t version = 0;
  bool dense = true;
  bool timestamps = false, deletes = false;
};
std::vector<StoredField> stored_fields(const ArraySchema& schema, const FragmentShape& shape, std::string_view folder);

// How a part of a field is filtered.
struct FilterVersions {
  std::uint32_t version = 0;  // of the fragment
  std::uint32_t writer = 0;   // of the library that writes it
};
FilterPlan field_plan(const ArraySchema& schema, const StoredField& field, Fragment::Data data,
                      const FilterVersions& versions, const Key& key);

}  // namespace tegula::tiledb
