// Rows of CSV files.
#pragma once

#include <memory>

#include "files/input_file.h"
#include "input/data_input.h"

namespace tegula::cli {

// RFC 4180 in UTF-8 with a header line, which names fields of the schema; a field without a name is called "value".
// Throws invalid_argument with the line or the field.
std::unique_ptr<Rows> csv_rows(const InputFile& file, const Schema& schema, const Work& work);

}  // namespace tegula::cli
