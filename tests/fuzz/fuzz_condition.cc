// room: query
// Any text is parsed, bound to fields of every kind and evaluated on a few cells.
#include <cstring>

#include "query/columns/gather.h"
#include "query/condition/condition.h"
#include "tegula/error.h"
#include "tegula/query.h"

namespace {

using namespace tegula;

Batch make_batch() {
  const struct {
    const char* name;
    Datatype type;
    std::uint32_t per_cell;
    bool nullable;
  } kFields[] = {{"i", TypeId::int32, 1, false},     {"u", TypeId::uint64, 1, false},
                 {"f", TypeId::float64, 1, true},    {"h", TypeId::float16, 1, false},
                 {"b", TypeId::boolean, 1, false},   {"s", TypeId::ascii, kVar, true},
                 {"x", TypeId::ascii, 3, false},     {"d", TypeId::datetime, 1, false},
                 {"e", TypeId::timedelta, 1, false}, {"w", Datatype(TypeId::unicode, 8), 1, false},
                 {"c", TypeId::complex64, 1, false}};
  Batch batch;
  batch.cells = 3;
  for (const auto& field : kFields) {
    FieldInfo info{field.name, field.type, field.per_cell, field.nullable, false, nullptr};
    if (info.type.is_date()) info.type.unit = TimeUnit::ms;
    Column column = empty_column(info);
    Bytes cell(info.var() ? 2 : info.cell_size(), std::byte{0x41});
    append_fill(column, cell, true, 1);
    std::memset(cell.data(), 0, cell.size());
    append_fill(column, cell, false, 1);
    std::memset(cell.data(), 0xFF, cell.size());
    append_fill(column, cell, true, 1);
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Batch batch = make_batch();
  std::vector<FieldInfo> fields;
  for (const Column& column : batch.columns)
    fields.push_back({column.name, column.type, column.values_per_cell, column.nullable, false, nullptr});
  try {
    parse_aggregates(text);
  } catch (const Error&) {
  }
  for (const Rules rules : {Rules::tiledb, Rules::numpy}) {
    try {
      const Condition condition = Condition::bind(text, fields, rules);
      std::vector<std::uint8_t> mask, again;
      condition.evaluate(batch, mask);
      const std::vector<FieldStats> unknown(condition.fields().size());
      const Match match = condition.may_match(unknown);
      for (const std::uint8_t m : mask)
        if (m > 1 || (match == Match::none && m) || (match == Match::all && !m)) __builtin_trap();
      if (rules == Rules::tiledb && !condition.empty()) {
        Condition::from_tree(condition.tree(), fields).evaluate(batch, again);
        if (again != mask) __builtin_trap();
      }
    } catch (const Error&) {
    }
  }
  return 0;
}
