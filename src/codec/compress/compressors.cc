#include "codec/compress/compressors.h"

#include <algorithm>

#include "codec/compress/bzip2.h"
#include "codec/compress/gzip.h"
#include "codec/compress/lz4.h"
#include "codec/compress/rle.h"
#include "codec/compress/zstd.h"

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
