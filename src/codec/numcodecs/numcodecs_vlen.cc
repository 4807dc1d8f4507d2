// Items of any length (numcodecs and zarr v3 "vlen-utf8", "vlen-bytes").
//
//   u32 count | per item: u32 length | bytes; all little-endian.
//
// Python's None is written as an item of no bytes and comes back as one.
#include <cstring>
#include <limits>

#include "base/cursor.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

Items vlen_decode(ByteView in, std::uint64_t count) {
  Cursor cursor(in, "vlen items");
  const std::uint64_t stored = cursor.count<std::uint32_t>(4, "items");
  if (stored != count) cursor.fail_at(0, fmt::format("{} items, expected {}", stored, count));
  Items items;
  items.data.resize(cursor.remaining() - 4 * count);
  items.offsets.resize(count + 1);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    items.offsets[i] = at;
    const std::uint32_t length = cursor.read<std::uint32_t>();
    const ByteView item = cursor.bytes(length, "an item");
    // A length that runs into the lengths of later items would outgrow the data.
    if (length > items.data.size() - at) cursor.fail("item {} of {} bytes leaves no room for later ones", i, length);
    if (length != 0) std::memcpy(items.data.data() + at, item.data(), length);
    at += length;
  }
  items.offsets[count] = at;
  cursor.expect_end("vlen items");
  return items;
}

Bytes vlen_encode(ByteView data, std::span<const std::uint64_t> offsets) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != data.size() || offsets.size() - 1 > kMost)
    fail(ErrorKind::invalid_argument, "vlen: {} offsets do not describe items of {} bytes in all", offsets.size(),
         data.size());
  Bytes out;
  out.reserve(data.size() + 4 * offsets.size());
  ByteWriter writer(out);
  writer.put(static_cast<std::uint32_t>(offsets.size() - 1));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] > data.size() || offsets[i + 1] - offsets[i] > kMost)
      fail(ErrorKind::invalid_argument, "vlen: item {} from byte {} to byte {}", i, offsets[i], offsets[i + 1]);
    const ByteView item = data.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    writer.put(static_cast<std::uint32_t>(item.size()));
    writer.bytes(item);
  }
  return out;
}

}  // namespace tegula::codec::numcodecs
