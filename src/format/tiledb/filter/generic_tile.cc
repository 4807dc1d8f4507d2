#include "format/tiledb/filter/generic_tile.h"

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/disk/filter_pipeline.h"
#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/filter/filter_plan.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint8_t kChar = 4;
constexpr std::uint64_t kBestRatio = 1040;  // of zlib, the only compressor here

struct Header {
  std::uint32_t version = 0;
  std::uint64_t stored = 0, size = 0;
  std::uint8_t type = 0;
  std::uint64_t cell_size = 0;
  bool encrypted = false;
  std::uint32_t pipeline_size = 0;
};

Header decode_header(Cursor& in) {
  const std::uint64_t start = in.offset();
  if (in.remaining() < kGenericHeaderSize)
    in.fail("expected a tile header of {} bytes, found {} bytes to the end", kGenericHeaderSize, in.remaining());
  Header header;
  header.version = in.read<std::uint32_t>();
  header.stored = in.read<std::uint64_t>();
  header.size = in.read<std::uint64_t>();
  header.type = in.read<std::uint8_t>();
  header.cell_size = in.read<std::uint64_t>();
  const std::uint8_t encryption = in.read<std::uint8_t>();
  header.pipeline_size = in.read<std::uint32_t>();
  header.encrypted = encryption == 1;
  if (header.type != kChar || header.cell_size != 1 || encryption > 1 || header.version == 0)
    in.fail_at(
        start,
        fmt::format(
            "no tile header of format versions 1 to 23: version {}, datatype {}, cells of {} bytes, encryption {}; "
            "arrays of TileDB 1.3 and older are not supported",
            header.version, header.type, header.cell_size, encryption));
  return header;
}

}  // namespace

Key make_key(ByteView key) { return key.empty() ? nullptr : std::make_shared<const codec::AesKey>(key); }

std::uint64_t generic_tile_size(Cursor in) {
  const Header header = decode_header(in);
  const std::uint64_t fixed = kGenericHeaderSize + header.pipeline_size;
  if (header.stored > UINT64_MAX - fixed) in.fail("claims a tile of {} bytes", header.stored);
  return fixed + header.stored;
}

GenericTile decode_generic_tile(Cursor& in, const Key& key) {
  GenericTile tile;
  const Header header = decode_header(in);
  tile.version = header.version;
  tile.encrypted = header.encrypted;
  if (header.encrypted && !key) fail(ErrorKind::invalid_argument, "{} is encrypted: give the key", in.name());
  Cursor filters = in.sub(header.pipeline_size, "filter pipeline");
  const Pipeline pipeline = decode_pipeline(filters);
  filters.expect_end("the filter pipeline");
  const TilePlace place{in.name(), in.offset()};
  const ByteView stored = in.bytes(header.stored, "tile");
  const Key tile_key = header.encrypted ? key : nullptr;
  const FilterPlan plan = make_plan(pipeline, {.type_code = kChar, .cell_size = 1}, tile_key);
  const std::vector<Chunk> chunks = parse_chunks(stored, place);
  check_raw_size(chunks, header.size, plan, place);
  if (header.size / kBestRatio > stored.size())
    fail(ErrorKind::corrupt, "{} at byte {}: a tile claims {} bytes, found only {} of filtered data", place.file,
         place.offset, header.size, stored.size());
  tile.payload.resize(header.size);
  const Context doing(
      [&] { return std::string(header.encrypted ? "decrypting with the key given" : "decoding a metadata tile"); });
  FilterScratch scratch;
  for (const Chunk& chunk : chunks)
    decode_one(plan, chunk, MutableBytes(tile.payload).subspan(chunk.raw_offset, chunk.raw_size), place, scratch);
  return tile;
}

void encode_generic_tile(ByteView payload, std::uint32_t version, const Key& key, Bytes& out) {
  Pipeline pipeline;
  pipeline.steps.push_back({.type = FilterType::gzip, .level = 1});
  if (key) pipeline.steps.push_back({.type = FilterType::aes_gcm});
  const FilterPlan plan = make_plan(pipeline, {.type_code = kChar, .cell_size = 1}, key);
  Bytes filters, tile;
  encode_pipeline(pipeline, version, filters);
  ScratchPool scratch;
  encode_tile(plan, payload, cut_cells(payload.size(), 1), tile, scratch, Work{.threads = 1});
  ByteWriter writer(out);
  writer.put(version);
  writer.put(std::uint64_t{tile.size()});
  writer.put(std::uint64_t{payload.size()});
  writer.put(kChar);
  writer.put(std::uint64_t{1});
  writer.put(static_cast<std::uint8_t>(key ? 1 : 0));
  writer.put(static_cast<std::uint32_t>(filters.size()));
  writer.bytes(filters);
  writer.bytes(tile);
}

}  // namespace tegula::tiledb
