#include "format/tiledb/filter/filter_plan.h"

#include <optional>

#include "base/fail.h"

namespace tegula::tiledb {

namespace {

// Codes of TileDB's signed integers by size.
std::uint8_t signed_integer_code(std::uint64_t size) {
  switch (size) {
    case 1:
      return 5;
    case 2:
      return 7;
    case 4:
      return 0;
    case 8:
      return 1;
    default:
      fail(ErrorKind::unsupported, "a filter makes integers of {} bytes, expected 1, 2, 4 or 8", size);
  }
}

bool is_integer_or_date(const Datatype& type, bool dates) { return type.is_integer() || (dates && type.is_date()); }

// Byte types that positive delta takes besides integers; text is not among them.
bool is_plain_byte(const Datatype& type) {
  return type.id == TypeId::boolean || type.id == TypeId::blob || type.id == TypeId::wkb || type.id == TypeId::wkt;
}

TypeId integer_type(const Datatype& type, FilterType filter) {
  const std::optional<TypeId> arithmetic = type.arithmetic();
  if (!arithmetic || type.is_float())
    fail(ErrorKind::unsupported, "filter {} cannot work on {}", filter_name(filter), display_name(type));
  // Wider characters are read as unsigned integers of their width.
  if (type.size == 2 && !type.is_integer()) return TypeId::uint16;
  if (type.size == 4 && !type.is_integer()) return TypeId::uint32;
  return *arithmetic;
}

}  // namespace

FilterPlan make_plan(const Pipeline& pipeline, const FilterInput& input, std::shared_ptr<const codec::AesKey> key) {
  FilterPlan plan;
  plan.cell_size = input.cell_size;
  std::uint8_t code = input.type_code;
  for (const FilterStep& filter : pipeline.steps) {
    const Datatype type = datatype_from_tiledb(code);
    PlanStep step{filter, type.arithmetic().value_or(TypeId::uint8), type.size};
    std::uint8_t next = code;
    switch (filter.type) {
      case FilterType::none:
        continue;
      case FilterType::gzip:
      case FilterType::zstd:
      case FilterType::lz4:
      case FilterType::rle:
      case FilterType::bzip2:
      case FilterType::dictionary:
      case FilterType::bitshuffle:
      case FilterType::byteshuffle:
      case FilterType::md5:
      case FilterType::sha256:
      case FilterType::webp:
        break;
      case FilterType::delta:
      case FilterType::double_delta: {
        if (filter.reinterpret != kTypeAny) next = filter.reinterpret;
        const Datatype seen = datatype_from_tiledb(next);
        step.type = integer_type(seen, filter.type);
        step.element_size = seen.size;
        break;
      }
      case FilterType::bit_width:
        if (!is_integer_or_date(type, input.dates) || type.size == 1) continue;
        break;
      case FilterType::positive_delta:
        if (!is_integer_or_date(type, input.dates) && !is_plain_byte(type)) continue;
        break;
      case FilterType::scale_float:
        if (type.size != 4 && type.size != 8)
          fail(ErrorKind::unsupported, "filter scale_float cannot work on {}", display_name(type));
        next = signed_integer_code(filter.byte_width);
        break;
      case FilterType::xor_elements:
        next = signed_integer_code(type.size);
        break;
      case FilterType::aes_gcm:
        if (!key) fail(ErrorKind::invalid_argument, "the data is encrypted: give the key");
        plan.key = key;
        next = 40;  // BLOB
        break;
      case FilterType::bitsort:
        fail(ErrorKind::unsupported,
             "filter 17 (bit sort) was withdrawn by libtiledb; read the array with release 2.14");
    }
    plan.steps.push_back(step);
    if (input.chained) code = next;
  }
  if (key && !plan.key) {
    plan.key = std::move(key);
    plan.steps.push_back({FilterStep{.type = FilterType::aes_gcm}});
  }
  return plan;
}

bool may_carry_offsets(const FilterPlan& plan) {
  return !plan.steps.empty() &&
         (plan.steps[0].filter.type == FilterType::rle || plan.steps[0].filter.type == FilterType::dictionary);
}

}  // namespace tegula::tiledb
