// A generic tile, which describes itself. Schemas, metadata, conditions and the lists of fragments are stored in such
// tiles.
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

// Decodes one tile and leaves `in` behind it. Throws corrupt; invalid_argument when the tile is encrypted and there is
// no key. Ignores the key when the tile is not encrypted.
GenericTile decode_generic_tile(Cursor& in, const Key& key);
// The size of header, pipeline and tile together. Reads only the first kGenericHeaderSize bytes.
std::uint64_t generic_tile_size(Cursor in);
// Appends one tile.
void encode_generic_tile(ByteView payload, std::uint32_t version, const Key& key, Bytes& out);

}  // namespace tegula::tiledb
