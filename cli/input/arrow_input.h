// Cells from Arrow IPC files, in the types of an array.
#pragma once

#include <string>
#include <vector>

#include "schema/schema_input.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::cli {

// The columns of a file that the schema names. A column called "value" is the one without a name. Numbers are converted
// when nothing is lost. Throws invalid_argument with the field.
Batch fit_columns(Batch batch, const Schema& schema, const std::string& name);

// Fills in what the flags leave out, so that a new array can hold the columns: attributes, and the shape of a dense
// one.
void schema_like(SchemaFlags& flags, const Batch& batch);

}  // namespace tegula::cli
