// A tile that describes itself: how schemas, metadata, conditions and the lists of fragments are wrapped.
#pragma once

#include <cstdint>
#include <memory>

#include "base/cursor.h"
#include "codec/aes_gcm.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

using Key = std::shared_ptr<const codec::AesKey>;  // null: none given
Key make_key(ByteView key);                        // empty: null; throws invalid_argument unless 32 bytes

struct GenericTile {
  std::uint32_t version = 0;  // of the library that wrote it
  bool encrypted = false;
  Bytes payload;
};

inline constexpr std::uint64_t kGenericHeaderSize = 34;  // without the pipeline

// Passes one tile. Throws corrupt; invalid_argument when the tile is encrypted and there is no key.
// A key given for a tile that is not encrypted is ignored.
GenericTile decode_generic_tile(Cursor& in, const Key& key);
// Bytes of header, pipeline and tile, from the first kGenericHeaderSize bytes.
std::uint64_t generic_tile_size(Cursor in);
// Appends.
void encode_generic_tile(ByteView payload, std::uint32_t version, const Key& key, Bytes& out);

}  // namespace tegula::tiledb
