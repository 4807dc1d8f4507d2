// Fields as conditions and aggregates see them: a description, and a view of cells in memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula {

struct FieldInfo {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  bool dimension = false;
  // Conditions then compare values, not the stored codes. Borrowed only while a condition is bound.
  const Enumeration* enumeration = nullptr;

  bool var() const { return values_per_cell == kVar; }
  std::uint64_t cell_size() const { return var() ? 0 : values_per_cell * type.full_size(); }
};

// Attributes, then dimensions, in the order of the schema; the enumerations are borrowed from it.
std::vector<FieldInfo> field_infos(const Schema& schema);
FieldInfo field_info(const Attribute& attribute, const Schema& schema);
FieldInfo field_info(const Dimension& dimension);

// Cells in a Column or in a decoded tile. Borrows everything; offsets must have been checked against data.
struct ColumnView {
  const std::byte* data = nullptr;
  const std::uint64_t* offsets = nullptr;  // variable cells: cell i is data[offsets[i]] .. data[offsets[i + 1]]
  const std::byte* validity = nullptr;     // null: every cell is valid
  bool absent = false;                     // the field does not exist here: every comparison with it is false

  ColumnView() = default;
  ColumnView(const std::byte* cells, const std::uint64_t* cell_offsets = nullptr,
             const std::byte* cell_validity = nullptr)
      : data(cells), offsets(cell_offsets), validity(cell_validity) {}
  ColumnView(const Column& column);
  static ColumnView missing() {
    ColumnView view;
    view.absent = true;
    return view;
  }
};

// Where the families differ: TileDB's rules, or numpy's for bcolz and zarr (docs/conditions.md, "Missing values").
enum class Rules : std::uint8_t { tiledb, numpy };

}  // namespace tegula
