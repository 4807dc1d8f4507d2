#include "format/tiledb/disk/fragment_footer.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/disk/short_text_ranges.h"
#include "format/tiledb/disk/versions.h"

namespace tegula::tiledb {

namespace {

// As long as all coordinates share one file, the lists of variable parts have no entry for them.
std::size_t var_slot_count(const ArraySchema& schema, std::uint32_t version, std::size_t slots) {
  return one_file_per_dimension(version) ? slots : schema.attributes.size();
}

// Numbers that formats may still reach; what is beyond is damage.
constexpr std::uint32_t kPlausibleVersion = 1000;

void check_version(const Cursor& in, std::uint32_t version) {
  if (version > kPlausibleVersion) in.fail_at(in.offset() - 4, fmt::format("a footer of format version {}", version));
  if (version > kNewestVersion)
    fail(ErrorKind::unsupported,
         "{}: the fragment has format version {}, this build reads {} to {}; a newer tegula may read it", in.name(),
         version, kOldestVersion, kNewestVersion);
  if (version < 3)
    in.fail_at(in.offset() - 4, fmt::format("a footer of format version {}, expected 3 or more", version));
}

struct SlotList {
  std::uint64_t FooterSlot::* member;
  bool var;  // has no entry for the coordinates in versions 3 and 4
  std::uint32_t since;
};

// In the order of the file.
constexpr SlotList kSizes[] = {
    {&FooterSlot::file_size, false, 3},
    {&FooterSlot::var_file_size, true, 3},
    {&FooterSlot::validity_file_size, false, 7},
};
constexpr SlotList kPositions[] = {
    {&FooterSlot::tile_offsets, false, 3}, {&FooterSlot::var_offsets, true, 3},
    {&FooterSlot::var_sizes, true, 3},     {&FooterSlot::validity_offsets, false, 7},
    {&FooterSlot::mins, false, 11},        {&FooterSlot::maxs, false, 11},
    {&FooterSlot::sums, false, 11},        {&FooterSlot::null_counts, false, 11},
};

void decode_lists(Cursor& in, std::span<const SlotList> lists, std::uint32_t version, std::size_t var_slots,
                  std::vector<FooterSlot>& slots) {
  for (const SlotList& list : lists) {
    if (version < list.since) continue;
    const std::size_t n = list.var ? var_slots : slots.size();
    for (std::size_t i = 0; i < n; ++i) slots[i].*list.member = in.read<std::uint64_t>();
  }
}

void encode_lists(ByteWriter& writer, std::span<const SlotList> lists, std::uint32_t version, std::size_t var_slots,
                  const std::vector<FooterSlot>& slots) {
  for (const SlotList& list : lists) {
    if (version < list.since) continue;
    const std::size_t n = list.var ? var_slots : slots.size();
    for (std::size_t i = 0; i < n; ++i) writer.put(slots[i].*list.member);
  }
}

constexpr std::uint64_t kBoundsSection = 0;

void decode_sections(Cursor& in, std::size_t dimensions, GlobalOrderBounds& bounds) {
  const std::uint64_t count = in.count<std::uint32_t>(12, "sections");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t id = in.read<std::uint64_t>();
    Cursor section = in.sub(in.read<std::uint32_t>(), "a section");
    if (id != kBoundsSection) continue;
    for (std::vector<std::uint64_t>* list : {&bounds.mins, &bounds.maxs}) {
      list->clear();
      for (std::size_t d = 0; d < dimensions; ++d) list->push_back(section.read<std::uint64_t>());
    }
    section.expect_end("the section of global-order bounds");
  }
}

std::uint64_t null_domain_size(const ArraySchema& schema) {
  return schema.has_var_dimension() ? 0 : 2 * schema.dimensions.size() * std::uint64_t{schema.dimensions[0].type.size};
}

}  // namespace

std::size_t slot_count(const ArraySchema& schema, std::uint32_t version, bool timestamps, bool deletes) {
  const std::size_t coords = schema.attributes.size() + 1;
  return one_file_per_dimension(version) ? coords + schema.dimensions.size() + timestamps + 2 * deletes : coords;
}

std::uint64_t footer_size(const ArraySchema& schema, std::uint32_t version) {
  const std::size_t slots = slot_count(schema, version, false, false);
  const std::size_t var_slots = var_slot_count(schema, version, slots);
  std::uint64_t numbers = 3;  // sparse tiles, cells of the last one, R-tree
  for (const std::span<const SlotList> lists :
       {std::span<const SlotList>(kSizes), std::span<const SlotList>(kPositions)})
    for (const SlotList& list : lists)
      if (version >= list.since) numbers += list.var ? var_slots : slots;
  std::uint64_t domain = 0;
  for (const SchemaDimension& dimension : schema.dimensions) domain += 2 * std::uint64_t{dimension.type.size};
  return 4 + 1 + 1 + domain + 8 * numbers;
}

