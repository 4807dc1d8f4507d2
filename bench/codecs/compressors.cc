#include "codec/compress/compressors.h"

#include <benchmark/benchmark.h>
#include <blosc.h>
#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "codec/blosc/blosc.h"
#include "codec/checksum/checksum.h"
#include "codec/checksum/crc32c.h"
#include "codec/shuffle/shuffle.h"
#include "data.h"
#include "timed.h"

namespace tegula::bench {
namespace {

using codec::Params;

// The chunk after a byte shuffle, as compressors see it.
Bytes shuffled() {
  const Bytes raw = smooth_floats();
  Bytes out(raw.size());
  codec::byteshuffle(raw, out, 4);
  return out;
}

char* chars(Bytes& b) { return reinterpret_cast<char*>(b.data()); }
unsigned char* uchars(Bytes& b) { return reinterpret_cast<unsigned char*>(b.data()); }

void measure(const std::string& name, std::size_t raw, std::size_t coded, std::function<void()> work) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    run_timed(state, raw, work);
    if (coded != 0) state.counters["ratio"] = static_cast<double>(raw) / static_cast<double>(coded);
  });
}

void add_copy() {
  auto raw = std::make_shared<Bytes>(shuffled());
  auto out = std::make_shared<Bytes>(raw->size());
  measure("memcpy", raw->size(), 0, [=] { std::memcpy(out->data(), raw->data(), raw->size()); });
}

// <codec>/encode/ours, <codec>/encode/library, the same for decode. The library calls are given an equal chance:
// contexts and buffers are made once. Each returns the coded size (encode).
struct Bare {
  std::function<std::size_t(Bytes& raw, Bytes& coded)> encode;
  std::function<void(Bytes& coded, Bytes& raw)> decode;
};

void add(const char* name, int level, Bytes input, const Bare& bare, std::uint32_t cell = 1) {
  const codec::Compressor& c = *codec::find_compressor(name);
  const Params params{.level = level, .cell_size = cell};
  auto raw = std::make_shared<Bytes>(std::move(input));
  auto coded = std::make_shared<Bytes>(), other = std::make_shared<Bytes>(2 * raw->size() + 1024);
  auto back = std::make_shared<Bytes>(raw->size());
  c.encode(*raw, *coded, params);
  const std::string prefix = std::string(name) + (level == -1 ? "" : " " + std::to_string(level));
  auto scratch = std::make_shared<Bytes>();
  measure(prefix + "/encode/ours", raw->size(), coded->size(), [=, &c] {
    scratch->clear();
    c.encode(*raw, *scratch, params);
  });
  if (bare.encode) {
    const std::size_t size = bare.encode(*raw, *other);
    measure(prefix + "/encode/library", raw->size(), size, [=] { bare.encode(*raw, *other); });
  }
  measure(prefix + "/decode/ours", raw->size(), coded->size(), [=, &c] { c.decode(*coded, *back, params); });
  if (bare.decode) measure(prefix + "/decode/library", raw->size(), coded->size(), [=] { bare.decode(*coded, *back); });
}

Bare bare_zlib(int level) {
  return {[=](Bytes& raw, Bytes& coded) {
            uLongf size = coded.size();
            compress2(uchars(coded), &size, uchars(raw), raw.size(), level);
            return size;
          },
          [](Bytes& coded, Bytes& raw) {
            uLongf size = raw.size();
            uncompress(uchars(raw), &size, uchars(coded), coded.size());
          }};
}

