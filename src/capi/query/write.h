// Writes: the buffers of the caller become fragments.
#pragma once

#include <memory>

#include "capi/query/query.h"

namespace tegula::capi {

class Writer {
 public:
  explicit Writer(QueryState& query);
  // One fragment; in global order, the next cells of one.
  void submit();
  // Commits what was submitted in global order.
  void finalize();

 private:
  Batch cells() const;
  WriteOptions options();
  void check_dense_count(std::uint64_t count) const;
  void note_written();

  QueryState& query_;
  std::vector<std::string> names_;  // of fragments
  std::unique_ptr<CellWriter> stream_;
};

}  // namespace tegula::capi
