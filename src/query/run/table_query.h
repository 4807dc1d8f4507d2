// Queries of tables: rows found by conditions, block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "query/columns/field.h"
#include "tegula/query.h"
#include "tegula/work.h"

namespace tegula {

// The column of row numbers.
inline constexpr std::string_view kRowColumn = "__row";

// Rows of equally long columns. Called from several threads at once.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::uint64_t rows() const = 0;
  // In the order in which a query without `fields` returns them.
  virtual const std::vector<FieldInfo>& fields() const = 0;
  // Rows that are cheap to read together, e.g. a chunk; blocks are multiples of it where memory allows.
  virtual std::uint64_t block_rows() const { return 65536; }
  // Whether reading means waiting: then the columns of a block are read side by side.
  virtual bool waits() const { return false; }
  // Makes `out` hold rows first .. first + count of a field. The column comes with its type set and may hold old cells.
  virtual void read_rows(std::size_t field, std::uint64_t first, std::uint64_t count, Column& out) const = 0;
  // Makes `out` hold the rows at `indices`, in any order. Sources that decode less than whole ranges override this.
  virtual void read_indices(std::size_t field, std::span<const std::uint64_t> indices, Column& out) const;
};

// Honours fields, select (one axis), ranges on the row dimension (0 .. rows - 1), where, row_numbers, skip, limit,
// aggregates and work; results are in row order. The columns of the condition are read first, the others only for
// blocks with matches. Throws invalid_argument for what a table does not have.
std::unique_ptr<BatchStream> query_table(std::shared_ptr<const RowSource> source, const Query& query,
                                         Rules rules = Rules::numpy);

}  // namespace tegula
