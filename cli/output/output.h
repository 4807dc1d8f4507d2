// Writers of results, one for each form; they take batch by batch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "query/request/value_text.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::cli {

class Output {
 public:
  virtual ~Output() = default;
  virtual void add(const Batch& batch) = 0;
  // Called once, after the last batch; a file appears only now.
  virtual void finish() = 0;
};

// Nothing is printed before the last batch, because the JSON is written column by column. Stops between two pieces when
// `work` is cancelled.
std::unique_ptr<Output> json_output(Dialect dialect, const Work& work);
// An aligned table; columns widen as longer cells come. Shows at most `most` rows, and
// says on stderr how many more there are.
std::unique_ptr<Output> table_output(Dialect dialect, std::uint64_t most);
// RFC 4180 with a header line; null cells are empty. Stops between two writes when `work` is cancelled.
std::unique_ptr<Output> csv_output(Dialect dialect, const Work& work);
// One field, streamed.
std::unique_ptr<Output> npy_output(const std::string& path);
// One entry per field, stored; nullable fields get a second entry "<name>.valid".
std::unique_ptr<Output> npz_output(const std::string& path);
// An Arrow IPC file: one record batch per batch, with the types that Python's Arrow has too (arrow/ipc_writer.h).
std::unique_ptr<Output> arrow_output(const std::string& path, const Schema& schema);

// Writes to stdout. Throws Error(io) when the reader is gone.
void print(std::string_view text);

}  // namespace tegula::cli
