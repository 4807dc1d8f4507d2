#include "format/bcolz/schema_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/fail.h"
#include "format/bcolz/disk/default_value.h"
#include "model/strided.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {

namespace {

constexpr std::array<std::string_view, 6> kCodecs{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
constexpr std::array<std::string_view, 3> kShuffles{"noshuffle", "shuffle", "bitshuffle"};
// C-Blosc counts in int32 and adds a header.
constexpr std::uint64_t kLargestChunk = 0x7FFFFFFF - 16;

Filter filter_of(const Compression& compression) {
  Filter filter{"blosc", {}};
  filter.options.emplace_back("cname", compression.cname.empty() ? "blosclz" : compression.cname);
  filter.options.emplace_back("level", std::int64_t{compression.level});
  filter.options.emplace_back("shuffle", std::string(kShuffles[static_cast<std::size_t>(compression.shuffle)]));
  if (compression.quantize) filter.options.emplace_back("quantize", std::int64_t{compression.quantize});
  return filter;
}

std::int64_t option_number(const Value& value, std::string_view option, std::int64_t most) {
  std::int64_t number = -1;
  if (const auto* i = std::get_if<std::int64_t>(&value)) number = *i;
  if (const auto* u = std::get_if<std::uint64_t>(&value); u && *u <= INT64_MAX) number = static_cast<std::int64_t>(*u);
  if (number < 0 || number > most)
    fail(ErrorKind::invalid_argument, "the option '{}' of blosc must be a number from 0 to {}", option, most);
  return number;
}

Compression compression_of(const std::vector<Filter>& filters) {
  Compression out;
  out.cname = "lz4";
  if (filters.empty()) return out;
  if (filters.size() > 1 || filters[0].name != "blosc")
    fail(ErrorKind::invalid_argument, "bcolz compresses with blosc and nothing else, not with '{}'",
         display_name(filters.size() > 1 ? filters[1] : filters[0]));
  for (const auto& [key, value] : filters[0].options) {
    const std::string* text = std::get_if<std::string>(&value);
    if (key == "cname") {
      if (!text || std::find(kCodecs.begin(), kCodecs.end(), *text) == kCodecs.end())
        fail(ErrorKind::invalid_argument, "'{}' is not a codec of blosc; they are {}", text ? *text : "",
             fmt::join(kCodecs, ", "));
      out.cname = *text;
    } else if (key == "level") {
      out.level = static_cast<int>(option_number(value, key, 9));
    } else if (key == "shuffle") {
      const auto name = text ? std::find(kShuffles.begin(), kShuffles.end(), *text) : kShuffles.end();
      if (text && name == kShuffles.end())
        fail(ErrorKind::invalid_argument, "'{}' is not a shuffle of blosc; they are {}", *text,
             fmt::join(kShuffles, ", "));
      out.shuffle = static_cast<int>(text ? name - kShuffles.begin() : option_number(value, key, 2));
    } else if (key == "quantize") {
      out.quantize = static_cast<int>(option_number(value, key, 15));
    } else {
      fail(ErrorKind::invalid_argument, "blosc has no option '{}'; it has cname, level, shuffle and quantize", key);
    }
  }
  return out;
}

Dimension dimension(std::string name, std::uint64_t extent, std::uint64_t tile) {
  Dimension out;
  out.name = std::move(name);
  out.type = Datatype(TypeId::uint64);
  if (extent) out.domain = {std::uint64_t{0}, extent - 1};
  if (tile) out.tile = tile;
  return out;
}

Attribute attribute(const std::string& name, const Carray& carray, bool column) {
  Attribute out;
  out.name = name;
  out.type = carray.storage.type;
  if (column && carray.sizes.shape.size() > 1) {
    const std::vector<std::uint64_t> inner(carray.sizes.shape.begin() + 1, carray.sizes.shape.end());
    const std::uint64_t values = cell_count(inner);
    if (values == 0 || values >= kVar)
      fail(ErrorKind::unsupported, "column '{}' has cells of shape ({}), which a table cannot hold", name,
           fmt::join(inner, ", "));
    out.values_per_cell = static_cast<std::uint32_t>(values);
    if (inner.size() > 1 || values == 1) out.cell_shape = inner;
  }
  std::optional<Bytes> fill = default_item(carray.storage.dflt, out.type);
  out.fill_defined = fill.has_value();
  const Bytes one = fill ? std::move(*fill) : Bytes(out.type.full_size(), std::byte{0});
  // The default of a very large cell is left out of the schema; its size may be damage, too.
  constexpr std::uint64_t kMostFill = 1 << 20;
  if (out.values_per_cell * one.size() > kMostFill)
    out.fill_defined = false;
  else
    for (std::uint32_t i = 0; i < out.values_per_cell; ++i) out.fill.insert(out.fill.end(), one.begin(), one.end());
  out.filters = {filter_of(carray.storage.compression)};
  return out;
}

}  // namespace

Schema schema_of(const Snapshot& snapshot) {
  Schema out;
  out.format = kFormat;
  out.format_version = 1;
  out.table = snapshot.table;
  if (snapshot.table) {
    // Columns may differ in chunk length; the tile is that of the first.
    out.dimensions = {
        dimension("row", snapshot.rows, snapshot.columns.empty() ? 0 : snapshot.columns[0].storage.chunklen)};
  } else {
    const Carray& carray = snapshot.columns[0];
    for (std::size_t a = 0; a < carray.sizes.shape.size(); ++a) {
      const std::uint64_t extent = carray.sizes.shape[a];
      out.dimensions.push_back(dimension(fmt::format("dim_{}", a), extent, a == 0 ? carray.storage.chunklen : extent));
    }
  }
  for (std::size_t i = 0; i < snapshot.columns.size(); ++i)
    out.attributes.push_back(attribute(snapshot.names[i], snapshot.columns[i], snapshot.table));
  return out;
}

std::vector<std::uint64_t> inner_axes(const Attribute& attribute) {
  if (!attribute.cell_shape.empty()) return attribute.cell_shape;
  if (attribute.values_per_cell == 1) return {};
  return {attribute.values_per_cell};
}

NewCarray storage_of(const Attribute& attribute, std::vector<std::uint64_t> inner, std::uint64_t expected_rows,
                     std::uint64_t chunklen) {
  const Datatype& type = attribute.type;
  const bool numpy_type = type.id <= TypeId::timedelta || type.id == TypeId::bytes || type.id == TypeId::unicode ||
                          type.id == TypeId::raw || type.id == TypeId::record;
  if (attribute.values_per_cell == kVar || attribute.nullable || !numpy_type || !type.shape.empty() ||
      type.full_size() == 0)
    fail(ErrorKind::unsupported, "bcolz cannot hold '{}' of type {}{}: its items are numpy items of a fixed size",
         attribute.name, display_name(type),
         attribute.values_per_cell == kVar ? " and any length"
         : attribute.nullable              ? " with nulls"
                                           : "");
  NewCarray out;
  out.inner = std::move(inner);
  out.storage.type = type;
  out.storage.compression = compression_of(attribute.filters);
  if (out.storage.compression.quantize && !type.is_float())
    fail(ErrorKind::invalid_argument, "only floating-point numbers can be quantized, not {}", display_name(type));
  const std::uint64_t row_bytes = type.full_size() * cell_count(out.inner);
  if (row_bytes == 0 || row_bytes > kLargestChunk)
    fail(ErrorKind::invalid_argument, "a row of '{}' has {} bytes; bcolz holds 1 to {}", attribute.name, row_bytes,
         kLargestChunk);
  out.storage.chunklen = chunklen ? chunklen : chunk_length(expected_rows, row_bytes);
  if (out.storage.chunklen > kLargestChunk / row_bytes)
    fail(ErrorKind::invalid_argument, "a chunk of {} rows of {} bytes is too large for Blosc, which takes {} bytes",
         out.storage.chunklen, row_bytes, kLargestChunk);
  out.storage.expectedlen = expected_rows;
  const Bytes zeros(type.full_size(), std::byte{0});
  const std::size_t item = static_cast<std::size_t>(type.full_size());
  if (!attribute.fill.empty() && attribute.fill.size() % item != 0)
    fail(ErrorKind::invalid_argument, "the fill value of '{}' has {} bytes, an item {}", attribute.name,
         attribute.fill.size(), item);
  std::optional<std::string> dflt =
      default_json(attribute.fill.empty() ? ByteView(zeros) : ByteView(attribute.fill).first(item), type);
  if (!dflt)
    fail(ErrorKind::unsupported, "bcolz cannot store the fill value of '{}' as the default of a {} carray",
         attribute.name, display_name(type));
  out.storage.dflt = std::move(*dflt);
  return out;
}

std::uint64_t chunk_length(std::uint64_t expected_rows, std::uint64_t row_bytes) {
  const double megabytes =
      std::clamp(static_cast<double>(expected_rows) * static_cast<double>(row_bytes) / 0x1p20, 1e-4, 1e4);
  const int zone = static_cast<int>(std::log10(megabytes));  // towards zero, as bcolz rounds: 0.2 MB and 5 MB are alike
  const std::uint64_t bytes = std::uint64_t{4096} << (zone + 6);
  return std::max<std::uint64_t>(1, bytes / std::max<std::uint64_t>(1, row_bytes));
}

}  // namespace tegula::bcolz
