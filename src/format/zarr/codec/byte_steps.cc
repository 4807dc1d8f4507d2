#include "format/zarr/codec/byte_steps.h"

#include <algorithm>

#include "base/cursor.h"
#include "codec/blosc/blosc.h"
#include "codec/compress/bzip2.h"
#include "codec/compress/compressors.h"
#include "codec/compress/gzip_stream.h"
#include "codec/compress/lzma_stream.h"
#include "codec/compress/zstd_stream.h"
#include "codec/numcodecs/numcodecs.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/codec/options.h"

namespace tegula::zarr {

namespace {

namespace numcodecs = codec::numcodecs;

// A decoder of streams whose size is not known, and the compressor for those whose size is.
using StreamDecoder = void (*)(ByteView, Bytes&, std::uint64_t);

ByteStep stream_step(StreamDecoder decode, std::string_view exact) {
  ByteStep step;
  step.decode = decode;
  if (const codec::Compressor* compressor = codec::find_compressor(exact); compressor && !exact.empty())
    step.decode_exact = [compressor](ByteView in, MutableBytes out) { compressor->decode(in, out, {}); };
  return step;
}

auto compress_with(std::string_view name, int level) {
  return [compressor = codec::find_compressor(name), level](ByteView in, Bytes& out) {
    codec::Params params;
    params.level = level;
    compressor->encode(in, out, params);
  };
}

ByteStep make_zlib(const Json& options, Datatype&) {
  ByteStep step = stream_step(codec::zlib_decode_stream, "gzip");
  step.encode = compress_with("gzip", static_cast<int>(int_option(options, "level", 1, -1, 9)));
  return step;
}

ByteStep make_gzip(const Json& options, Datatype&) {
  ByteStep step = stream_step(codec::gzip_decode_stream, "");
  const int level = static_cast<int>(int_option(options, "level", 1, 0, 9));
  step.encode = [level](ByteView in, Bytes& out) { codec::gzip_encode_stream(in, out, level); };
  return step;
}

ByteStep make_bz2(const Json& options, Datatype&) {
  ByteStep step = stream_step(codec::bzip2_decode_stream, "");
  step.encode = compress_with("bzip2", static_cast<int>(int_option(options, "level", 1, 1, 9)));
  return step;
}

ByteStep make_zstd(const Json& options, Datatype&) {
  ByteStep step = stream_step(codec::zstd_decode_stream, "zstd");
  const int level = static_cast<int>(int_option(options, "level", 0, -131072, 22));
  const bool checksum = bool_option(options, "checksum", false);
  step.decode_range = codec::zstd_decode_range;
  step.encode = [level, checksum](ByteView in, Bytes& out) { codec::zstd_encode_stream(in, out, level, checksum); };
  return step;
}

// The raw size, little-endian, before an LZ4 block.
ByteStep make_lz4(const Json& options, Datatype&) {
  int_option(options, "acceleration", 1);
  const codec::Compressor* lz4 = codec::find_compressor("lz4");
  ByteStep step;
  step.decode = [lz4](ByteView in, Bytes& out, std::uint64_t limit) {
    Cursor cursor(in, "LZ4 chunk");
    const std::uint64_t raw = cursor.read<std::uint32_t>();
    // An LZ4 block grows at most 255-fold.
    if (raw > limit || raw > 255 * std::uint64_t{in.size()})
      fail(ErrorKind::corrupt, "the LZ4 chunk of {} bytes claims {} raw bytes", in.size(), raw);
    const std::size_t at = out.size();
    out.resize(at + raw);
    lz4->decode(cursor.rest(), MutableBytes(out).subspan(at), {});
  };
  step.decode_exact = [lz4](ByteView in, MutableBytes out) {
    Cursor cursor(in, "LZ4 chunk");
    const std::uint32_t raw = cursor.read<std::uint32_t>();
    if (raw != out.size()) fail(ErrorKind::corrupt, "the LZ4 chunk holds {} bytes, expected {}", raw, out.size());
    lz4->decode(cursor.rest(), out, {});
  };
  step.encode = [lz4](ByteView in, Bytes& out) {
    if (in.size() > 0x7E000000)
      fail(ErrorKind::invalid_argument, "LZ4 takes chunks up to 2113929216 bytes, not {}", in.size());
    ByteWriter(out).put(static_cast<std::uint32_t>(in.size()));
    lz4->encode(in, out, {});
  };
  return step;
}

ByteStep make_lzma(const Json& options, Datatype&) {
  codec::LzmaParams params;
  params.format = static_cast<int>(int_option(options, "format", 1, 1, 3));
  params.check = static_cast<int>(int_option(options, "check", -1, -1, 15));
  params.preset = static_cast<int>(int_option(options, "preset", -1, -1, 9));
  std::vector<codec::LzmaFilter> filters;
  if (const auto it = options.find("filters"); it != options.end() && !it->is_null()) {
    if (!it->is_array() || it->size() > 4)
      fail(ErrorKind::corrupt, "lzma filters {} are not a list of up to 4", dump_json(*it));
    for (const Json& entry : *it) {
      if (!entry.is_object()) fail(ErrorKind::corrupt, "lzma filter {} is not an object", dump_json(entry));
      codec::LzmaFilter filter;
      filter.id = static_cast<std::uint64_t>(int_option(entry, "id", 33, 0));
      filter.preset = static_cast<int>(int_option(entry, "preset", -1, -1, 9));
      for (auto [key, field] : {std::pair{"dist", &filter.dist},
                                {"dict_size", &filter.dict_size},
                                {"lc", &filter.lc},
                                {"lp", &filter.lp},
                                {"pb", &filter.pb},
                                {"mode", &filter.mode},
                                {"nice_len", &filter.nice_len},
                                {"mf", &filter.mf},
                                {"depth", &filter.depth}})
        *field = int_option(entry, key, -1, 0, 0xFFFFFFFF);
      filters.push_back(filter);
    }
  }
  // An .lzma file and raw streams have no room for a check; liblzma refuses one.
  if (params.format != 1) params.check = -1;
  ByteStep step;
  step.decode = [params, filters](ByteView in, Bytes& out, std::uint64_t limit) {
    codec::LzmaParams with = params;
    with.filters = filters;
    codec::lzma_decode_stream(in, out, limit, with);
  };
  step.encode = [params, filters](ByteView in, Bytes& out) {
    codec::LzmaParams with = params;
    with.filters = filters;
    codec::lzma_encode_stream(in, out, with);
  };
  return step;
}

int blosc_shuffle(const Json& options, std::size_t item) {
  const auto it = options.find("shuffle");
  if (it != options.end() && it->is_string()) {  // format 3
    constexpr std::string_view kNames[] = {"noshuffle", "shuffle", "bitshuffle"};
    const auto* name = std::find(std::begin(kNames), std::end(kNames), it->get_ref<const std::string&>());
    if (name == std::end(kNames)) fail(ErrorKind::corrupt, "blosc shuffle {} is not known", dump_json(*it));
    return static_cast<int>(name - std::begin(kNames));
  }
  const auto shuffle = static_cast<int>(int_option(options, "shuffle", 1, -1, 2));
  return shuffle == -1 ? (item == 1 ? 2 : 1) : shuffle;
}

void check_blosc_size(ByteView chunk, std::uint64_t raw) {
  const codec::BloscHeader header = codec::blosc_header(chunk);
  if (header.nbytes != raw) fail(ErrorKind::corrupt, "the Blosc chunk holds {} bytes, expected {}", header.nbytes, raw);
}

struct OwnedBlosc {
  std::string cname;
  codec::BloscParams params;
};

ByteStep make_blosc(const Json& options, Datatype& type) {
  OwnedBlosc blosc;
  const std::size_t item = type.full_size();
  blosc.cname = text_option(options, "cname", "lz4");
  constexpr std::string_view kNames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  if (std::find(std::begin(kNames), std::end(kNames), blosc.cname) == std::end(kNames))
    fail(ErrorKind::unsupported, "blosc has no compressor '{}'", blosc.cname);
  blosc.params.level = static_cast<int>(int_option(options, "clevel", 5, 0, 9));
  blosc.params.shuffle = blosc_shuffle(options, item);
  const std::int64_t typesize = int_option(options, "typesize", static_cast<std::int64_t>(item), 0);
  blosc.params.typesize = typesize < 1 || typesize > 255 ? 1 : static_cast<std::uint32_t>(typesize);
  blosc.params.block_size = static_cast<std::uint32_t>(int_option(options, "blocksize", 0, 0, 0x7FFFFFFF));
  type = Datatype(TypeId::uint8);
  ByteStep step;
  step.decode = [](ByteView in, Bytes& out, std::uint64_t limit) {
    const std::uint64_t raw = codec::blosc_header(in).nbytes;
    if (raw > limit) fail(ErrorKind::corrupt, "the Blosc chunk holds {} bytes, at most {} expected", raw, limit);
    const std::size_t at = out.size();
    out.resize(at + raw);
    codec::blosc_decode(in, MutableBytes(out).subspan(at));
  };
  step.decode_exact = [](ByteView in, MutableBytes out) {
    check_blosc_size(in, out.size());
    codec::blosc_decode(in, out);
  };
  step.decode_range = [](ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out) {
    check_blosc_size(in, raw);
    codec::blosc_decode_range(in, offset, out);
  };
  step.encode = [blosc](ByteView in, Bytes& out) {
    codec::BloscParams params = blosc.params;
    params.cname = blosc.cname;
    codec::blosc_encode(in, out, params);
  };
  return step;
}

// A filter that makes a new buffer of a known size.
ByteStep filter_step(std::function<Bytes(ByteView)> decode, std::function<Bytes(ByteView)> encode,
                     std::function<std::uint64_t(std::uint64_t)> encoded_size) {
  ByteStep step;
  step.decode = [decode = std::move(decode)](ByteView in, Bytes& out, std::uint64_t limit) {
    Bytes made = decode(in);
    if (made.size() > limit) fail(ErrorKind::corrupt, "a filter gives {} bytes, expected {}", made.size(), limit);
    out = std::move(made);
  };
  step.encode = [encode = std::move(encode)](ByteView in, Bytes& out) { out = encode(in); };
  step.encoded_size = std::move(encoded_size);
  return step;
}

auto resized(std::uint64_t from, std::uint64_t to) {
  return [from, to](std::uint64_t raw) { return from ? raw / from * to : 0; };
}

Datatype type_option(const Json& options, std::string_view key, const Datatype& fallback) {
  const auto it = options.find(key);
  return it == options.end() || it->is_null() ? fallback : numpy_dtype(*it);
}

ByteStep make_delta(const Json& options, Datatype& type) {
  const Datatype dtype = type_option(options, "dtype", type), astype = type_option(options, "astype", dtype);
  type = astype;
  return filter_step([=](ByteView in) { return numcodecs::delta_decode(in, dtype, astype); },
                     [=](ByteView in) { return numcodecs::delta_encode(in, dtype, astype); },
                     resized(dtype.full_size(), astype.full_size()));
}

double number_option(const Json& options, std::string_view key, double fallback) {
  const auto it = options.find(key);
  if (it == options.end()) return fallback;
  if (!it->is_number()) fail(ErrorKind::corrupt, "'{}' is {}, expected a number", key, dump_json(*it));
  return it->get<double>();
}

ByteStep make_fixed_scale_offset(const Json& options, Datatype& type) {
  numcodecs::FixedScaleOffset params;
  params.scale = number_option(options, "scale", 1);
  params.offset = number_option(options, "offset", 0);
  params.dtype = type_option(options, "dtype", type);
  params.astype = type_option(options, "astype", params.dtype);
  type = params.astype;
  return filter_step([=](ByteView in) { return numcodecs::fixed_scale_offset_decode(in, params); },
                     [=](ByteView in) { return numcodecs::fixed_scale_offset_encode(in, params); },
                     resized(params.dtype.full_size(), params.astype.full_size()));
}

ByteStep make_quantize(const Json& options, Datatype& type) {
  const Datatype dtype = type_option(options, "dtype", type), astype = type_option(options, "astype", dtype);
  const auto digits = static_cast<int>(int_option(options, "digits", 10, -400, 400));
  type = astype;
  return filter_step([=](ByteView in) { return numcodecs::quantize_decode(in, dtype, astype); },
                     [=](ByteView in) { return numcodecs::quantize_encode(in, digits, dtype, astype); },
                     resized(dtype.full_size(), astype.full_size()));
}

ByteStep make_astype(const Json& options, Datatype& type) {
  const Datatype stored = type_option(options, "encode_dtype", type),
                 shown = type_option(options, "decode_dtype", type);
  type = stored;
  return filter_step([=](ByteView in) { return numcodecs::astype_decode(in, stored, shown); },
                     [=](ByteView in) { return numcodecs::astype_encode(in, stored, shown); },
                     resized(shown.full_size(), stored.full_size()));
}

ByteStep make_packbits(const Json&, Datatype& type) {
  type = Datatype(TypeId::uint8);
  return filter_step(numcodecs::packbits_decode, numcodecs::packbits_encode,
                     [](std::uint64_t raw) { return 1 + (raw + 7) / 8; });
}

ByteStep make_shuffle(const Json& options, Datatype& type) {
  const auto size = static_cast<std::size_t>(int_option(options, "elementsize", 4, 1, 1 << 20));
  type = Datatype(TypeId::uint8);
  return filter_step([size](ByteView in) { return numcodecs::shuffle_decode(in, size); },
                     [size](ByteView in) { return numcodecs::shuffle_encode(in, size); },
                     [](std::uint64_t raw) { return raw; });
}

ByteStep make_bitround(const Json& options, Datatype& type) {
  const auto keep = static_cast<int>(int_option(options, "keepbits", -1, 0, 52));
  if (keep < 0) fail(ErrorKind::corrupt, "bitround without 'keepbits'");
  return filter_step(
      numcodecs::bitround_decode,
      [keep, dtype = type](ByteView in) { return numcodecs::bitround_encode(in, keep, dtype); },
      [](std::uint64_t raw) { return raw; });
}

// Checksums that always stand behind the data.
template <numcodecs::Checksum kind>
ByteStep make_trailer(const Json& options, Datatype& type) {
  if (const auto prefix = options.find("prefix"); prefix != options.end() && !prefix->is_null())
    fail(ErrorKind::unsupported, "the checksum has a prefix, {}", dump_json(*prefix));
  const auto seed = static_cast<std::uint32_t>(int_option(options, "initval", 0, 0, 0xFFFFFFFF));
  type = Datatype(TypeId::uint8);
  return filter_step([seed](ByteView in) { return numcodecs::checksum_decode(in, kind, true, seed); },
                     [seed](ByteView in) { return numcodecs::checksum_encode(in, kind, true, seed); },
                     [](std::uint64_t raw) { return raw + 4; });
}

template <numcodecs::Checksum kind>
ByteStep make_checksum(const Json& options, Datatype& type) {
  const std::string place = text_option(options, "location", kind == numcodecs::Checksum::crc32c ? "end" : "start");
  if (place != "start" && place != "end")
    fail(ErrorKind::corrupt, "checksum location '{}' is neither start nor end", place);
  const bool at_end = place == "end";
  type = Datatype(TypeId::uint8);
  return filter_step([at_end](ByteView in) { return numcodecs::checksum_decode(in, kind, at_end); },
                     [at_end](ByteView in) { return numcodecs::checksum_encode(in, kind, at_end); },
                     [](std::uint64_t raw) { return raw + 4; });
}

struct Row {
  std::string_view id;
  ByteStep (*make)(const Json& options, Datatype& type);
};
constexpr Row kSteps[] = {
    {"blosc", make_blosc},
    {"zstd", make_zstd},
    {"gzip", make_gzip},
    {"zlib", make_zlib},
    {"lz4", make_lz4},
    {"bz2", make_bz2},
    {"lzma", make_lzma},
    {"delta", make_delta},
    {"fixedscaleoffset", make_fixed_scale_offset},
    {"quantize", make_quantize},
    {"astype", make_astype},
    {"packbits", make_packbits},
    {"bitround", make_bitround},
    {"shuffle", make_shuffle},
    {"crc32", make_checksum<numcodecs::Checksum::crc32>},
    {"adler32", make_checksum<numcodecs::Checksum::adler32>},
    {"crc32c", make_checksum<numcodecs::Checksum::crc32c>},
    {"fletcher32", make_trailer<numcodecs::Checksum::fletcher32>},
    {"jenkins_lookup3", make_trailer<numcodecs::Checksum::jenkins_lookup3>},
};

}  // namespace

ByteStep make_byte_step(std::string_view id, const Json& configuration, Datatype& type) {
  for (const Row& row : kSteps) {
    if (row.id != id) continue;
    ByteStep step = row.make(configuration, type);
    step.name = id;
    return step;
  }
  fail(ErrorKind::unsupported, "codec '{}' is not one that this build knows", id);
}

}  // namespace tegula::zarr
