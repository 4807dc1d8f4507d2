#include "format/tiledb/fragment/metadata_encoder.h"

#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/rtree.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/filter/generic_tile.h"

namespace tegula::tiledb {

namespace {

class MetadataEncoder {
 public:
  MetadataEncoder(const WrittenFragment& fragment, const ArraySchema& schema, const Key& key)
      : fragment_(fragment), schema_(schema), key_(key) {
    footer_.version = fragment.version;
    footer_.schema_name = fragment.schema_name;
    footer_.dense = fragment.dense;
    footer_.domain = fragment.domain;
    footer_.sparse_tiles = fragment.dense ? 0 : fragment.tiles;
    footer_.last_tile_cells = fragment.last_tile_cells;
    footer_.has_timestamps = fragment.timestamps;
    footer_.has_deletes = fragment.deletes;
    footer_.slots.resize(slot_count(schema, fragment.version, fragment.timestamps, fragment.deletes));
    by_slot_.resize(footer_.slots.size());
    for (const WrittenField& written : fragment.fields) {
      by_slot_[written.field->slot] = &written;
      FooterSlot& slot = footer_.slots[written.field->slot];
      slot.file_size = written.file_size;
      slot.var_file_size = written.var_file_size;
      slot.validity_file_size = written.validity_file_size;
    }
  }

  Bytes run() && {
    const std::uint32_t version = fragment_.version;
    Bytes payload;
    encode_rtree(fragment_.dense ? RTree{} : build_rtree(fragment_.rectangles), version, payload);
    footer_.rtree = add(payload);
    const std::size_t all = footer_.slots.size();
    const std::size_t var = one_file_per_dimension(version) ? all : schema_.attributes.size();
    add_numbers(&FooterSlot::tile_offsets, all, &WrittenField::offsets);
    add_numbers(&FooterSlot::var_offsets, var, &WrittenField::var_offsets);
    add_numbers(&FooterSlot::var_sizes, var, &WrittenField::var_sizes);
    if (has_validity(version)) add_numbers(&FooterSlot::validity_offsets, all, &WrittenField::validity_offsets);
    if (has_tile_statistics(version)) {
      add_extremes(&FooterSlot::mins, &TileStatistics::min);
      add_extremes(&FooterSlot::maxs, &TileStatistics::max);
      add_sums();
      add_null_counts();
    }
    if (has_fragment_statistics(version)) add_fragment_statistics();
    if (has_processed_conditions(version)) {
      payload.clear();
      encode_processed(fragment_.processed, payload);
      footer_.processed_conditions = add(payload);
    }
    const std::size_t start = out_.size();
    encode_footer(footer_, schema_, out_);
    if (footer_length_always(version) || schema_.has_var_dimension())
      ByteWriter(out_).put(std::uint64_t{out_.size() - start});
    return std::move(out_);
  }

 private:
  std::uint64_t add(ByteView payload) {
    const std::uint64_t at = out_.size();
    encode_generic_tile(payload, fragment_.version, key_, out_);
    return at;
  }

  // Slots without such a list hold a zero for each tile.
  void add_numbers(std::uint64_t FooterSlot::* place, std::size_t slots,
                   std::span<const std::uint64_t> WrittenField::* list) {
    const std::vector<std::uint64_t> zeros(fragment_.tiles);
    for (std::size_t i = 0; i < slots; ++i) {
      const bool there = by_slot_[i] && !(by_slot_[i]->*list).empty();
      Bytes payload;
      encode_numbers(there ? by_slot_[i]->*list : std::span<const std::uint64_t>(zeros), payload);
      footer_.slots[i].*place = add(payload);
    }
  }

  // libtiledb stores statistics for the slot of the coordinates, which is unused since version 5, as if it were a field
  // of zeros of the first dimension's type.
  bool is_coords(std::size_t slot) const { return slot == schema_.attributes.size(); }
  const Datatype& coords_type() const { return schema_.dimensions[0].type; }

  void add_extremes(std::uint64_t FooterSlot::* place, Bytes TileStatistics::* value) {
    for (std::size_t i = 0; i < by_slot_.size(); ++i) {
      TileExtremes extremes;
      if (is_coords(i)) {
        extremes.fixed.assign(fragment_.tiles * schema_.dimensions.size() * coords_type().size, std::byte{0});
      } else if (by_slot_[i] && statistics_kind(*by_slot_[i]->field).extremes) {
        ByteWriter fixed(extremes.fixed);
        for (const TileStatistics& tile : by_slot_[i]->statistics) {
          if (by_slot_[i]->field->var()) {
            fixed.put(std::uint64_t{extremes.var.size()});
            extremes.var.insert(extremes.var.end(), (tile.*value).begin(), (tile.*value).end());
          } else {
            fixed.bytes(tile.*value);
          }
        }
      }
      Bytes payload;
      encode_extremes(extremes, payload);
      footer_.slots[i].*place = add(payload);
    }
  }

  void add_sums() {
    for (std::size_t i = 0; i < by_slot_.size(); ++i) {
      std::vector<std::uint64_t> sums;
      if (is_coords(i)) {
        if (type_has_sums(coords_type(), 1)) sums.resize(fragment_.tiles);
      } else if (by_slot_[i] && statistics_kind(*by_slot_[i]->field).sums) {
        for (const TileStatistics& tile : by_slot_[i]->statistics) sums.push_back(tile.sum);
      }
      Bytes payload;
      encode_numbers(sums, payload);
      footer_.slots[i].sums = add(payload);
    }
  }

  void add_null_counts() {
    for (std::size_t i = 0; i < by_slot_.size(); ++i) {
      std::vector<std::uint64_t> counts;
      if (by_slot_[i] && by_slot_[i]->field->nullable)
        for (const TileStatistics& tile : by_slot_[i]->statistics) counts.push_back(tile.null_count);
      Bytes payload;
      encode_numbers(counts, payload);
      footer_.slots[i].null_counts = add(payload);
    }
  }

  void add_fragment_statistics() {
    std::vector<FieldStatistics> statistics(by_slot_.size());
    for (std::size_t i = 0; i < by_slot_.size(); ++i) {
      if (is_coords(i)) {
        const std::size_t size = schema_.dimensions[0].var() ? schema_.dimensions.size() : coords_type().size;
        statistics[i].min.assign(size, std::byte{0});
        statistics[i].max.assign(size, std::byte{0});
      } else if (by_slot_[i]) {
        statistics[i] = fragment_statistics(*by_slot_[i]->field, by_slot_[i]->statistics);
      }
    }
    Bytes payload;
    encode_statistics(statistics, payload);
    footer_.statistics = add(payload);
  }

  const WrittenFragment& fragment_;
  const ArraySchema& schema_;
  const Key& key_;
  FragmentFooter footer_;
  std::vector<const WrittenField*> by_slot_;
  Bytes out_;
};

}  // namespace

Bytes encode_fragment_metadata(const WrittenFragment& fragment, const ArraySchema& schema, const Key& key) {
  return MetadataEncoder(fragment, schema, key).run();
}

}  // namespace tegula::tiledb
