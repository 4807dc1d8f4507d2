// Batches as structs of Arrow's C data interface. Numbers, dates in seconds to nanoseconds and text of any length are
// shared with the batch; the rest is copied into new buffers.
#pragma once

#include <memory>

#include "arrow/c_interface.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::arrow {

// Owns a struct of the interface: releases it unless a consumer has taken it.
template <class T>
struct Releasing {
  void operator()(T* p) const {
    if (p->release) p->release(p);
    delete p;
  }
};
template <class T>
using Owned = std::unique_ptr<T, Releasing<T>>;

struct ArrowParts {
  Owned<ArrowSchema> schema;
  Owned<ArrowArray> array;
};

// A struct of the columns; an attribute with an enumeration becomes a dictionary. Throws unsupported for columns of
// different lengths, and for text that is not UTF-8.
ArrowParts export_batch(const std::shared_ptr<const Batch>& batch, const Schema& schema);
Owned<ArrowSchema> export_schema(const Batch& batch, const Schema& schema);

}  // namespace tegula::arrow
