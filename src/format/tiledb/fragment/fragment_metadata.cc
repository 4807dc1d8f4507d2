#include "format/tiledb/fragment/fragment_metadata.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/fragment/missing_file.h"

namespace tegula::tiledb {

namespace {

// Bytes that are read at once from the end: most footers fit, and all parts of small fragments.
constexpr std::uint64_t kTail = 16384;
// Larger claims are checked against the size of the file before memory is allocated for them.
constexpr std::uint64_t kUnchecked = 65536;

constexpr std::pair<FragmentPart, std::uint64_t FooterSlot::*> kSlotParts[] = {
    {FragmentPart::tile_offsets, &FooterSlot::tile_offsets},
    {FragmentPart::var_offsets, &FooterSlot::var_offsets},
    {FragmentPart::var_sizes, &FooterSlot::var_sizes},
    {FragmentPart::validity_offsets, &FooterSlot::validity_offsets},
    {FragmentPart::mins, &FooterSlot::mins},
    {FragmentPart::maxs, &FooterSlot::maxs},
    {FragmentPart::sums, &FooterSlot::sums},
    {FragmentPart::null_counts, &FooterSlot::null_counts},
};

bool is_extremes(FragmentPart part) {
  return part == FragmentPart::mins || part == FragmentPart::maxs || part == FragmentPart::first_coordinates ||
         part == FragmentPart::last_coordinates;
}

bool is_statistic(FragmentPart part) { return part >= FragmentPart::mins && part <= FragmentPart::null_counts; }

const TileExtremes kNoExtremes;

// The coordinates beside a metadata file of versions 1 to 4.
std::string coordinates_key(const std::string& metadata) {
  return join(metadata.substr(0, metadata.size() - kFragmentMetadataFile.size() - 1),
              std::string(kCoordsField) + ".tdb");
}

}  // namespace

std::uint64_t FragmentMetadata::file_size(const Store& from) const {
  if (!file_size_) {
    file_size_ = from.size(key_);
    if (!file_size_) fail_missing(from, key_);
  }
  return *file_size_;
}

void FragmentMetadata::read_tail(std::uint64_t length, const Store& from) const {
  std::optional<Tail> tail = from.tail(key_, length);
  if (!tail) fail_missing(from, key_);
  if (file_size_.value_or(tail->size) != tail->size) fail(ErrorKind::io, "{}: changed while it was read", name());
  file_size_ = tail->size;
  tail_ = std::move(tail->bytes);
  tail_offset_ = tail->size - tail_.size();
}

// After a consolidated footer nothing of the file has been read yet. A reader that needs one part will need others too,
// and reading all of a small file costs as much as reading one part.
bool FragmentMetadata::small() const { return tail_.empty() && !positions_.empty() && positions_.back() < kTail; }

void FragmentMetadata::read_if_small(const Store& from) const {
  if (small()) read_tail(kTail, from);
}

// Empty unless these bytes have been read.
ByteView FragmentMetadata::in_tail(std::uint64_t begin, std::uint64_t end) const {
  const bool there = begin >= tail_offset_ && end <= tail_offset_ + tail_.size();
  return there ? ByteView(tail_).subspan(begin - tail_offset_, end - begin) : ByteView();
}

void FragmentMetadata::take_footer(ByteView footer, const SchemaFinder& schema_of) {
  const Cursor in(footer, name() + " (consolidated footer)");
  schema_ = schema_of(decode_footer_head(in).schema_name);
  footer_ = decode_footer(in, *schema_);
  positions_.reserve(std::size(kSlotParts) * footer_.slots.size() + 3 + footer_.bounds.mins.size() +
                     footer_.bounds.maxs.size());
  for (const auto& [part, member] : kSlotParts)
    for (const FooterSlot& slot : footer_.slots) positions_.push_back(slot.*member);
  for (const std::uint64_t position : {footer_.rtree, footer_.statistics, footer_.processed_conditions})
    positions_.push_back(position);
  positions_.insert(positions_.end(), footer_.bounds.mins.begin(), footer_.bounds.mins.end());
  positions_.insert(positions_.end(), footer_.bounds.maxs.begin(), footer_.bounds.maxs.end());
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
}

void FragmentMetadata::plan_footer(const std::string& key, std::uint32_t name_version, Wants& wants) {
  if (!monolithic_metadata(name_version)) return wants.file(key, kTail, kTail);
  wants.file(key, kTail);
  wants.file(coordinates_key(key), 0, 0);
}

void FragmentMetadata::read_footer(std::uint32_t name_version, const SchemaFinder& schema_of, const Store& from) {
  if (monolithic_metadata(name_version)) return read_monolithic(schema_of, from);
  read_tail(kTail, from);
  const std::uint64_t size = *file_size_;
  std::uint64_t length = 0, trailer = 0;
  const bool stored = footer_length_always(name_version) || schema_of("")->has_var_dimension();
  if (stored) {
    trailer = 8;
    Cursor end(tail_, name(), tail_offset_);
    end.seek(tail_.size() - std::min<std::size_t>(8, tail_.size()));
    length = end.read<std::uint64_t>();
  } else {
    length = footer_size(*schema_of(""), name_version);
  }
  if (trailer > size || length > size - trailer)
    fail(ErrorKind::corrupt, "{}: a footer of {} bytes in a file of {}", name(), length, size);
  if (length + trailer > tail_.size()) read_tail(length + trailer, from);
  const std::uint64_t start = size - trailer - length;
  take_footer(ByteView(tail_).subspan(start - tail_offset_, length), schema_of);
  positions_.erase(std::lower_bound(positions_.begin(), positions_.end(), start), positions_.end());
  positions_.push_back(start);
}

// Decodes everything at once and fills the members as if the parts had been loaded one by one.
void FragmentMetadata::read_monolithic(const SchemaFinder& schema_of, const Store& from) {
  const std::optional<Bytes> bytes = from.get(key_);
  if (!bytes) fail_missing(from, key_);
  schema_ = schema_of("");
  Cursor in(*bytes, name());
  const GenericTile tile = decode_generic_tile(in, files_.key);
  writer_version_ = tile.version;
  MonolithicMetadata all = decode_monolithic(Cursor(tile.payload, unpacked_name(0)), *schema_);
  footer_.version = all.version;
  footer_.no_domain = all.domain.empty();
  footer_.domain = std::move(all.domain);
  footer_.sparse_tiles = all.rectangles.count();
  footer_.last_tile_cells = all.last_tile_cells;
  const std::size_t attributes = schema_->attributes.size();
  footer_.slots.resize(attributes + 1);
  for (std::size_t i = 0; i <= attributes; ++i) {
    footer_.slots[i].file_size = all.file_sizes[i];
    numbers_[{FragmentPart::tile_offsets, i}] = std::move(all.tile_offsets[i]);
    if (i == attributes) break;
    footer_.slots[i].var_file_size = all.var_file_sizes[i];
    numbers_[{FragmentPart::var_offsets, i}] = std::move(all.var_offsets[i]);
    numbers_[{FragmentPart::var_sizes, i}] = std::move(all.var_sizes[i]);
  }
  rtree_ = build_rtree(std::move(all.rectangles));
  // No flag says whether it is dense, but only a sparse fragment has coordinates.
  footer_.dense = !from.has(coordinates_key(key_));
}

bool FragmentMetadata::exists(const WantedPart& wanted) const {
  if (wanted.part == FragmentPart::rtree) return true;
  const bool bounds = wanted.part == FragmentPart::first_coordinates || wanted.part == FragmentPart::last_coordinates;
  if (bounds) return wanted.slot < footer_.bounds.mins.size() && wanted.slot < footer_.bounds.maxs.size();
  if (wanted.slot >= footer_.slots.size())
    fail(ErrorKind::invalid_argument, "slot {} of {}", wanted.slot, footer_.slots.size());
  if (is_statistic(wanted.part)) return has_tile_statistics(footer_.version);
  return wanted.part != FragmentPart::validity_offsets || has_validity(footer_.version);
}

std::uint64_t FragmentMetadata::position(const WantedPart& wanted) const {
  if (wanted.part == FragmentPart::rtree) return footer_.rtree;
  if (wanted.part == FragmentPart::first_coordinates) return footer_.bounds.mins[wanted.slot];
  if (wanted.part == FragmentPart::last_coordinates) return footer_.bounds.maxs[wanted.slot];
  return footer_.slots[wanted.slot].*kSlotParts[static_cast<std::size_t>(wanted.part)].second;
}

bool FragmentMetadata::is_var(const WantedPart& wanted) const {
  const std::size_t attributes = schema_->attributes.size();
  if (wanted.part == FragmentPart::first_coordinates || wanted.part == FragmentPart::last_coordinates)
    return schema_->dimensions[wanted.slot].var();
  if (wanted.slot < attributes) return schema_->attributes[wanted.slot].var();
  const std::size_t dimension = wanted.slot - attributes - 1;
  return wanted.slot > attributes && dimension < schema_->dimensions.size() && schema_->dimensions[dimension].var();
}

// Generic tiles follow each other, so one ends where the next begins. A gap is harmless: a tile knows its own size.
std::uint64_t FragmentMetadata::end_of(std::uint64_t position, const Store& from) const {
  const auto next = std::upper_bound(positions_.begin(), positions_.end(), position);
  const std::uint64_t end = next == positions_.end() ? file_size(from) : *next;
  if (end - position > kUnchecked && end > file_size(from))
    fail(ErrorKind::corrupt, "{}: a part from byte {} to {}, found a file of {} bytes", name(), position, end,
         file_size(from));
  if (end <= position)
    fail(ErrorKind::corrupt, "{}: a part starts at byte {}, found a file of {} bytes", name(), position, end);
  return end;
}

std::string FragmentMetadata::unpacked_name(std::uint64_t position) const {
  return fmt::format("{} (unpacked from byte {})", name(), position);
}

Bytes FragmentMetadata::decode_payload(ByteView stored, std::uint64_t position) const {
  Cursor in(stored, name(), position);
  GenericTile tile = decode_generic_tile(in, files_.key);
  writer_version_ = tile.version;
  return std::move(tile.payload);
}

void FragmentMetadata::decode_part(const WantedPart& wanted, ByteView stored, std::uint64_t position) const {
  const Bytes payload = decode_payload(stored, position);
  if (wanted.part == FragmentPart::rtree) {
    rtree_ = decode_tree(payload);
    return;
  }
  const Cursor in(payload, unpacked_name(position));
  const PartKey key{wanted.part, wanted.slot};
  if (is_extremes(wanted.part)) {
    extremes_[key] = decode_extremes(in, tiles_, is_var(wanted));
    return;
  }
  std::vector<std::uint64_t> list = decode_numbers(in);
  const bool may_be_empty = is_statistic(wanted.part);
  if (list.size() != tiles_ && !(may_be_empty && list.empty()))
    in.fail("a list of {} numbers, expected one for each of {} tiles", list.size(), tiles_);
  numbers_[key] = std::move(list);
}

bool FragmentMetadata::loaded(const WantedPart& wanted) const {
  const PartKey key{wanted.part, wanted.slot};
  return wanted.part == FragmentPart::rtree ? rtree_.has_value() : numbers_.contains(key) || extremes_.contains(key);
}

void FragmentMetadata::plan(std::span<const WantedPart> wanted, Wants& wants) const {
  const std::lock_guard lock(mutex_);
  for (const WantedPart& part : wanted) {
    if (loaded(part) || !exists(part)) continue;
    if (small()) return wants.file(key_, kTail, kTail);
    const std::uint64_t begin = position(part);
    const auto next = std::upper_bound(positions_.begin(), positions_.end(), begin);
    if (next != positions_.end() && in_tail(begin, *next).empty()) wants.range(key_, begin, *next - begin);
  }
}

void FragmentMetadata::fetch(std::span<const WantedPart> wanted, const Store& from) const {
  std::vector<WantedPart> missing;
  std::vector<Bytes> buffers;
  std::vector<RangeRead> reads;
  for (const WantedPart& part : wanted) {
    if (loaded(part) || !exists(part)) continue;
    read_if_small(from);
    const std::uint64_t begin = position(part), end = end_of(begin, from);
    if (const ByteView stored = in_tail(begin, end); !stored.empty()) {
      decode_part(part, stored, begin);
      continue;
    }
    missing.push_back(part);
    buffers.emplace_back(end - begin);
    reads.push_back({key_, begin, buffers.back()});
  }
  if (reads.empty()) return;
  from.get(std::span<RangeRead>(reads));
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i].found) fail_missing(*files_.store, key_);
    decode_part(missing[i], reads[i].into, reads[i].offset);
  }
}

