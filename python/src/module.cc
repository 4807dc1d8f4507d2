// The extension module tegula._tegula. It is private to the Python package.
#include <nanobind/nanobind.h>

#include "array.h"
#include "batch.h"
#include "tegula/error.h"
#include "tegula/version.h"

namespace tegula::python {

namespace {

nb::object new_exception(nb::module_& module, const char* name, const char* doc, nb::handle base) {
  const std::string full = std::string("tegula.") + name;
  nb::object made = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), doc, base.ptr(), nullptr));
  if (!made.is_valid()) throw nb::python_error();
  module.attr(name) = made;
  return made;
}

// Python's class for each kind of error. Lives as long as the interpreter.
struct Classes {
  PyObject *corrupt, *unsupported;
};

void translate(const std::exception_ptr& pointer, void* payload) {
  const auto& classes = *static_cast<const Classes*>(payload);
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyObject* type = PyExc_OSError;
    switch (error.kind()) {
      case ErrorKind::not_found:
        type = PyExc_FileNotFoundError;
        break;
      case ErrorKind::corrupt:
        type = classes.corrupt;
        break;
      case ErrorKind::unsupported:
        type = classes.unsupported;
        break;
      case ErrorKind::invalid_argument:
        type = PyExc_ValueError;
        break;
      case ErrorKind::permission:
        type = PyExc_PermissionError;
        break;
      case ErrorKind::cancelled:
        type = PyExc_KeyboardInterrupt;
        break;
      case ErrorKind::io:
        break;
    }
    const std::string_view what = error.what();
    // Messages may quote bytes of a file that are not text.
    const nb::object text =
        nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace"));
    PyErr_SetObject(type, text.ptr());
  }
}

}  // namespace

}  // namespace tegula::python

NB_MODULE(_tegula, module) {
  using namespace tegula::python;
  // Handles that live in globals outlive the module when the interpreter ends.
  nb::set_leak_warnings(false);
  const nb::object error =
      new_exception(module, "Error", "Failures that no exception of Python describes.", nb::handle(PyExc_Exception));
  static Classes classes;
  classes.corrupt =
      new_exception(module, "CorruptError", "The array exists, but its bytes are damaged.", error).release().ptr();
  classes.unsupported =
      new_exception(module, "UnsupportedError", "Valid, but not something tegula can read or write.", error)
          .release()
          .ptr();
  nb::register_exception_translator(translate, &classes);
  module.attr("__version__") = tegula::version();
  describe_batches(module);
  describe_arrays(module);
  describe_groups(module);
  describe_tools(module);
}
