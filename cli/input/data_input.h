// Cells from .npy, .csv, .json and Arrow files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "files/input_file.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::cli {

enum class DataKind : unsigned char { npy, csv, json, arrow };
// By the end of the name, or as --as says. Throws invalid_argument.
DataKind data_kind(const std::string& path, const std::string& as);

// A column of the field's type without cells. Throws invalid_argument, naming the fields there are.
Column empty_column(const std::string& name, const Schema& schema);
// Throws invalid_argument for a field of the schema that the batch lacks.
void check_all_there(const Batch& batch, const Schema& schema, const std::string& name);

// The rows of a file, from the first to the last.
class Rows {
 public:
  virtual ~Rows() = default;
  // At most `rows` rows, and not many more than fit `bytes`; no value at the end.
  virtual std::optional<Batch> next(std::uint64_t rows, std::uint64_t bytes) = 0;
};

// The rows of a batch.
std::unique_ptr<Rows> rows_of(Batch batch);

// JSON: {name: [values]}, the object that `tegula read --json` prints, or a list of {name: value}. The document is in
// memory as a whole. Throws invalid_argument with the field.
Batch read_json_cells(const InputFile& file, const Schema& schema);

// The cells of a .npy file, in its type, as a column of `attribute`: numbers are converted when nothing is lost.
Column column_of_npy(const Datatype& type, Bytes cells, const Attribute& attribute);

}  // namespace tegula::cli