FooterHead decode_footer_head(Cursor in) {
  FooterHead head;
  head.version = in.read<std::uint32_t>();
  check_version(in, head.version);
  if (names_schema(head.version)) head.schema_name = in.string(in.read<std::uint64_t>(), "the name of a schema");
  return head;
}

FragmentFooter decode_footer(Cursor in, const ArraySchema& schema) {
  FragmentFooter footer;
  footer.version = in.read<std::uint32_t>();
  check_version(in, footer.version);
  const std::uint32_t version = footer.version;
  if (names_schema(version)) footer.schema_name = in.string(in.read<std::uint64_t>(), "the name of a schema");
  footer.dense = in.read<std::uint8_t>() != 0;
  footer.no_domain = in.read<std::uint8_t>() != 0;
  if (footer.no_domain) {
    in.skip(null_domain_size(schema), "an empty domain");
  } else {
    footer.domain = decode_nd_range(in, schema.range_types());
    for (Range& range : footer.domain)
      if (const auto* low = std::get_if<std::string>(&range.low); low && may_be_too_short(version, *low))
        range.high = std::string(kAboveText);
  }
  footer.sparse_tiles = in.read<std::uint64_t>();
  footer.last_tile_cells = in.read<std::uint64_t>();
  if (may_have_timestamps(version)) footer.has_timestamps = in.read<std::uint8_t>() != 0;
  if (may_have_deletes(version)) footer.has_deletes = in.read<std::uint8_t>() != 0;
  footer.slots.resize(slot_count(schema, version, footer.has_timestamps, footer.has_deletes));
  const std::size_t var_slots = var_slot_count(schema, version, footer.slots.size());
  decode_lists(in, kSizes, version, var_slots, footer.slots);
  footer.rtree = in.read<std::uint64_t>();
  decode_lists(in, kPositions, version, var_slots, footer.slots);
  if (has_fragment_statistics(version)) footer.statistics = in.read<std::uint64_t>();
  if (has_processed_conditions(version)) footer.processed_conditions = in.read<std::uint64_t>();
  if (has_optional_sections(version)) decode_sections(in, schema.dimensions.size(), footer.bounds);
  // Libraries from 2.8 on write a meaningless number here into arrays of version 11.
  if (version == 11 && in.remaining() == 8) in.skip(8);
  in.expect_end("the footer");
  return footer;
}

void encode_footer(const FragmentFooter& footer, const ArraySchema& schema, Bytes& out) {
  const std::uint32_t version = footer.version;
  ByteWriter writer(out);
  writer.put(version);
  if (names_schema(version)) {
    writer.put(std::uint64_t{footer.schema_name.size()});
    writer.text(footer.schema_name);
  }
  writer.put(static_cast<std::uint8_t>(footer.dense));
  writer.put(static_cast<std::uint8_t>(footer.no_domain));
  if (footer.no_domain) {
    writer.zeros(null_domain_size(schema));
  } else {
    encode_nd_range(footer.domain, schema.range_types(), out);
  }
  writer.put(footer.sparse_tiles);
  writer.put(footer.last_tile_cells);
  if (may_have_timestamps(version)) writer.put(static_cast<std::uint8_t>(footer.has_timestamps));
  if (may_have_deletes(version)) writer.put(static_cast<std::uint8_t>(footer.has_deletes));
  const std::size_t var_slots = var_slot_count(schema, version, footer.slots.size());
  encode_lists(writer, kSizes, version, var_slots, footer.slots);
  writer.put(footer.rtree);
  encode_lists(writer, kPositions, version, var_slots, footer.slots);
  if (has_fragment_statistics(version)) writer.put(footer.statistics);
  if (has_processed_conditions(version)) writer.put(footer.processed_conditions);
  if (!has_optional_sections(version)) return;
  const bool bounds = !footer.bounds.mins.empty();
  writer.put(static_cast<std::uint32_t>(bounds));
  if (!bounds) return;
  writer.put(kBoundsSection);
  writer.put(static_cast<std::uint32_t>(8 * (footer.bounds.mins.size() + footer.bounds.maxs.size())));
  for (const std::uint64_t offset : footer.bounds.mins) writer.put(offset);
  for (const std::uint64_t offset : footer.bounds.maxs) writer.put(offset);
}

}  // namespace tegula::tiledb
