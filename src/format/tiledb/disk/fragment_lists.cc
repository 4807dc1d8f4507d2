#include "format/tiledb/disk/fragment_lists.h"

#include "base/fail.h"

namespace tegula::tiledb {

ByteView TileExtremes::at(std::uint64_t tile) const {
  if (!is_var) return ByteView(fixed).subspan(tile * cell, cell);
  const std::uint64_t tiles = fixed.size() / 8;
  const std::uint64_t begin = load_le<std::uint64_t>(fixed.data() + 8 * tile);
  const std::uint64_t end = tile + 1 < tiles ? load_le<std::uint64_t>(fixed.data() + 8 * (tile + 1)) : var.size();
  return ByteView(var).subspan(begin, end - begin);
}

namespace {

std::vector<std::uint64_t> decode_list(Cursor& in) {
  std::vector<std::uint64_t> numbers(in.count<std::uint64_t>(8, "numbers"));
  for (std::uint64_t& number : numbers) number = in.read<std::uint64_t>();
  return numbers;
}

Bytes read_bytes(Cursor& in, std::string_view what) { return copy_of(in.bytes(in.read<std::uint64_t>(), what)); }

}  // namespace

std::vector<std::uint64_t> decode_numbers(Cursor in) {
  std::vector<std::uint64_t> numbers = decode_list(in);
  in.expect_end("the list");
  return numbers;
}

void encode_numbers(std::span<const std::uint64_t> numbers, Bytes& out) {
  ByteWriter writer(out);
  writer.put(std::uint64_t{numbers.size()});
  for (const std::uint64_t number : numbers) writer.put(number);
}

TileExtremes decode_extremes(Cursor in, std::uint64_t tiles, bool is_var) {
  TileExtremes extremes;
  const std::uint64_t fixed = in.read<std::uint64_t>();
  const std::uint64_t var = in.read<std::uint64_t>();
  extremes.fixed = copy_of(in.bytes(fixed, "values"));
  extremes.var = copy_of(in.bytes(var, "variable values"));
  in.expect_end("the extremes");
  if (fixed == 0) return extremes;
  if (tiles == 0 || fixed % tiles != 0) in.fail("{} bytes of extremes for {} tiles", fixed, tiles);
  extremes.cell = fixed / tiles;
  extremes.is_var = is_var;
  if (!is_var) return extremes;
  if (extremes.cell != 8) in.fail("offsets of {} bytes per tile, expected 8", extremes.cell);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < tiles; ++i) {
    const std::uint64_t offset = load_le<std::uint64_t>(extremes.fixed.data() + 8 * i);
    if (offset < last || offset > var)
      in.fail("the value of tile {} starts at {}, expected {} to {}", i, offset, last, var);
    last = offset;
  }
  return extremes;
}

void encode_extremes(const TileExtremes& extremes, Bytes& out) {
  ByteWriter writer(out);
  writer.put(std::uint64_t{extremes.fixed.size()});
  writer.put(std::uint64_t{extremes.var.size()});
  writer.bytes(extremes.fixed);
  writer.bytes(extremes.var);
}

std::vector<FieldStatistics> decode_statistics(Cursor in, std::size_t slots) {
  std::vector<FieldStatistics> statistics(slots);
  for (FieldStatistics& field : statistics) {
    field.min = read_bytes(in, "a minimum");
    field.max = read_bytes(in, "a maximum");
    field.sum = in.read<std::uint64_t>();
    field.null_count = in.read<std::uint64_t>();
  }
  in.expect_end("the statistics");
  return statistics;
}

void encode_statistics(std::span<const FieldStatistics> statistics, Bytes& out) {
  ByteWriter writer(out);
  for (const FieldStatistics& field : statistics) {
    for (const Bytes* value : {&field.min, &field.max}) {
      writer.put(std::uint64_t{value->size()});
      writer.bytes(*value);
    }
    writer.put(field.sum);
    writer.put(field.null_count);
  }
}

std::vector<std::string> decode_processed(Cursor in) {
  std::vector<std::string> markers(in.count<std::uint64_t>(8, "conditions"));
  for (std::string& marker : markers) marker = in.string(in.read<std::uint64_t>(), "a condition");
  in.expect_end("the list");
  return markers;
}

void encode_processed(std::span<const std::string> markers, Bytes& out) {
  ByteWriter writer(out);
  writer.put(std::uint64_t{markers.size()});
  for (const std::string& marker : markers) {
    writer.put(std::uint64_t{marker.size()});
    writer.text(marker);
  }
}

MonolithicMetadata decode_monolithic(Cursor in, const ArraySchema& schema) {
  const std::vector<DimensionType> types = schema.range_types();
  const std::size_t attributes = schema.attributes.size();
  std::uint64_t tuple = 0;
  for (const DimensionType& type : types) tuple += type.size();

  MonolithicMetadata metadata;
  metadata.version = in.read<std::uint32_t>();
  if (metadata.version < 1 || metadata.version > 2)
    in.fail("fragment metadata of format version {}, expected 1 or 2", metadata.version);
  const std::uint64_t domain = in.read<std::uint64_t>();
  if (domain != 0 && domain != 2 * tuple) in.fail("a domain of {} bytes, expected {}", domain, 2 * tuple);
  if (domain != 0) metadata.domain = decode_nd_range(in, types);
  metadata.rectangles = MbrTable(types);
  metadata.rectangles.decode(in, in.read<std::uint64_t>());
  // First and last coordinates of each tile.
  const std::uint64_t bounds = in.count<std::uint64_t>(2 * tuple, "bounding coordinates");
  in.skip(bounds * 2 * tuple);
  for (std::size_t i = 0; i < attributes + 1; ++i) metadata.tile_offsets.push_back(decode_list(in));
  for (std::size_t i = 0; i < attributes; ++i) metadata.var_offsets.push_back(decode_list(in));
  for (std::size_t i = 0; i < attributes; ++i) metadata.var_sizes.push_back(decode_list(in));
  metadata.last_tile_cells = in.read<std::uint64_t>();
  for (std::size_t i = 0; i < attributes + 1; ++i) metadata.file_sizes.push_back(in.read<std::uint64_t>());
  for (std::size_t i = 0; i < attributes; ++i) metadata.var_file_sizes.push_back(in.read<std::uint64_t>());
  in.expect_end("the fragment metadata");
  return metadata;
}

}  // namespace tegula::tiledb
