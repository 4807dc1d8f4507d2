#include "format/zarr/meta/array_meta.h"

#include <algorithm>
#include <charconv>

#include "base/fail.h"
#include "base/product.h"
#include "format/zarr/codec/options.h"
#include "model/strided.h"

namespace tegula::zarr {

namespace {

constexpr std::uint64_t kLargestAxis = std::uint64_t{1} << 62;
constexpr std::size_t kMostAxes = 64;

Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? std::int64_t{1} : std::int64_t{0};
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return dump_json(json);
}

}  // namespace

std::string KeyEncoding::key(const Shape& chunk) const {
  if (chunk.empty()) return scalar;
  std::string key = prefix;
  for (std::size_t a = 0; a < chunk.size(); ++a) {
    if (a) key += separator;
    key += std::to_string(chunk[a]);
  }
  return key + suffix;
}

std::optional<Shape> KeyEncoding::chunk(std::string_view key, std::size_t rank) const {
  if (rank == 0) return key == scalar ? std::optional(Shape{}) : std::nullopt;
  if (!key.starts_with(prefix) || !key.ends_with(suffix) || key.size() < prefix.size() + suffix.size())
    return std::nullopt;
  const std::string_view middle = key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
  Shape chunk;
  const char *at = middle.data(), *end = middle.data() + middle.size();
  for (;;) {
    std::uint64_t index = 0;
    const auto [stop, error] = std::from_chars(at, end, index);
    if (error != std::errc{} || stop == at || (stop - at > 1 && *at == '0')) return std::nullopt;
    chunk.push_back(index);
    if (stop == end) break;
    if (*stop != separator) return std::nullopt;
    at = stop + 1;
  }
  return chunk.size() == rank ? std::optional(std::move(chunk)) : std::nullopt;
}

std::uint64_t ArrayMeta::chunk_cells() const { return cell_count(chunks); }

Shape shape_member(const Json& document, std::string_view key) {
  const Json& list = member(document, key);
  if (!list.is_array() || list.size() > kMostAxes)
    fail(ErrorKind::corrupt, "'{}' is {}, expected a list of up to {} integers", key, dump_json(list), kMostAxes);
  Shape out;
  for (const Json& n : list) {
    if (!n.is_number_unsigned() || n.get<std::uint64_t>() > kLargestAxis)
      fail(ErrorKind::corrupt, "'{}' holds {}, expected an integer of 0 to 2^62", key, dump_json(n));
    out.push_back(n.get<std::uint64_t>());
  }
  return out;
}

void check_chunks(const ArrayMeta& meta) {
  if (meta.chunks.size() != meta.shape.size())
    fail(ErrorKind::corrupt, "the shape has {} axes, the chunks have {}", meta.shape.size(), meta.chunks.size());
  if (std::find(meta.chunks.begin(), meta.chunks.end(), 0) != meta.chunks.end())
    fail(ErrorKind::corrupt, "a chunk length is 0");
  std::uint64_t bytes = std::max<std::uint64_t>(meta.cell.item(), 1);
  for (const std::uint64_t n : meta.chunks) {
    const std::optional<std::uint64_t> product = checked_product(bytes, n, kLargestAxis);
    if (!product) fail(ErrorKind::corrupt, "a chunk has more than 2^62 bytes");
    bytes = *product;
  }
}

Filter filter_of(std::string_view name, const Json& configuration) {
  Filter filter{std::string(name), {}};
  for (const auto& [key, value] : configuration.items())
    if (!value.is_null()) filter.options.emplace_back(key, value_of(value));
  return filter;
}

Json configuration_of(const Filter& filter) {
  Json out = Json::object();
  for (const auto& [key, value] : filter.options) {
    // Options have no booleans: value_of() turned them into numbers.
    const bool flag = key == "checksum" && (value == Value{std::int64_t{0}} || value == Value{std::int64_t{1}});
    if (const auto* i = std::get_if<std::int64_t>(&value)) out[key] = flag ? Json(*i == 1) : Json(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&value)) out[key] = *u;
    if (const auto* d = std::get_if<double>(&value)) out[key] = *d;
    if (const auto* s = std::get_if<std::string>(&value)) {
      const bool nested = !s->empty() && (s->front() == '[' || s->front() == '{');
      out[key] = nested ? parse_json(bytes_of(*s), key) : Json(*s);
    }
  }
  return out;
}

}  // namespace tegula::zarr
