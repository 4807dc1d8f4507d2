// Schemas as plain Python dicts; the package makes its own classes of them.
#pragma once

#include <nanobind/nanobind.h>

#include "tegula/array.h"

namespace tegula::python {

namespace nb = nanobind;

nb::dict dict_of(const Schema& schema);
// What create() takes. Filters are texts or (name, {option: value}).
Schema schema_from(nb::dict dict);
Attribute attribute_from(nb::handle dict, const std::string& format);
std::vector<Filter> filters_from(nb::handle list, const std::string& format);

Order order_from(std::string_view name);
std::string_view order_name(Order order);

nb::dict dict_of(const Metadata& metadata);  // key -> (type, count, bytes, is JSON)
std::map<std::string, std::optional<MetaValue>> metadata_from(nb::dict dict);
nb::dict dict_of(const Info& info);

}  // namespace tegula::python
