// zstd contexts of the calling thread, made at first use and freed with the thread.
#pragma once

#include <zstd.h>

namespace tegula::codec {

ZSTD_DCtx* thread_zstd_decoder();
ZSTD_CCtx* thread_zstd_encoder();

}  // namespace tegula::codec
