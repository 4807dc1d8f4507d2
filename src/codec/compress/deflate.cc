#include "codec/compress/deflate.h"

#include <array>
#include <memory>
#include <new>

#include "base/fail.h"

namespace tegula::codec {

namespace {

struct Free {
  void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
  void operator()(libdeflate_compressor* p) const { libdeflate_free_compressor(p); }
};

constexpr int kDefaultLevel = 6;
constexpr int kHighestLevel = 9;

}  // namespace

libdeflate_decompressor* thread_inflater() {
  thread_local std::unique_ptr<libdeflate_decompressor, Free> inflater;
  if (!inflater) inflater.reset(libdeflate_alloc_decompressor());
  if (!inflater) throw std::bad_alloc();
  return inflater.get();
}

libdeflate_compressor* thread_deflater(int level) {
  if (level < 0) level = kDefaultLevel;
  if (level > kHighestLevel)
    fail(ErrorKind::invalid_argument, "deflate level {}: levels are -1 (default) and 0 to 9", level);
  // Only the level used last is kept: at the higher ones an object takes hundreds of kilobytes.
  struct Kept {
    int level = -1;
    std::unique_ptr<libdeflate_compressor, Free> object;
  };
  thread_local Kept kept;
  if (kept.level != level) {
    kept.object.reset(libdeflate_alloc_compressor(level));
    kept.level = kept.object ? level : -1;
    if (!kept.object) throw std::bad_alloc();
  }
  return kept.object.get();
}

bool deflate_decode_exact(ByteView in, MutableBytes out) {
  std::size_t consumed = 0;
  std::byte nothing;
  void* to = out.empty() ? &nothing : out.data();
  // Without a place for the real size libdeflate accepts only a stream of exactly out.size() bytes.
  const auto result =
      libdeflate_deflate_decompress_ex(thread_inflater(), in.data(), in.size(), to, out.size(), &consumed, nullptr);
  return result == LIBDEFLATE_SUCCESS && consumed == in.size();
}

}  // namespace tegula::codec
