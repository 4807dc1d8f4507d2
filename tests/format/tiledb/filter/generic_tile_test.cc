#include "format/tiledb/filter/generic_tile.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

Bytes tile_of(ByteView payload, const Key& key = nullptr) {
  Bytes out;
  encode_generic_tile(payload, 22, key, out);
  return out;
}

GenericTile decode(const Bytes& bytes, const Key& key = nullptr) {
  Cursor in(bytes, "file");
  GenericTile tile = decode_generic_tile(in, key);
  EXPECT_TRUE(in.done());
  return tile;
}

TEST(GenericTile, has_the_layout_of_the_format) {
  const Bytes bytes = tile_of(bytes_of("hello"));
  EXPECT_EQ(to_hex(bytes).substr(0, 2 * 52), to_hex(hex("16000000")) + to_hex(ByteView(bytes).subspan(4, 8)) +
                                                 to_hex(hex("0500000000000000 04 0100000000000000 00 12000000 "
                                                            "00000100 01000000 01 05000000 01 01000000")));
  Cursor in(bytes, "file");
  EXPECT_EQ(generic_tile_size(in), bytes.size());
}

TEST(GenericTile, round_trips) {
  for (const std::size_t size : {1, 100, 65536, 65537, 200000}) {
    SCOPED_TRACE(size);
    Bytes payload(size);
    for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<std::byte>(i * i >> 3);
    const Key key = make_key(Bytes(32, std::byte{1}));
    EXPECT_EQ(decode(tile_of(payload)).payload, payload);
    const GenericTile tile = decode(tile_of(payload, key), key);
    EXPECT_EQ(tile.payload, payload);
    EXPECT_TRUE(tile.encrypted);
    EXPECT_EQ(tile.version, 22u);
  }
}

TEST(GenericTile, keys) {
  const Key key = make_key(Bytes(32, std::byte{1})), other = make_key(Bytes(32, std::byte{2}));
  const Bytes encrypted = tile_of(bytes_of("secret"), key);
  EXPECT_ERROR(invalid_argument, "is encrypted: give the key", decode(encrypted));
  EXPECT_ERROR(corrupt, "key", decode(encrypted, other));
  EXPECT_ERROR(invalid_argument, "32", make_key(Bytes(31, std::byte{1})));
  EXPECT_EQ(make_key({}), nullptr);
}

TEST(GenericTile, damage_is_named) {
  const Bytes good = tile_of(bytes_of("hello hello hello hello"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_ERROR(corrupt, "file at byte", decode(cut));
  }
  Bytes old = good;
  old[20] = std::byte{9};
  EXPECT_ERROR(corrupt, "TileDB 1.3", decode(old));
  Bytes bomb = good;  // claims 4 GiB
  for (const std::size_t at : {15, 63}) bomb[at] = std::byte{0xFF};
  EXPECT_THROW(decode(bomb), Error);
}

}  // namespace
}  // namespace tegula::tiledb
