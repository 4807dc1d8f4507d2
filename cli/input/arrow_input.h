// Cells from Arrow IPC files, in the types of an array.
#pragma once

#include <memory>

#include "files/input_file.h"
#include "input/data_input.h"
#include "schema/schema_input.h"
#include "tegula/schema.h"

namespace tegula::cli {

// The rows of a file: the columns that the schema names. A column called "value" is the one without a name. Numbers are
// converted when nothing is lost. Throws invalid_argument with the field.
std::unique_ptr<Rows> arrow_rows(const InputFile& file, const Schema& schema, const Work& work);

// Fills in what the flags leave out, so that a new array can hold the columns of the file: attributes, and the shape of
// a dense one. Reads the file from end to end.
void schema_like(SchemaFlags& flags, const InputFile& file, const Work& work);

}  // namespace tegula::cli