Bytes FragmentMetadata::fetch_payload(std::uint64_t position) const {
  read_if_small(*files_.store);
  const std::uint64_t end = end_of(position, *files_.store);
  if (const ByteView stored = in_tail(position, end); !stored.empty()) return decode_payload(stored, position);
  const std::optional<Bytes> bytes = files_.store->get(key_, position, end - position);
  if (!bytes) fail_missing(*files_.store, key_);
  return decode_payload(*bytes, position);
}

void FragmentMetadata::prefetch(std::span<const WantedPart> wanted, const Store& from) const {
  const std::lock_guard lock(mutex_);
  fetch(wanted, from);
}

std::span<const std::uint64_t> FragmentMetadata::numbers(FragmentPart part, std::size_t slot) const {
  const std::lock_guard lock(mutex_);
  const WantedPart wanted{part, slot};
  fetch(std::span(&wanted, 1), *files_.store);
  const auto found = numbers_.find({part, slot});
  if (found == numbers_.end()) return {};
  if (!is_statistic(part) && found->second.size() != tiles_)
    fail(ErrorKind::corrupt, "{}: a list of {} numbers, expected one for each of {} tiles", name(),
         found->second.size(), tiles_);
  return found->second;
}

const TileExtremes& FragmentMetadata::extremes(FragmentPart part, std::size_t slot) const {
  const std::lock_guard lock(mutex_);
  const WantedPart wanted{part, slot};
  fetch(std::span(&wanted, 1), *files_.store);
  const auto found = extremes_.find({part, slot});
  return found == extremes_.end() ? kNoExtremes : found->second;
}

