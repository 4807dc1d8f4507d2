// Cells from .npy, .csv, .json and Arrow files.
#pragma once

#include <optional>
#include <string>

#include "files/npy.h"
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

// Columns of `names` in the types of the schema. CSV has a header line; JSON is {name: [values]}, the object that
// `tegula read --json` prints, or a list of {name: value}. Throws invalid_argument with the line or the field.
Batch read_csv(const std::string& text, const Schema& schema, const std::string& name);
Batch read_json_cells(const std::string& text, const Schema& schema, const std::string& name);
// The cells of a .npy file as one column of `attribute`: numbers are converted when nothing is lost.
Column column_of_npy(const NpyArray& array, const Attribute& attribute);

}  // namespace tegula::cli
