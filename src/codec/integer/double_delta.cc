//   u8 b | u64 n | then, when b >= 8 * sizeof(T) - 1: n raw values
//                  else: value 0 | value 1 | n - 2 second differences, each a sign bit (1: negative) and b bits of
//                  magnitude, most significant bit first, in little-endian u64 words filled from bit 63 down; the last
//                  word is zero padded.
//
// b is the bit length of the largest magnitude. From libtiledb 2.29 on the first difference |v1 - v0| counts too,
// earlier it did not; decoding is the same. Differences that overflow int64 are an error there; here such values
// are stored raw, which every release reads.
#include "codec/integer/double_delta.h"

#include <bit>
#include <cstring>

#include "base/cursor.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kHeader = 1 + 8;

// Reads up to 64 bits at a time. The caller has checked that the words are there.
class BitReader {
 public:
  explicit BitReader(const std::byte* words) : next_(words) {}
  std::uint64_t take(unsigned width) {
    if (width == 0) return 0;
    if (left_ == 0) refill();
    std::uint64_t value = word_ >> (64 - width);
    if (width < left_) {
      word_ <<= width;
      left_ -= width;
      return value;
    }
    const unsigned missing = width - left_;
    left_ = 0;
    if (missing == 0) return value;
    refill();
    value |= word_ >> (64 - missing);
    word_ = missing == 64 ? 0 : word_ << missing;
    left_ -= missing;
    return value;
  }

 private:
  void refill() {
    word_ = load_le<std::uint64_t>(next_);
    next_ += 8;
    left_ = 64;
  }
  const std::byte* next_;
  std::uint64_t word_ = 0;  // unread bits at the top, zeros below
  unsigned left_ = 0;
};

class BitWriter {
 public:
  explicit BitWriter(Bytes& out) : out_(out) {}
  void put(std::uint64_t value, unsigned width) {
    if (width == 0) return;
    if (width <= room_) {
      word_ |= value << (room_ - width);
      room_ -= width;
      if (room_ == 0) flush();
      return;
    }
    const unsigned later = width - room_;
    word_ |= value >> later;
    flush();
    word_ = value << (64 - later);
    room_ = 64 - later;
  }
  void finish() {
    if (room_ < 64) flush();
  }

 private:
  void flush() {
    out_.put(word_);
    word_ = 0;
    room_ = 64;
  }
  ByteWriter out_;
  std::uint64_t word_ = 0;
  unsigned room_ = 64;
};

std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

// a - b as int64; false when it does not fit.
template <class T>
bool difference(T a, T b, std::int64_t& out) {
  return !__builtin_sub_overflow(a, b, &out);
}

// Bits of the largest magnitude; 64 when a difference overflows int64.
template <class T>
unsigned bit_size(const std::byte* in, std::size_t n) {
  if (n <= 2) return 0;
  std::int64_t before = 0;
  T last = load_le<T>(in + sizeof(T));
  if (!difference(last, load_le<T>(in), before)) return 64;
  std::uint64_t largest = magnitude(before);
  for (std::size_t i = 2; i < n; ++i) {
    const T value = load_le<T>(in + i * sizeof(T));
    std::int64_t now = 0, second = 0;
    if (!difference(value, last, now) || !difference(now, before, second)) return 64;
    largest |= magnitude(second);
    before = now;
    last = value;
  }
  return largest == 0 ? 1 : static_cast<unsigned>(std::bit_width(largest));
}

}  // namespace

void double_delta_decode(ByteView in, MutableBytes out, TypeId type) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    Cursor cursor(in, "double delta");
    const unsigned b = cursor.read<std::uint8_t>();
    const std::uint64_t n = cursor.read<std::uint64_t>();
    if (out.size() % sizeof(T) != 0 || n != out.size() / sizeof(T))
      cursor.fail_at(1, fmt::format("{} values of {} bytes, expected {} bytes", n, sizeof(T), out.size()));
    if (b >= 8 * sizeof(T) - 1) {
      const ByteView raw = cursor.bytes(out.size(), "raw values");
      if (n != 0) std::memcpy(out.data(), raw.data(), raw.size());
      cursor.expect_end("double delta");
      return;
    }
    U values[2] = {};
    for (std::size_t i = 0; i < n && i < 2; ++i) {
      values[i] = cursor.read<U>();
      store_le<U>(out.data() + i * sizeof(U), values[i]);
    }
    if (n > 2) {
      // 64 second differences take b + 1 words: computed this way, nothing overflows.
      const std::uint64_t words = (n - 2) / 64 * (b + 1) + ((n - 2) % 64 * (b + 1) + 63) / 64;
      cursor.check_count(words, 8, "words of second differences");
      BitReader bits(cursor.bytes(words * 8).data());
      for (std::size_t i = 2; i < n; ++i) {
        const std::uint64_t coded = bits.take(b + 1);
        const std::uint64_t size = coded & ((std::uint64_t{1} << b) - 1);
        const std::uint64_t second = coded >> b ? 0 - size : size;
        const U value = static_cast<U>(second + 2 * std::uint64_t{values[1]} - values[0]);
        store_le<U>(out.data() + i * sizeof(U), value);
        values[0] = values[1];
        values[1] = value;
      }
    }
    cursor.expect_end("double delta");
  });
}

void double_delta_encode(ByteView in, Bytes& out, TypeId type) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (in.size() % sizeof(T) != 0)
      fail(ErrorKind::invalid_argument, "double delta: {} bytes are not whole integers of {} bytes", in.size(),
           sizeof(T));
    const std::size_t n = in.size() / sizeof(T);
    const unsigned b = bit_size<T>(in.data(), n);
    out.reserve(out.size() + kHeader + in.size());
    ByteWriter writer(out);
    writer.put<std::uint8_t>(static_cast<std::uint8_t>(b));
    writer.put<std::uint64_t>(n);
    if (n <= 2 || b >= 8 * sizeof(T) - 1) {
      writer.bytes(in);
      return;
    }
    writer.bytes(in.first(2 * sizeof(T)));
    BitWriter bits(out);
    std::uint64_t older = static_cast<std::uint64_t>(load_le<T>(in.data()));
    std::uint64_t last = static_cast<std::uint64_t>(load_le<T>(in.data() + sizeof(T)));
    for (std::size_t i = 2; i < n; ++i) {
      const std::uint64_t value = static_cast<std::uint64_t>(load_le<T>(in.data() + i * sizeof(U)));
      const auto second = static_cast<std::int64_t>(value - 2 * last + older);
      bits.put(magnitude(second) | (std::uint64_t{second < 0} << b), b + 1);
      older = last;
      last = value;
    }
    bits.finish();
  });
}

}  // namespace tegula::codec
