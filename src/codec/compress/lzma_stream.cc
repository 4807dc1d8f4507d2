// Presets may carry Python's PRESET_EXTREME bit (2^31), which makes the number negative here; -1 still means
// the default.
//
// Decoders allocate the dictionary that the header asks for. Those above kMemoryLimit are refused: the highest preset
// asks for 64 MiB, and a damaged header could ask for 4 GiB.

#include "codec/compress/lzma_stream.h"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/fail.h"
#include "codec/compress/growing_buffer.h"

namespace tegula::codec {

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{512} << 20;
constexpr int kAuto = 0, kXz = 1, kAlone = 2, kRaw = 3;

[[noreturn]] void refuse(std::string_view what) { fail(ErrorKind::invalid_argument, "LZMA: {}", what); }

std::uint32_t preset_of(int preset) { return preset == -1 ? LZMA_PRESET_DEFAULT : static_cast<std::uint32_t>(preset); }

// A chain in liblzma's form. It points to options inside of itself, so it cannot be copied or moved.
class Chain {
 public:
  explicit Chain(std::span<const LzmaFilter> filters) {
    if (filters.size() > LZMA_FILTERS_MAX) refuse("a chain has at most 4 filters");
    for (std::size_t i = 0; i < filters.size(); ++i) {
      filters_[i].id = filters[i].id;
      filters_[i].options = options_of(filters[i], options_[i]);
    }
    filters_[filters.size()].id = LZMA_VLI_UNKNOWN;
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  const lzma_filter* get() const { return filters_.data(); }

 private:
  struct Options {
    lzma_options_lzma lzma;
    lzma_options_delta delta;
  };

  static void set(std::uint32_t& member, std::int64_t value, std::string_view what) {
    if (value == -1) return;
    if (value < 0 || value > std::int64_t{UINT32_MAX}) fail(ErrorKind::invalid_argument, "LZMA: {} {}", what, value);
    member = static_cast<std::uint32_t>(value);
  }

  static void* options_of(const LzmaFilter& filter, Options& options) {
    if (filter.id == LZMA_FILTER_DELTA) {
      options.delta = {};
      options.delta.type = LZMA_DELTA_TYPE_BYTE;
      options.delta.dist = 1;
      set(options.delta.dist, filter.dist, "dist");
      return &options.delta;
    }
    if (filter.id != LZMA_FILTER_LZMA1 && filter.id != LZMA_FILTER_LZMA2) {
      // Branch converters for machine code take no options.
      if (filter.id <= LZMA_FILTER_DELTA || filter.id > LZMA_FILTER_SPARC)
        fail(ErrorKind::unsupported, "LZMA filter {:#x}", filter.id);
      return nullptr;
    }
    lzma_options_lzma& lzma = options.lzma;
    if (lzma_lzma_preset(&lzma, preset_of(filter.preset)))
      fail(ErrorKind::invalid_argument, "LZMA: preset {}; there are 0 to 9", filter.preset);
    std::uint32_t mode = lzma.mode, mf = lzma.mf;
    set(lzma.dict_size, filter.dict_size, "dict_size");
    set(lzma.lc, filter.lc, "lc");
    set(lzma.lp, filter.lp, "lp");
    set(lzma.pb, filter.pb, "pb");
    set(mode, filter.mode, "mode");
    set(lzma.nice_len, filter.nice_len, "nice_len");
    set(mf, filter.mf, "mf");
    set(lzma.depth, filter.depth, "depth");
    lzma.mode = static_cast<lzma_mode>(mode);
    lzma.mf = static_cast<lzma_match_finder>(mf);
    return &lzma;
  }

  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters_{};
  std::array<Options, LZMA_FILTERS_MAX> options_;
};

class Stream {
 public:
  ~Stream() { lzma_end(&stream_); }
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  lzma_stream* get() { return &stream_; }