Bare bare_libdeflate(int level) {
  std::shared_ptr<libdeflate_compressor> deflater(libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  std::shared_ptr<libdeflate_decompressor> inflater(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  return {[=](Bytes& raw, Bytes& coded) {
            return libdeflate_zlib_compress(deflater.get(), raw.data(), raw.size(), coded.data(), coded.size());
          },
          [=](Bytes& coded, Bytes& raw) {
            libdeflate_zlib_decompress(inflater.get(), coded.data(), coded.size(), raw.data(), raw.size(), nullptr);
          }};
}

Bare bare_zstd(int level) {
  std::shared_ptr<ZSTD_CCtx> encoder(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::shared_ptr<ZSTD_DCtx> decoder(ZSTD_createDCtx(), ZSTD_freeDCtx);
  return {[=](Bytes& raw, Bytes& coded) {
            return ZSTD_compressCCtx(encoder.get(), coded.data(), coded.size(), raw.data(), raw.size(), level);
          },
          [=](Bytes& coded, Bytes& raw) {
            ZSTD_decompressDCtx(decoder.get(), raw.data(), raw.size(), coded.data(), coded.size());
          }};
}

Bare bare_lz4() {
  return {[](Bytes& raw, Bytes& coded) {
            return static_cast<std::size_t>(LZ4_compress_default(chars(raw), chars(coded), static_cast<int>(raw.size()),
                                                                 static_cast<int>(coded.size())));
          },
          [](Bytes& coded, Bytes& raw) {
            LZ4_decompress_safe(chars(coded), chars(raw), static_cast<int>(coded.size()), static_cast<int>(raw.size()));
          }};
}

Bare bare_bzip2() {
  return {[](Bytes& raw, Bytes& coded) {
            auto size = static_cast<unsigned>(coded.size());
            BZ2_bzBuffToBuffCompress(chars(coded), &size, chars(raw), static_cast<unsigned>(raw.size()), 1, 0, 0);
            return std::size_t{size};
          },
          [](Bytes& coded, Bytes& raw) {
            auto size = static_cast<unsigned>(raw.size());
            BZ2_bzBuffToBuffDecompress(chars(raw), &size, chars(coded), static_cast<unsigned>(coded.size()), 0, 0);
          }};
}

void add_blosc(std::string_view cname, int shuffle) {
  auto raw = std::make_shared<Bytes>(smooth_floats());
  auto coded = std::make_shared<Bytes>(), back = std::make_shared<Bytes>(raw->size());
  codec::blosc_encode(*raw, *coded, {cname, 5, shuffle, 4, 0});
  const std::string prefix = "blosc " + std::string(cname) + " shuffle " + std::to_string(shuffle);
  measure(prefix + "/decode/ours", raw->size(), coded->size(), [=] { codec::blosc_decode(*coded, *back); });
  measure(prefix + "/decode/library", raw->size(), coded->size(),
          [=] { blosc_decompress_ctx(coded->data(), back->data(), back->size(), 1); });
  measure(prefix + "/decode 1 KB/ours", 1024, 0,
          [=] { codec::blosc_decode_range(*coded, 40000, MutableBytes(*back).first(1024)); });
}

void add_checksums() {
  auto raw = std::make_shared<Bytes>(smooth_floats());
  measure("crc32c/ours", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::crc32c(*raw)); });
  measure("crc32c/plain", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::plain::crc32c(*raw)); });
  measure("crc32", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::crc32(*raw)); });
  measure("adler32", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::adler32(*raw)); });
  measure("md5", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::md5(*raw)); });
  measure("sha256", raw->size(), 0, [=] { benchmark::DoNotOptimize(codec::sha256(*raw)); });
}

const bool kRegistered = [] {
  add_copy();
  add("gzip", 1, shuffled(), bare_libdeflate(1));
  add("gzip", 6, shuffled(), bare_libdeflate(6));
  add("gzip", 5, shuffled(), bare_zlib(5));
  add("zstd", -1, shuffled(), bare_zstd(-1));
  add("zstd", 3, shuffled(), bare_zstd(3));
  add("lz4", -1, shuffled(), bare_lz4());
  add("bzip2", -1, shuffled(), bare_bzip2());
  add("rle", -1, runs(), {}, 1);
  add("rle", 4, shuffled(), {}, 4);
  for (std::string_view cname : {"blosclz", "lz4", "snappy", "zlib", "zstd"})
    for (int shuffle : {1, 2}) add_blosc(cname, shuffle);
  add_checksums();
  return true;
}();

}  // namespace
}  // namespace tegula::bench
