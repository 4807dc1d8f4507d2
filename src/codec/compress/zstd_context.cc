#include "codec/compress/zstd_context.h"

#include <memory>
#include <new>

namespace tegula::codec {

namespace {

struct Free {
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
  void operator()(ZSTD_CCtx* p) const { ZSTD_freeCCtx(p); }
};

}  // namespace

ZSTD_DCtx* thread_zstd_decoder() {
  thread_local std::unique_ptr<ZSTD_DCtx, Free> context;
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

ZSTD_CCtx* thread_zstd_encoder() {
  thread_local std::unique_ptr<ZSTD_CCtx, Free> context;
  if (!context) context.reset(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

}  // namespace tegula::codec
