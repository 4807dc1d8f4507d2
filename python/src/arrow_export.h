// Batches as Arrow data. Numbers, dates in seconds to nanoseconds and text go out as they lie in memory; the rest is
// laid out anew.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "arrow_c.h"
#include "tegula/columns.h"

namespace tegula::python {

namespace nb = nanobind;

class Stream;

// A struct of the interface that is released unless it was handed on.
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

// A struct of the columns; an attribute with an enumeration becomes a dictionary. Needs no interpreter lock. Throws
// unsupported for columns of different lengths, and for text that is not UTF-8.
ArrowParts export_batch(const std::shared_ptr<const Batch>& batch, const std::shared_ptr<const Schema>& schema);
Owned<ArrowSchema> export_schema(const Batch& batch, const Schema& schema);

nb::object arrow_schema_capsule(const Batch& batch, const Schema& schema);
nb::object capsule_of(Owned<ArrowSchema> schema);
nb::object capsule_of(Owned<ArrowArray> array);
// An ArrowArrayStream that pulls from the query.
nb::object stream_capsule(std::shared_ptr<Stream> stream);

}  // namespace tegula::python
