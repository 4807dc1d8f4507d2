// The metadata file of a fragment: its footer, and the parts in front of it, which are fetched when they are needed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/fragment_lists.h"
#include "format/tiledb/disk/rtree.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
#include "store/wrap/fetch_each.h"

namespace tegula::tiledb {

// Where the files of an open array are, and the key to decrypt them.
struct ArrayFiles {
  std::shared_ptr<const Store> store;
  Key key;
};

// Per slot, except the bounds of coordinates, which are per dimension, and the R-tree, which has slot 0.
enum class FragmentPart : std::uint8_t {
  tile_offsets,
  var_offsets,
  var_sizes,
  validity_offsets,
  mins,
  maxs,
  sums,
  null_counts,
  first_coordinates,
  last_coordinates,
  rtree,
};

struct WantedPart {
  FragmentPart part;
  std::size_t slot;
};

// Loads each part once. Safe to share between threads. What it returns is valid as long as the object itself.
class FragmentMetadata {
 public:
  FragmentMetadata(ArrayFiles files, std::string key) : files_(std::move(files)), key_(std::move(key)) {}

  // Exactly one of these is called, before anything else. `schema_of` finds the schema by the name in the footer.
  // `from` stands for the store of the files; it may know what plan_footer() wants.
  using SchemaFinder = std::function<std::shared_ptr<const ArraySchema>(const std::string& file)>;
  void read_footer(std::uint32_t name_version, const SchemaFinder& schema_of, const Store& from);
  void take_footer(ByteView footer, const SchemaFinder& schema_of);

  const FragmentFooter& footer() const { return footer_; }
  const std::shared_ptr<const ArraySchema>& schema() const { return schema_; }
  // Sets the number of tiles, which lists are checked against. To be called once, before anything below.
  void set_tiles(std::uint64_t tiles) { tiles_ = tiles; }

  // What the footer of a metadata file of that version is read from.
  static void plan_footer(const std::string& key, std::uint32_t name_version, Wants& wants);
  // What prefetch() reads, and prefetch() from a store that may know it.
  void plan(std::span<const WantedPart> wanted, Wants& wants) const;
  void prefetch(std::span<const WantedPart> wanted, const Store& from) const;
  std::span<const std::uint64_t> numbers(FragmentPart part, std::size_t slot) const;
  const TileExtremes& extremes(FragmentPart part, std::size_t slot) const;
  const RTree& rtree() const;
  const std::vector<FieldStatistics>& statistics() const;
  const std::vector<std::string>& processed_conditions() const;
  std::uint32_t writer_version() const;

 private:
  void read_monolithic(const SchemaFinder& schema_of, const Store& from);
  std::uint64_t file_size(const Store& from) const;
  void read_tail(std::uint64_t length, const Store& from) const;
  bool small() const;
  void read_if_small(const Store& from) const;
  bool loaded(const WantedPart& wanted) const;
  ByteView in_tail(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t position(const WantedPart& wanted) const;
  bool exists(const WantedPart& wanted) const;
  bool is_var(const WantedPart& wanted) const;
  std::uint64_t end_of(std::uint64_t position, const Store& from) const;
  Bytes fetch_payload(std::uint64_t position) const;
  void fetch(std::span<const WantedPart> wanted, const Store& from) const;
  void decode_part(const WantedPart& wanted, ByteView stored, std::uint64_t position) const;
  RTree decode_tree(ByteView payload) const;
  Bytes decode_payload(ByteView stored, std::uint64_t position) const;
  std::string unpacked_name(std::uint64_t position) const;
  std::string name() const { return files_.store->describe(key_); }

  const ArrayFiles files_;
  const std::string key_;
  FragmentFooter footer_;
  std::shared_ptr<const ArraySchema> schema_;
  std::uint64_t tiles_ = 0;
  std::vector<std::uint64_t> positions_;  // of generic tiles, sorted

  using PartKey = std::pair<FragmentPart, std::size_t>;
  mutable std::mutex mutex_;
  // The end of the file, as far as it was read for the footer, or because it is small.
  mutable Bytes tail_;
  mutable std::uint64_t tail_offset_ = 0;
  mutable std::optional<std::uint64_t> file_size_;
  mutable std::map<PartKey, std::vector<std::uint64_t>> numbers_;
  mutable std::map<PartKey, TileExtremes> extremes_;
  mutable std::optional<RTree> rtree_;
  mutable std::optional<std::vector<FieldStatistics>> statistics_;
  mutable std::optional<std::vector<std::string>> processed_;
  mutable std::optional<std::uint32_t> writer_version_;
};

}  // namespace tegula::tiledb
