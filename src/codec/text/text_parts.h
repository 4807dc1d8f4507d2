// What the two codings of text share: big-endian integers of 1, 2, 4 or 8 bytes, and cells given by start offsets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/cursor.h"
#include "tegula/bytes.h"

namespace tegula::codec {

// The smallest of 1, 2, 4, 8 bytes that holds `largest`.
constexpr unsigned width_for(std::uint64_t largest) {
  return largest <= 0xff ? 1 : largest <= 0xffff ? 2 : largest <= 0xffffffff ? 4 : 8;
}

inline void check_width(unsigned bytes, std::string_view what) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    fail(ErrorKind::corrupt, "{} of {} bytes, expected 1, 2, 4 or 8", what, bytes);
}

// `width` has been checked.
inline std::uint64_t read_wide(Cursor& in, unsigned width) {
  switch (width) {
    case 1:
      return in.read_be<std::uint8_t>();
    case 2:
      return in.read_be<std::uint16_t>();
    case 4:
      return in.read_be<std::uint32_t>();
    default:
      return in.read_be<std::uint64_t>();
  }
}
inline void write_wide(ByteWriter& out, unsigned width, std::uint64_t value) {
  switch (width) {
    case 1:
      return out.put_be(static_cast<std::uint8_t>(value));
    case 2:
      return out.put_be(static_cast<std::uint16_t>(value));
    case 4:
      return out.put_be(static_cast<std::uint32_t>(value));
    default:
      return out.put_be(value);
  }
}

// The cells of a column of text; throws invalid_argument when the offsets do not start at 0 and rise inside the data.
class TextCells {
 public:
  TextCells(ByteView data, std::span<const std::uint64_t> offsets) : data_(data), offsets_(offsets) {
    if (offsets.empty() ? !data.empty() : offsets.front() != 0)
      fail(ErrorKind::invalid_argument, "the cells of a text column do not start at its first byte");
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (offsets[i] > end(i))
        fail(ErrorKind::invalid_argument, "cell {} of a text column starts at byte {} and ends at byte {}", i,
             offsets[i], end(i));
  }
  std::size_t size() const { return offsets_.size(); }
  std::string_view operator[](std::size_t i) const { return text_of(data_.subspan(offsets_[i], end(i) - offsets_[i])); }

 private:
  std::uint64_t end(std::size_t i) const { return i + 1 < offsets_.size() ? offsets_[i + 1] : data_.size(); }
  ByteView data_;
  std::span<const std::uint64_t> offsets_;
};

}  // namespace tegula::codec
