#include "text/numbers.h"

#include <limits>

#include "query/language/literal.h"

namespace tegula::cli {

bool is_numeric(const Datatype& type, std::uint32_t values_per_cell) {
  return values_per_cell == 1 && type.shape.empty() &&
         (type.is_integer() || type.is_float() || type.is_date() || type.id == TypeId::boolean);
}

double number_at(const Column& column, std::size_t cell) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!column.valid(cell)) return kNone;
  const std::byte* at = column.data.data() + cell * column.type.size;
  if (column.type.id == TypeId::boolean) return *at != std::byte{0} ? 1 : 0;
  if (column.type.is_float()) return load_real(column.type, at);
  const Int128 value = load_integer(column.type, at);
  if (column.type.is_date() && value == std::numeric_limits<std::int64_t>::min()) return kNone;
  return static_cast<double>(value);
}

}  // namespace tegula::cli
