// Values of the library as Python objects, and back.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tegula/columns.h"
#include "tegula/schema.h"
#include "tegula/selection.h"

namespace tegula::python {

namespace nb = nanobind;

[[noreturn]] void fail_type(const char* expected, nb::handle found);

// The object as an nb::list, nb::tuple or nb::dict. Throws TypeError when it is something else: callers may put
// anything into what the package hands on.
template <class T>
T checked(nb::handle object) {
  if (!nb::isinstance<T>(object))
    fail_type(std::is_same_v<T, nb::dict> ? "dict" : std::is_same_v<T, nb::list> ? "list" : "tuple", object);
  return nb::borrow<T>(object);
}
// A tuple of so many items.
nb::tuple tuple_of(nb::handle object, std::size_t items);

bool truth_of(nb::handle object);
std::int64_t signed_of(nb::handle object);
std::uint64_t unsigned_of(nb::handle object);
// str as UTF-8, bytes unchanged.
std::string text_from(nb::handle object);
Bytes bytes_from(nb::handle object);
nb::bytes to_bytes(ByteView bytes);

// None is no value; dates are counts of their unit.
Value value_of(nb::handle object, const Datatype& type);
nb::object object_of(const Value& value);

// (name of the type, numpy's spelling): ("ascii", "|S1"), ("int32", "<i4").
nb::tuple object_of(const Datatype& type);
nb::tuple object_of(const std::vector<std::uint64_t>& numbers);
nb::object object_of(const Range& range);

// int, slice, Ellipsis, or anything with a buffer of int64, one per axis.
Selection selection_of(nb::handle tuple, bool points);

// Memory of a numpy array, by __array_interface__: that covers every dtype. The array must outlive the view.
struct Memory {
  std::byte* data = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t itemsize = 0;
  bool readonly = false;
};
Memory memory_of(nb::handle array);
// The first `axes` axes; the others must lie packed in each cell.
StridedBuffer cells_of(const Memory& memory, std::size_t axes);

// Columns that Python gives: (name, type, values per cell or None for any number, nullable, data, offsets or None,
// validity or None), the latter three packed numpy arrays.
Column column_from(nb::handle tuple);
Batch batch_from(nb::handle columns, std::uint64_t cells, nb::handle shape);

}  // namespace tegula::python
