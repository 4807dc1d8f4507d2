// The digit behind "BZh" is the block size in 100 kB and comes from the level; -1, the default, means 1
// as in libtiledb. The work factor is 0. A second stream behind the first, which the bzip2 command and Python accept,
// is refused: no array writer makes one.

#include "codec/compress/bzip2.h"

#include <bzlib.h>

#include <algorithm>
#include <limits>

#include "base/fail.h"
#include "codec/compress/growing_buffer.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 30;  // the library counts in unsigned int

class Inflater {
 public:
  explicit Inflater(ByteView in) : in_(in) {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Inflater() { BZ2_bzDecompressEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  enum class Result { end, full, damaged };

  // Fills `out` as far as the stream goes; `written` says how far.
  Result run(MutableBytes out, std::size_t& written) {
    written = 0;
    for (;;) {
      const std::size_t give = std::min(in_.size() - read_, kStep), room = std::min(out.size() - written, kStep);
      // The library never writes through next_in; its interface just lacks the const.
      stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in_.data() + read_));
      stream_.avail_in = static_cast<unsigned>(give);
      stream_.next_out = reinterpret_cast<char*>(out.data() + written);
      stream_.avail_out = static_cast<unsigned>(room);
      const int result = BZ2_bzDecompress(&stream_);
      const std::size_t consumed = give - stream_.avail_in, produced = room - stream_.avail_out;
      read_ += consumed;
      written += produced;
      if (result == BZ_STREAM_END) return read_ == in_.size() ? Result::end : Result::damaged;
      if (result == BZ_MEM_ERROR) throw std::bad_alloc();
      if (result != BZ_OK) return Result::damaged;
      if (consumed == 0 && produced == 0) return written == out.size() ? Result::full : Result::damaged;
    }
  }

 private:
  ByteView in_;
  std::size_t read_ = 0;
  bz_stream stream_{};
};

}  // namespace

void bzip2_decode(ByteView in, MutableBytes out, const Params&) {
  Inflater inflater(in);
  std::size_t written = 0;
  if (inflater.run(out, written) != Inflater::Result::end || written != out.size())
    fail(ErrorKind::corrupt, "{} bytes are not a bzip2 stream of {} raw bytes", in.size(), out.size());
}

void bzip2_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  Inflater inflater(in);
  GrowingBuffer grown(out, limit, GrowingBuffer::guess(in));
  for (;;) {
    std::size_t written = 0;
    const auto result = inflater.run(grown.room(), written);
    grown.commit(written);
    if (result == Inflater::Result::end) return grown.finish();
    if (result == Inflater::Result::damaged) fail(ErrorKind::corrupt, "{} bytes are not a bzip2 stream", in.size());
    grown.more("a bzip2 stream");
  }
}

void bzip2_encode(ByteView in, Bytes& out, const Params& params) {
  const std::size_t bound = in.size() + in.size() / 100 + 600;
  if (bound > std::numeric_limits<unsigned>::max())
    fail(ErrorKind::invalid_argument, "bzip2 encodes at most 4 GiB at once, not {} bytes; use smaller chunks",
         in.size());
  const std::size_t at = out.size();
  out.resize(at + bound);
  auto size = static_cast<unsigned>(bound);
  char nothing = 0;
  char* from = in.empty() ? &nothing : const_cast<char*>(reinterpret_cast<const char*>(in.data()));
  const int result = BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data() + at), &size, from,
                                              static_cast<unsigned>(in.size()), std::clamp(params.level, 1, 9), 0, 0);
  if (result != BZ_OK) fail(ErrorKind::io, "bzip2 could not compress {} bytes (result {})", in.size(), result);
  out.resize(at + size);
}

}  // namespace tegula::codec
