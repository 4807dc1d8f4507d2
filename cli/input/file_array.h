// Files of cells as arrays, so that they are copied as arrays are.
#pragma once

#include <cstdint>
#include <memory>

#include "files/npy.h"
#include "input/data_input.h"
#include "model/cell_box.h"
#include "tegula/array.h"

namespace tegula::cli {

// A file whose cells have the schema of the array that they go to. Of queries it knows those of a copy: a box of a
// dense array, or all rows.
class FileArray : public Array {
 public:
  explicit FileArray(Schema schema) : schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  Metadata metadata() const override { return {}; }
  Info info(const Work&) const override { return {}; }
  // The cells that the file has beyond those that were asked for.
  virtual std::uint64_t rest() { return 0; }

 private:
  const Schema schema_;
};

// One field of a dense array: the cells of the file fill the box, whose axes of one cell the file may lack. Borrows the
// file.
std::unique_ptr<FileArray> npy_array(const InputFile& file, NpyHeader header, Schema schema, const Attribute& attribute,
                                     CellBox box);

// Rows can be read once, from the first to the last. Dense: the rows are the cells of the box in C order; throws
// unsupported when another box is asked for than the next cells.
std::unique_ptr<FileArray> row_array(std::unique_ptr<Rows> rows, Schema schema, CellBox box);

}  // namespace tegula::cli
