// Open arrays and groups as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "call.h"
#include "tegula/array.h"

namespace tegula::python {

struct ArrayHandle {
  std::shared_ptr<Array> array;
  Settings settings;
  std::uint64_t write_at = 0;

  // The schema as it is now: writes may replace it.
  std::shared_ptr<const Schema> schema() const { return std::make_shared<const Schema>(array->schema()); }
  WriteOptions options(const Work& work) const {
    WriteOptions out;
    out.at = write_at;
    out.work = work;
    return out;
  }
};

struct GroupHandle {
  std::shared_ptr<Group> group;
};

// Keyword arguments that open() and others share, as a dict: format, at (None or two times), key, missing, sync,
// threads, memory, write_at.
OpenOptions open_options(nb::dict options);
CreateOptions create_options(nb::dict options);
Settings settings_from(nb::dict options);

void describe_arrays(nb::module_& module);
void describe_groups(nb::module_& module);
void describe_tools(nb::module_& module);

}  // namespace tegula::python