  // Feeds all of `in`, appends what comes out to `grown`, and returns at the end of the stream or at a failure.
  lzma_ret run(ByteView in, GrowingBuffer& grown, std::string_view what) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    for (;;) {
      // liblzma finds an end marker only with room for a byte: when the output is full, a spare one tells whether the
      // stream ends there.
      std::byte spare;
      const MutableBytes left = grown.room(), room = left.empty() ? MutableBytes(&spare, 1) : left;
      stream_.next_out = reinterpret_cast<std::uint8_t*>(room.data());
      stream_.avail_out = room.size();
      const lzma_ret result = lzma_code(&stream_, LZMA_FINISH);
      if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
      const std::size_t written = room.size() - stream_.avail_out;
      if (left.empty() && written > 0) {
        grown.more(what);
        grown.room()[0] = spare;
      }
      grown.commit(written);
      if (result != LZMA_OK) return result;
    }
  }
  std::size_t unread() const { return stream_.avail_in; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

void check_start(lzma_ret result) {
  switch (result) {
    case LZMA_OK:
      return;
    case LZMA_MEM_ERROR:
      throw std::bad_alloc();
    case LZMA_UNSUPPORTED_CHECK:
      fail(ErrorKind::unsupported, "LZMA: liblzma lacks this check");
    default:
      refuse("liblzma refuses this combination of filters and options");
  }
}

}  // namespace

void lzma_decode_stream(ByteView in, Bytes& out, std::uint64_t limit, const LzmaParams& params) {
  constexpr std::string_view kWhat = "an LZMA stream";
  const Chain chain(params.format == kRaw ? params.filters : std::span<const LzmaFilter>{});
  Stream stream;
  switch (params.format) {
    case kAuto:
      check_start(lzma_auto_decoder(stream.get(), kMemoryLimit, 0));
      break;
    case kXz:
      check_start(lzma_stream_decoder(stream.get(), kMemoryLimit, 0));
      break;
    case kAlone:
      check_start(lzma_alone_decoder(stream.get(), kMemoryLimit));
      break;
    case kRaw:
      if (params.filters.empty()) refuse("a raw stream needs its filters");
      if (lzma_raw_decoder_memusage(chain.get()) > kMemoryLimit) refuse("these filters need too much memory");
      check_start(lzma_raw_decoder(stream.get(), chain.get()));
      break;
    default:
      fail(ErrorKind::invalid_argument, "LZMA format {}: 1 xz, 2 alone, 3 raw", params.format);
  }
  GrowingBuffer grown(out, limit, GrowingBuffer::guess(in));
  const lzma_ret result = stream.run(in, grown, kWhat);
  if (result == LZMA_MEMLIMIT_ERROR)
    fail(ErrorKind::corrupt, "an LZMA stream asks for a dictionary above {} MiB", kMemoryLimit >> 20);
  if (result != LZMA_STREAM_END)
    fail(ErrorKind::corrupt, "{} bytes are not an LZMA stream (liblzma result {})", in.size(),
         static_cast<int>(result));
  if (stream.unread() != 0) fail(ErrorKind::corrupt, "{} bytes behind an LZMA stream", stream.unread());
  grown.finish();
}

void lzma_encode_stream(ByteView in, Bytes& out, const LzmaParams& params) {
  const Chain chain(params.filters);
  const auto check = params.check == -1 ? LZMA_CHECK_CRC64 : static_cast<lzma_check>(params.check);
  Stream stream;
  switch (params.format) {
    case kXz:
      check_start(params.filters.empty() ? lzma_easy_encoder(stream.get(), preset_of(params.preset), check)
                                         : lzma_stream_encoder(stream.get(), chain.get(), check));
      break;
    case kAlone: {
      if (params.filters.size() > 1 || (params.filters.size() == 1 && params.filters[0].id != LZMA_FILTER_LZMA1))
        refuse("the alone format takes a single LZMA1 filter");
      const LzmaFilter plain{.id = LZMA_FILTER_LZMA1, .preset = params.preset};
      const Chain by_preset(std::span(&plain, 1));
      const lzma_filter* filter = params.filters.empty() ? by_preset.get() : chain.get();
      check_start(lzma_alone_encoder(stream.get(), static_cast<const lzma_options_lzma*>(filter->options)));
      break;
    }
    case kRaw:
      if (params.filters.empty()) refuse("a raw stream needs its filters");
      check_start(lzma_raw_encoder(stream.get(), chain.get()));
      break;
    default:
      fail(ErrorKind::invalid_argument, "LZMA format {}: 1 xz, 2 alone, 3 raw", params.format);
  }
  GrowingBuffer grown(out, UINT64_MAX, in.size() / 2 + 4096);
  const lzma_ret result = stream.run(in, grown, "an LZMA stream");
  if (result != LZMA_STREAM_END) fail(ErrorKind::io, "liblzma could not compress {} bytes", in.size());
  grown.finish();
}

}  // namespace tegula::codec
