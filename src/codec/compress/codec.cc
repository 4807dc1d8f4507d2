#include "codec/compress/codec.h"

#include <algorithm>

#include "codec/compress/compressors.h"

namespace tegula::codec {

namespace {

constexpr Compressor kCompressors[] = {
    {"gzip", gzip_decode, gzip_encode},     //
    {"zstd", zstd_decode, zstd_encode},     //
    {"lz4", lz4_decode, lz4_encode},        //
    {"bzip2", bzip2_decode, bzip2_encode},  //
    {"rle", rle_decode, rle_encode},
};

}  // namespace

std::span<const Compressor> compressors() { return kCompressors; }

const Compressor* find_compressor(std::string_view name) {
  const auto* found = std::ranges::find(kCompressors, name, &Compressor::name);
  return found == std::end(kCompressors) ? nullptr : found;
}

}  // namespace tegula::codec
