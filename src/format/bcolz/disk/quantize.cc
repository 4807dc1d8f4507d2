#include "format/bcolz/disk/quantize.h"

#include <cmath>

#include "base/endian.h"
#include "base/fail.h"

namespace tegula::bcolz {

namespace {

template <class T>
void round_items(MutableBytes items, bool big_endian, T scale) {
  for (std::size_t at = 0; at + sizeof(T) <= items.size(); at += sizeof(T)) {
    std::byte* const p = items.data() + at;
    const T value = big_endian ? load_be<T>(p) : load_le<T>(p);
    const T rounded = std::nearbyint(value * scale) / scale;  // halves to even, as numpy's around
    if (big_endian)
      store_be(p, rounded);
    else
      store_le(p, rounded);
  }
}

}  // namespace

void quantize(MutableBytes items, const Datatype& type, int digits) {
  const double scale = std::exp2(std::ceil(std::log2(std::pow(10.0, digits))));
  if (type.id == TypeId::float64)
    round_items<double>(items, type.big_endian, scale);
  else if (type.id == TypeId::float32)
    round_items<float>(items, type.big_endian, static_cast<float>(scale));
  else
    fail(ErrorKind::unsupported, "only float32 and float64 can be quantized, not {}", display_name(type));
}

}  // namespace tegula::bcolz
