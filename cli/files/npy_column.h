// A column of a numpy file that is collected batch by batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "files/spool.h"
#include "tegula/columns.h"

namespace tegula::cli {

// Cells as numpy holds them: variable text becomes U of the longest cell, several values per cell a last axis. Throws
// unsupported for variable numbers.
class NpyColumn {
 public:
  NpyColumn(const Column& like, std::shared_ptr<SpoolSpace> space);
  // Cells first .. first + count.
  void add(const Column& column, std::uint64_t first, std::uint64_t count);

  // The header for cells of that shape, and the bytes of the cells.
  std::string header(std::vector<std::uint64_t> shape) const;
  std::uint64_t bytes() const;
  void each(const std::function<void(ByteView piece)>& take) const;

 private:
  std::string name_;
  bool text_;
  Datatype type_;                    // text: not used
  std::vector<std::uint64_t> axes_;  // of a cell
  Spool cells_;                      // text: for each cell how many code points, and these, four bytes each
  std::uint64_t count_ = 0;
  std::uint64_t longest_ = 1;  // text: code points
};

}  // namespace tegula::cli
