// Arrow structs in the capsules that https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html names.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "arrow/c_export.h"
#include "tegula/columns.h"

namespace tegula::python {

namespace nb = nanobind;

class Stream;

nb::object arrow_schema_capsule(const Batch& batch, const Schema& schema);
nb::object capsule_of(arrow::Owned<ArrowSchema> schema);
nb::object capsule_of(arrow::Owned<ArrowArray> array);
// An ArrowArrayStream that pulls from the query.
nb::object stream_capsule(std::shared_ptr<Stream> stream);

}  // namespace tegula::python
