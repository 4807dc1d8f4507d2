// Skilling's transformation of axes into the transposed Hilbert index, then the bits of all axes interleaved.
#include "format/tiledb/order/hilbert.h"

#include <algorithm>

#include "base/endian.h"
#include "base/fail.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

HilbertCurve::HilbertCurve(const ArraySchema& schema, bool by_range)
    : bits_(static_cast<unsigned>(63 / std::max<std::size_t>(1, schema.dimensions.size()))) {
  if (bits_ == 0)
    fail(ErrorKind::unsupported, "Hilbert order on {} dimensions, at most 63 are possible", schema.dimensions.size());
  for (const SchemaDimension& dimension : schema.dimensions) {
    Axis axis{dimension.type, dimension.var(), 0, 1};
    if (!axis.var) {
      with_number(dimension.type, [&]<class T>(T) {
        axis.low = static_cast<double>(load_le<T>(dimension.domain.data()));
        const double high = static_cast<double>(load_le<T>(dimension.domain.data() + sizeof(T)));
        axis.span = high - axis.low + (std::is_integral_v<T> && !by_range ? 1 : 0);
      });
    }
    axes_.push_back(axis);
  }
}

std::uint64_t HilbertCurve::bucket(std::size_t dimension, ByteView coordinate) const {
  const Axis& axis = axes_[dimension];
  if (axis.var) {
    std::uint64_t prefix = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      // libtiledb widens signed characters here, so that bytes from 0x80 on set all bits above them.
      const auto byte = i < coordinate.size() ? static_cast<std::int8_t>(coordinate[i]) : std::int8_t{0};
      prefix = (prefix << 8) | static_cast<std::uint64_t>(std::int64_t{byte});
    }
    return prefix >> (64 - bits_);
  }
  const std::uint64_t most = (std::uint64_t{1} << bits_) - 1;
  return with_number(axis.type, [&]<class T>(T) -> std::uint64_t {
    const double part = (static_cast<double>(load_le<T>(coordinate.data())) - axis.low) / axis.span;
    const double bucket = part * static_cast<double>(most);
    // An axis of one value gives NaN, and damage anything: neither may reach an undefined conversion.
    if (!(bucket > 0)) return 0;
    return bucket >= 0x1p64 ? most : static_cast<std::uint64_t>(bucket);
  });
}

std::uint64_t HilbertCurve::place(std::span<std::uint64_t> x) const {
  const std::size_t n = x.size();
  for (std::uint64_t q = std::uint64_t{1} << (bits_ - 1); q > 1; q >>= 1) {
    const std::uint64_t p = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] & q) {
        x[0] ^= p;
      } else {
        const std::uint64_t t = (x[0] ^ x[i]) & p;
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  std::uint64_t t = x[n - 1];
  for (unsigned s = 1; s < bits_; s <<= 1) x[n - 1] ^= x[n - 1] >> s;
  t ^= x[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) x[i] ^= t;

  std::uint64_t value = 0;
  unsigned at = 0;
  for (unsigned bit = 0; bit < bits_; ++bit)
    for (std::size_t i = n; i-- > 0;) value |= ((x[i] >> bit) & 1) << at++;
  return value;
}

void HilbertCurve::places(std::span<const ColumnView> columns, std::uint64_t first,
                          std::span<std::uint64_t> out) const {
  std::vector<std::uint64_t> buckets(axes_.size());
  for (std::uint64_t cell = first; cell < first + out.size(); ++cell) {
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const Axis& axis = axes_[d];
      const std::uint64_t* const offsets = columns[d].offsets;
      const std::uint64_t begin = axis.var ? offsets[cell] : cell * axis.type.size;
      buckets[d] = bucket(d, {columns[d].data + begin, axis.var ? offsets[cell + 1] - begin : axis.type.size});
    }
    out[cell - first] = place(buckets);
  }
}

}  // namespace tegula::tiledb
