// room: format/zarr
// Chunks under many codec chains, shards among them: the first byte picks the chain, the rest is the file.
#include <cstddef>
#include <cstdint>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/error.h"

namespace {

using namespace tegula;

constexpr const char* kLittle = R"({"name": "bytes", "configuration": {"endian": "little"}})";

std::string v3(const std::string& codecs, const char* type = "int32", const char* fill = "7") {
  return std::string(R"({"zarr_format": 3, "node_type": "array", "shape": [8, 6], "data_type": ")") + type +
         R"(", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
             "chunk_key_encoding": "default", "fill_value": )" +
         fill + R"(, "codecs": [)" + codecs + "]}";
}

std::string shard(const std::string& inner, const char* where) {
  return R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [)" + inner +
         R"(], "index_codecs": [)" + kLittle + R"(], "index_location": ")" + where + R"("}})";
}

std::string v2(const char* dtype, const char* filters, const char* compressor) {
  return std::string(
             R"({"zarr_format": 2, "shape": [8, 6], "chunks": [4, 6], "fill_value": null, "order": "F", "dtype": ")") +
         dtype + R"(", "filters": )" + filters + R"(, "compressor": )" + compressor + "}";
}

std::vector<zarr::ArrayMeta> chains() {
  std::vector<zarr::ArrayMeta> out;
  const std::string little = kLittle;
  const std::string nested = R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 3], "codecs": [)" +
                             little + R"(], "index_codecs": [)" + little + "]}}";
  for (const std::string& document :
       {v3(little), v3(little + R"(, "gzip")"), v3(little + R"(, "crc32c")"), v3(little + R"(, "zstd")"),
        v3(little + R"(, "blosc")"), v3(shard(little, "end")), v3(shard(little, "start")),
        v3(shard(little + R"(, "zstd")", "end")), v3(shard(nested, "end")), v3(shard(little, "end") + R"(, "gzip")"),
        v3(R"("vlen-utf8")", "string", "\"\""), v3(shard(R"("vlen-utf8")", "end"), "string", "\"\"")})
    out.push_back(zarr::parse_v3(bytes_of(document), "zarr.json"));
  for (
      const std::string& document :
      {v2("<i4", R"([{"id": "delta", "dtype": "<i4", "astype": "<i2"}])", "null"),
       v2("|b1", R"([{"id": "packbits"}])", R"({"id": "zlib"})"),
       v2("<f8",
          R"([{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<f8", "astype": "<i2"}, {"id": "shuffle", "elementsize": 2}])",
          R"({"id": "lz4"})"),
       v2("<i8", R"([{"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<i8"}, {"id": "crc32"}])",
          R"({"id": "bz2"})"),
       v2("|O", R"([{"id": "json2"}])", "null"), v2("|O", R"([{"id": "vlen-bytes"}])", R"({"id": "lzma"})")})
    out.push_back(zarr::parse_v2(bytes_of(document), ".zarray"));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<zarr::ArrayMeta> kChains = chains();
  if (size == 0) return 0;
  const zarr::ArrayMeta& meta = kChains[data[0] % kChains.size()];
  const auto store = make_memory_store();
  store->put(meta.keys.key({0, 0}), std::as_bytes(std::span(data + 1, size - 1)));
  const zarr::ChunkStore chunks(store, meta, zarr::ChunkLocks(*store), Missing::fill);
  Work work;
  work.threads = 1;
  for (const char* text : {"[...]", "[1, 2:4]"}) {
    try {
      const Picks picks = resolve(parse_selection(text), meta.shape);
      if (meta.cell.var) {
        chunks.read_variable(picks, work);
        continue;
      }
      const auto shape = picks.shape();
      Bytes out(picks.cells() * meta.cell.item());
      chunks.read(picks, {out.data(), shape, contiguous_strides(shape, meta.cell.item())}, work);
    } catch (const Error&) {
    }
  }
  return 0;
}
