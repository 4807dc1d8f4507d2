// Arrays of one axis as tables: rows found by conditions rather than masked.
#pragma once

#include <memory>

#include "tegula/array.h"

namespace tegula::python {

// What Array::query() gives for a ctable, for any dense array of one axis.
std::unique_ptr<BatchStream> query_rows(std::shared_ptr<const Array> array, const Query& query);

}  // namespace tegula::python
