// Cells from .npy, .csv and .json files.
#pragma once

#include <optional>
#include <string>

#include "npy.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::cli {

enum class DataKind : unsigned char { npy, csv, json };
// By the end of the name, or as --as says. Throws invalid_argument.
DataKind data_kind(const std::string& path, const std::string& as);

// Columns of `names` in the types of the schema. CSV has a header line; JSON is {name: [values]}, the object that
// `tegula read --json` prints, or a list of {name: value}. Throws invalid_argument with the line or the field.
Batch read_csv(const std::string& text, const Schema& schema, const std::string& name);
Batch read_json_cells(const std::string& text, const Schema& schema, const std::string& name);
// The cells of a .npy file as one column of `attribute`: numbers are converted when nothing is lost.
Column column_of_npy(const NpyArray& array, const Attribute& attribute);

}  // namespace tegula::cli
