#include "codec/compress/lz4_frame.h"

#include <lz4frame.h>

#include <memory>
#include <new>

#include "base/fail.h"
#include "codec/compress/growing_buffer.h"

namespace tegula::codec {

void lz4_frame_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION))) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(made,
                                                                                     &LZ4F_freeDecompressionContext);
  GrowingBuffer grown(out, limit, GrowingBuffer::guess(in));
  std::byte nothing;
  for (;;) {
    const MutableBytes room = grown.room();
    std::size_t written = room.size(), used = in.size();
    const std::size_t result =
        LZ4F_decompress(context.get(), room.empty() ? &nothing : room.data(), &written, in.data(), &used, nullptr);
    if (LZ4F_isError(result)) fail(ErrorKind::corrupt, "an LZ4 frame: {}", LZ4F_getErrorName(result));
    grown.commit(written);
    in = in.subspan(used);
    if (result == 0) break;
    if (used > 0 || written > 0) continue;
    if (!grown.room().empty()) fail(ErrorKind::corrupt, "an LZ4 frame ends early");
    grown.more("an LZ4 frame");
  }
  if (!in.empty()) fail(ErrorKind::corrupt, "{} bytes behind an LZ4 frame", in.size());
  grown.finish();
}

}  // namespace tegula::codec
