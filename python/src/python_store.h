// A store that is a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "store/store.h"

namespace tegula::python {

namespace nb = nanobind;

// The files below `root` of an object that tegula.stores adapts. Any thread may use it; each call takes the interpreter
// lock, and a batch of reads takes it once. What the object raises passes through as it is (nb::python_error).
std::shared_ptr<Store> python_store(nb::object store, const std::string& root);

// The `storage_options` of `options`, which are texts by name.
std::map<std::string, std::string> storage_from(nb::dict options);

// Opens what is at `uri`: in the store of `options`, if there is one, else in the store that the URI names. To be made
// with the interpreter lock, and called without it.
using StoreOpener = std::function<std::shared_ptr<Store>()>;
StoreOpener opener_of(const std::string& uri, nb::dict options, bool sync = true);

}  // namespace tegula::python
