#include "base/cursor.h"

namespace tegula {

void Cursor::fail_at(std::uint64_t offset, const std::string& message) const {
  throw Error(ErrorKind::corrupt, fmt::format("{} at byte {}: {}", name_, offset, message));
}

void Cursor::too_short(std::uint64_t n, std::string_view what) const {
  fail("expected {} of {} bytes, found {} bytes to the end", what, n, remaining());
}

void Cursor::check_count(std::uint64_t n, std::uint64_t item_size, std::string_view what) const {
  if (item_size != 0 && n > remaining() / item_size)
    fail("claims {} {} of at least {} bytes each, found {} bytes to the end", n, what, item_size, remaining());
}

void Cursor::seek(std::uint64_t position, std::string_view what) {
  if (position > data_.size())
    fail("{} points to byte {}, found only {} bytes", what, base_ + position, base_ + data_.size());
  at_ = position;
}

void Cursor::expect_end(std::string_view what) const {
  if (!done()) fail("expected the end of {}, found {} more bytes", what, remaining());
}

}  // namespace tegula
