// libdeflate objects of the calling thread, made at first use and freed with the thread.
#pragma once

#include <libdeflate.h>

namespace tegula::codec {

libdeflate_decompressor* thread_inflater();
// `level` as zlib counts: below 0 means 6, 0 stores, 9 is the highest. Throws invalid_argument above 9.
libdeflate_compressor* thread_deflater(int level);

}  // namespace tegula::codec
