// One range: lo, hi of a fixed type; or u64 bytes of both, u64 bytes of lo, lo, hi.
#include "format/tiledb/disk/nd_range.h"

#include <algorithm>
#include <cstring>

#include "base/endian.h"
#include "base/fail.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

namespace {

struct RawRange {
  ByteView low, high;
};

RawRange decode_range(Cursor& in, const DimensionType& dimension) {
  if (!dimension.var) {
    const ByteView low = in.bytes(dimension.size(), "a lower bound");
    return {low, in.bytes(dimension.size(), "an upper bound")};
  }
  const std::uint64_t both = in.read<std::uint64_t>();
  const std::uint64_t low = in.read<std::uint64_t>();
  if (low > both) in.fail("a lower bound of {} bytes in a range of {}", low, both);
  const ByteView low_bytes = in.bytes(low, "a lower bound");
  return {low_bytes, in.bytes(both - low, "an upper bound")};
}

void encode_range(ByteView low, ByteView high, bool var, Bytes& out) {
  ByteWriter writer(out);
  if (var) {
    writer.put(std::uint64_t{low.size() + high.size()});
    writer.put(std::uint64_t{low.size()});
  }
  writer.bytes(low);
  writer.bytes(high);
}

// The smallest number of bytes a range of these dimensions takes.
std::uint64_t least_size(std::span<const DimensionType> dimensions) {
  std::uint64_t size = 0;
  for (const DimensionType& dimension : dimensions) size += dimension.var ? 16 : 2 * std::uint64_t{dimension.size()};
  return size;
}

Value value_of(const DimensionType& dimension, ByteView bytes) {
  return dimension.var ? Value(std::string(text_of(bytes))) : value_from_bytes(dimension.type, bytes);
}

}  // namespace

Value value_from_bytes(const Datatype& type, ByteView bytes) {
  if (!is_number(type) || bytes.size() != type.size) return std::string(text_of(bytes));
  return with_number(type, [&]<class T>(T) -> Value {
    const T value = load_le<T>(bytes.data());
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<std::int64_t>(value);
    } else {
      return static_cast<std::uint64_t>(value);
    }
  });
}

void value_to_bytes(const Datatype& type, const Value& value, Bytes& out) {
  ByteWriter writer(out);
  if (const auto* text = std::get_if<std::string>(&value)) return writer.text(*text);
  if (!is_number(type))
    fail(ErrorKind::invalid_argument, "a number was given for a value of type {}", display_name(type));
  with_number(type, [&]<class T>(T) {
    if (const auto* i = std::get_if<std::int64_t>(&value)) {
      if constexpr (std::is_integral_v<T>) {
        if (std::in_range<T>(*i)) return writer.put(static_cast<T>(*i));
      } else {
        return writer.put(static_cast<T>(*i));
      }
    } else if (const auto* u = std::get_if<std::uint64_t>(&value)) {
      if constexpr (std::is_integral_v<T>) {
        if (std::in_range<T>(*u)) return writer.put(static_cast<T>(*u));
      } else {
        return writer.put(static_cast<T>(*u));
      }
    } else if (const auto* d = std::get_if<double>(&value)) {
      if constexpr (std::is_floating_point_v<T>) return writer.put(static_cast<T>(*d));
    }
    fail(ErrorKind::invalid_argument, "the value does not fit type {}", display_name(type));
  });
}

NdRange decode_nd_range(Cursor& in, std::span<const DimensionType> dimensions) {
  NdRange result;
  for (const DimensionType& dimension : dimensions) {
    const RawRange range = decode_range(in, dimension);
    result.push_back({value_of(dimension, range.low), value_of(dimension, range.high)});
  }
  return result;
}

void encode_nd_range(const NdRange& range, std::span<const DimensionType> dimensions, Bytes& out) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    Bytes low, high;
    value_to_bytes(dimensions[i].type, range.at(i).low, low);
    value_to_bytes(dimensions[i].type, range[i].high, high);
    encode_range(low, high, dimensions[i].var, out);
  }
}

