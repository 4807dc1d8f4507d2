// Cells as an Arrow IPC file (Feather 2). https://arrow.apache.org/docs/format/Columnar.html
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/c_interface.h"
#include "arrow/flat_builder.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::arrow {

// The columns have the types that the C data interface gives them (c_export.h): attributes with an enumeration are
// dictionaries, dates that are NaT are null. One record batch for each batch; all batches have the same columns.
class IpcWriter {
 public:
  // Receives the bytes of the file in order.
  using Sink = std::function<void(ByteView)>;
  IpcWriter(Schema schema, Sink sink);

  // Throws unsupported as export_batch() does.
  void add(const std::shared_ptr<const Batch>& batch);
  // The end of the file; without any batch it has no columns.
  void finish();

 private:
  struct Block {
    std::uint64_t at, head, body;
  };
  void put(ByteView bytes);
  Block message(FlatBuilder& flat, std::uint8_t kind, FlatBuilder::Place header, ByteView body);
  void start(const ArrowSchema& columns, const ArrowArray& cells);

  const Schema schema_;
  const Sink sink_;
  Batch like_;
  bool started_ = false;
  std::uint64_t written_ = 0;
  std::vector<Block> batches_, dictionaries_;
};

}  // namespace tegula::arrow