const RTree& FragmentMetadata::rtree() const {
  const std::lock_guard lock(mutex_);
  if (!rtree_) rtree_ = decode_tree(fetch_payload(footer_.rtree));
  return *rtree_;
}

RTree FragmentMetadata::decode_tree(ByteView payload) const {
  Cursor in(payload, unpacked_name(footer_.rtree));
  RTree tree = decode_rtree(in, footer_.version, schema_->range_types());
  in.expect_end("the R-tree");
  if (tree.tiles() != (footer_.dense ? 0 : tiles_)) in.fail("a tree over {} tiles, expected {}", tree.tiles(), tiles_);
  return tree;
}

const std::vector<FieldStatistics>& FragmentMetadata::statistics() const {
  const std::lock_guard lock(mutex_);
  if (!statistics_) {
    std::vector<FieldStatistics> all;
    if (has_fragment_statistics(footer_.version)) {
      const Bytes payload = fetch_payload(footer_.statistics);
      all = decode_statistics(Cursor(payload, unpacked_name(footer_.statistics)), footer_.slots.size());
    }
    statistics_ = std::move(all);
  }
  return *statistics_;
}

const std::vector<std::string>& FragmentMetadata::processed_conditions() const {
  const std::lock_guard lock(mutex_);
  if (!processed_) {
    std::vector<std::string> markers;
    if (has_processed_conditions(footer_.version)) {
      const Bytes payload = fetch_payload(footer_.processed_conditions);
      markers = decode_processed(Cursor(payload, unpacked_name(footer_.processed_conditions)));
    }
    processed_ = std::move(markers);
  }
  return *processed_;
}

std::uint32_t FragmentMetadata::writer_version() const {
  const std::lock_guard lock(mutex_);
  if (!writer_version_) fetch_payload(footer_.rtree);
  return *writer_version_;
}

}  // namespace tegula::tiledb
