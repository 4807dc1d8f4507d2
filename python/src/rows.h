// Queries arrays of one axis as tables: conditions select rows instead of masking cells.
#pragma once

#include <memory>

#include "tegula/array.h"

namespace tegula::python {

// Does for any dense array of one axis what Array::query() does for a ctable.
std::unique_ptr<BatchStream> query_rows(std::shared_ptr<const Array> array, const Query& query);

}  // namespace tegula::python