MbrTable::MbrTable(std::span<const DimensionType> dimensions) {
  for (const DimensionType& dimension : dimensions) columns_.push_back({dimension, {}, {}});
}

ByteView MbrTable::low(std::size_t dimension, std::uint64_t i) const {
  const ColumnData& column = columns_[dimension];
  if (!column.type.var) return ByteView(column.values).subspan(2 * i * column.type.size(), column.type.size());
  const std::uint64_t begin = i == 0 ? 0 : column.ends[2 * i - 1];
  return ByteView(column.values).subspan(begin, column.ends[2 * i] - begin);
}

ByteView MbrTable::high(std::size_t dimension, std::uint64_t i) const {
  const ColumnData& column = columns_[dimension];
  if (!column.type.var) return ByteView(column.values).subspan((2 * i + 1) * column.type.size(), column.type.size());
  return ByteView(column.values).subspan(column.ends[2 * i], column.ends[2 * i + 1] - column.ends[2 * i]);
}

NdRange MbrTable::range(std::uint64_t i) const {
  NdRange result;
  for (std::size_t d = 0; d < columns_.size(); ++d)
    result.push_back({value_of(columns_[d].type, low(d, i)), value_of(columns_[d].type, high(d, i))});
  return result;
}

void MbrTable::append(std::size_t dimension, ByteView low, ByteView high) {
  ColumnData& column = columns_[dimension];
  column.values.insert(column.values.end(), low.begin(), low.end());
  if (column.type.var) column.ends.push_back(column.values.size());
  column.values.insert(column.values.end(), high.begin(), high.end());
  if (column.type.var) column.ends.push_back(column.values.size());
}

void MbrTable::decode(Cursor& in, std::uint64_t count) {
  std::vector<DimensionType> dimensions;
  for (const ColumnData& column : columns_) dimensions.push_back(column.type);
  in.check_count(count, std::max<std::uint64_t>(1, least_size(dimensions)), "rectangles");
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < columns_.size(); ++d) {
      const RawRange range = decode_range(in, dimensions[d]);
      append(d, range.low, range.high);
    }
  }
  count_ += count;
}

void MbrTable::encode(Bytes& out) const {
  for (std::uint64_t i = 0; i < count_; ++i)
    for (std::size_t d = 0; d < columns_.size(); ++d) encode_range(low(d, i), high(d, i), columns_[d].type.var, out);
}

void MbrTable::add(std::span<const ByteView> low, std::span<const ByteView> high) {
  for (std::size_t d = 0; d < columns_.size(); ++d) append(d, low[d], high[d]);
  ++count_;
}

void MbrTable::add_hull(const MbrTable& other, std::uint64_t begin, std::uint64_t end) {
  std::vector<ByteView> lows, highs;
  for (std::size_t d = 0; d < columns_.size(); ++d) {
    const DimensionType& type = columns_[d].type;
    ByteView low = other.low(d, begin), high = other.high(d, begin);
    for (std::uint64_t i = begin + 1; i < end; ++i) {
      if (compare_values(type.type, type.var, other.low(d, i), low) < 0) low = other.low(d, i);
      if (compare_values(type.type, type.var, other.high(d, i), high) > 0) high = other.high(d, i);
    }
    lows.push_back(low);
    highs.push_back(high);
  }
  add(lows, highs);
}

int compare_values(const Datatype& type, bool var, ByteView a, ByteView b) {
  if (var || !is_number(type)) {
    const std::size_t common = std::min(a.size(), b.size());
    const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
    if (order != 0) return order < 0 ? -1 : 1;
    return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
  }
  return with_number(type, [&]<class T>(T) {
    const T x = load_le<T>(a.data()), y = load_le<T>(b.data());
    return x < y ? -1 : (y < x ? 1 : 0);
  });
}

}  // namespace tegula::tiledb
