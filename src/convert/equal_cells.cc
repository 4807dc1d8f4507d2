#include "convert/equal_cells.h"

#include <cmath>
#include <cstring>

#include "base/endian.h"
#include "base/utf8.h"
#include "query/language/literal.h"

namespace tegula {

namespace {

bool whole_number(const Datatype& type) { return type.is_integer() || type.is_date() || type.id == TypeId::boolean; }
bool number(const Datatype& type) { return whole_number(type) || type.is_float(); }
bool texty(const Datatype& type) {
  return type.is_text() || type.id == TypeId::bytes || type.id == TypeId::unicode || type.id == TypeId::blob ||
         type.id == TypeId::raw;
}

Int128 integer_at(const Datatype& type, const std::byte* at) {
  return type.id == TypeId::boolean ? Int128(*at != std::byte{0}) : load_integer(type, at);
}

bool equal_reals(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool equal_numbers(const Datatype& ta, const std::byte* a, const Datatype& tb, const std::byte* b) {
  if (whole_number(ta) && whole_number(tb)) return integer_at(ta, a) == integer_at(tb, b);
  if (ta.is_float() && tb.is_float()) return equal_reals(load_real(ta, a), load_real(tb, b));
  const double real = ta.is_float() ? load_real(ta, a) : load_real(tb, b);
  const Int128 whole = ta.is_float() ? integer_at(tb, b) : integer_at(ta, a);
  // A double that holds the integer exactly, not one that merely rounds to it.
  return std::isfinite(real) && std::fabs(real) < 0x1p65 && real == std::floor(real) &&
         static_cast<Int128>(real) == whole;
}

// UTF-8 or plain bytes, without the zeros that pad fixed cells.
std::string text_value(const Datatype& type, ByteView bytes) {
  std::string text;
  if (type.id == TypeId::unicode || type.id == TypeId::utf32 || type.id == TypeId::ucs4) {
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const auto c =
          type.big_endian ? load_be<std::uint32_t>(bytes.data() + i) : load_le<std::uint32_t>(bytes.data() + i);
      append_utf8(text, c);
    }
  } else {
    text = text_of(bytes);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

Datatype half_of(const Datatype& type) {
  Datatype part(type.id == TypeId::complex64 ? TypeId::float32 : TypeId::float64);
  part.big_endian = type.big_endian;
  return part;
}

bool equal_values(const Datatype& ta, const std::byte* a, const Datatype& tb, const std::byte* b);

bool equal_records(const Datatype& ta, const std::byte* a, const Datatype& tb, const std::byte* b) {
  if (ta.fields->size() != tb.fields->size()) return false;
  for (std::size_t i = 0; i < ta.fields->size(); ++i) {
    const Field &fa = (*ta.fields)[i], &fb = (*tb.fields)[i];
    if (fa.name != fb.name || !equal_values(fa.type, a + fa.offset, fb.type, b + fb.offset)) return false;
  }
  return true;
}

bool equal_values(const Datatype& ta, const std::byte* a, const Datatype& tb, const std::byte* b) {
  if (!ta.shape.empty() || !tb.shape.empty()) {
    if (ta.shape != tb.shape) return false;
    Datatype ea = ta, eb = tb;
    ea.shape.clear();
    eb.shape.clear();
    for (std::uint64_t at = 0; at < ta.full_size() / std::max<std::uint32_t>(ta.size, 1); ++at)
      if (!equal_values(ea, a + at * ta.size, eb, b + at * tb.size)) return false;
    return true;
  }
  if (number(ta) && number(tb)) return equal_numbers(ta, a, tb, b);
  if (texty(ta) && texty(tb)) return text_value(ta, {a, ta.size}) == text_value(tb, {b, tb.size});
  if (ta.id == TypeId::record && tb.id == TypeId::record) return equal_records(ta, a, tb, b);
  const auto complex = [](const Datatype& t) { return t.id == TypeId::complex64 || t.id == TypeId::complex128; };
  if (complex(ta) && complex(tb)) {
    const Datatype pa = half_of(ta), pb = half_of(tb);
    return equal_numbers(pa, a, pb, b) && equal_numbers(pa, a + pa.size, pb, b + pb.size);
  }
  return ta == tb && std::memcmp(a, b, ta.size) == 0;
}

}  // namespace

bool equal_cells(const Column& left, std::size_t i, const Column& right, std::size_t j) {
  if (left.valid(i) != right.valid(j)) return false;
  if (!left.valid(i)) return true;
  const ByteView a = left.cell(i), b = right.cell(j);
  // Text may be many code units, one item of numpy's, or bytes of a fixed length: all are compared as text.
  if (texty(left.type) && texty(right.type)) return text_value(left.type, a) == text_value(right.type, b);
  const std::uint64_t wa = left.type.full_size(), wb = right.type.full_size();
  if (wa == 0 || wb == 0) return a.size() == b.size();
  if (a.size() / wa != b.size() / wb) return false;
  for (std::size_t k = 0; k < a.size() / wa; ++k)
    if (!equal_values(left.type, a.data() + k * wa, right.type, b.data() + k * wb)) return false;
  return true;
}

}  // namespace tegula
