#include "tegula/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"

namespace tegula {

namespace {

// Bounds and extents of integer and date dimensions as 64-bit patterns: differences are right for signed and unsigned
// alike.
std::uint64_t bits_of(const Value& value, const Dimension& dimension) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<std::uint64_t>(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return *u;
  fail(ErrorKind::invalid_argument, "dimension '{}' of type {} has no integer bounds, so the array has no shape",
       dimension.name, display_name(dimension.type));
}

std::string value_text(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *u);
  if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
  const auto* s = std::get_if<std::string>(&value);
  return s ? *s : "";
}

// zarr before version 3 gives the shuffle of blosc as a number.
std::string shuffle_text(const Value& value) {
  constexpr const char* kNames[] = {"noshuffle", "shuffle", "bitshuffle"};
  const auto* i = std::get_if<std::int64_t>(&value);
  return i && *i >= 0 && *i < 3 ? kNames[*i] : value_text(value);
}

bool is_zero(const Value& value) { return value == Value{std::int64_t{0}}; }

template <class T>
const T* find_named(const std::vector<T>& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  return it == items.end() ? nullptr : &*it;
}

}  // namespace

std::string display_name(const Filter& filter) {
  std::string text = filter.name;
  // Options that are shown without their names, in this order.
  constexpr std::string_view kPlaced[] = {"cname", "clevel", "level", "shuffle"};
  for (const std::string_view placed : kPlaced)
    for (const auto& [key, value] : filter.options)
      if (key == placed) text += ":" + (key == "shuffle" ? shuffle_text(value) : value_text(value));
  std::vector<std::string> rest;
  for (const auto& [key, value] : filter.options) {
    const bool unspoken =
        key == "typesize" || (key == "blocksize" && is_zero(value)) || (key == "checksum" && is_zero(value));
    if (unspoken || std::find(std::begin(kPlaced), std::end(kPlaced), key) != std::end(kPlaced)) continue;
    rest.push_back(filter.options.size() == 1 ? value_text(value) : key + "=" + value_text(value));
  }
  for (const std::string& option : rest) text += ":" + option;
  return text;
}

std::size_t Enumeration::count() const {
  if (values_per_cell == kVar) return offsets.size();
  const std::uint64_t size = values_per_cell * type.full_size();
  return size ? data.size() / size : 0;
}

ByteView Enumeration::value(std::size_t i) const {
  if (values_per_cell != kVar) {
    const std::uint64_t size = values_per_cell * type.full_size();
    return ByteView(data).subspan(i * size, size);
  }
  const std::uint64_t end = i + 1 < offsets.size() ? offsets[i + 1] : data.size();
  return ByteView(data).subspan(offsets[i], end - offsets[i]);
}

std::vector<std::uint64_t> Schema::shape() const {
  std::vector<std::uint64_t> out;
  for (const Dimension& d : dimensions) {
    const bool empty = d.domain == Range{};  // an axis of length 0 has no bounds
    out.push_back(empty && d.type.is_integer() ? 0 : bits_of(d.domain.high, d) - bits_of(d.domain.low, d) + 1);
  }
  return out;
}

std::vector<std::uint64_t> Schema::chunks() const {
  std::vector<std::uint64_t> out = shape();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (dimensions[i].tile != Value{})
      out[i] = std::min(out[i] ? out[i] : UINT64_MAX, bits_of(dimensions[i].tile, dimensions[i]));
  return out;
}

const Attribute* Schema::attribute(std::string_view name) const { return find_named(attributes, name); }
const Dimension* Schema::dimension(std::string_view name) const { return find_named(dimensions, name); }
const Enumeration* Schema::enumeration(std::string_view name) const { return find_named(enumerations, name); }

}  // namespace tegula
