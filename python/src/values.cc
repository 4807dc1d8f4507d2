#include "values.h"

#include <cstring>

#include "base/datatype_names.h"
#include "base/fail.h"

namespace tegula::python {

void fail_type(const char* expected, nb::handle found) {
  throw nb::type_error(fmt::format("expected a {}, found a {}", expected, Py_TYPE(found.ptr())->tp_name).c_str());
}

nb::tuple tuple_of(nb::handle object, std::size_t items) {
  nb::tuple out = checked<nb::tuple>(object);
  if (out.size() != items) throw nb::value_error(fmt::format("expected {} items, found {}", items, out.size()).c_str());
  return out;
}

bool truth_of(nb::handle object) {
  const int truth = PyObject_IsTrue(object.ptr());
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

std::int64_t signed_of(nb::handle object) {
  const long long value = PyLong_AsLongLong(object.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

std::uint64_t unsigned_of(nb::handle object) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(object.ptr());
  if (value == static_cast<unsigned long long>(-1) && PyErr_Occurred()) throw nb::python_error();
  return value;
}

std::string text_from(nb::handle object) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object.ptr())) {
    // As for file names: bytes that are not UTF-8 survive a round trip.
    const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) throw nb::python_error();
    return text_from(encoded);
  }
  char* data = nullptr;
  if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

Bytes bytes_from(nb::handle object) { return copy_of(bytes_of(text_from(object))); }

nb::bytes to_bytes(ByteView bytes) { return nb::bytes(bytes.data(), bytes.size()); }

Value value_of(nb::handle object, const Datatype& type) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) return text_from(object);
  if (type.is_float()) {
    const double value = PyFloat_AsDouble(object.ptr());
    if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }
  if (type.is_signed() || type.is_date()) return signed_of(object);
  return unsigned_of(object);
}

nb::object object_of(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return nb::int_(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return nb::int_(*u);
  if (const auto* d = std::get_if<double>(&value)) return nb::float_(*d);
  if (const auto* s = std::get_if<std::string>(&value)) return to_bytes(bytes_of(*s));
  return nb::none();
}

nb::tuple object_of(const Datatype& type) {
  return nb::make_tuple(nb::str(simple_type(type.id).name.data()), nb::str(numpy_string(type).c_str()));
}

nb::tuple object_of(const std::vector<std::uint64_t>& numbers) {
  nb::list out;
  for (const std::uint64_t n : numbers) out.append(nb::int_(n));
  return nb::tuple(out);
}

nb::object object_of(const Range& range) {
  if (range == Range{}) return nb::none();
  return nb::make_tuple(object_of(range.low), object_of(range.high));
}

namespace {

std::optional<std::int64_t> bound_of(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  return signed_of(object);
}

IndexList indices_of(nb::handle object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_CONTIG_RO) != 0) throw nb::python_error();
  IndexList out;
  const bool fits = view.itemsize == sizeof(std::int64_t) && view.ndim == 1;
  if (fits) {
    out.resize(static_cast<std::size_t>(view.len) / sizeof(std::int64_t));
    if (!out.empty()) std::memcpy(out.data(), view.buf, static_cast<std::size_t>(view.len));
  }
  PyBuffer_Release(&view);
  if (!fits) fail(ErrorKind::invalid_argument, "an index list is one-dimensional, of int64");
  return out;
}

}  // namespace

Selection selection_of(nb::handle tuple, bool points) {
  Selection out;
  out.points = points;
  for (nb::handle axis : checked<nb::tuple>(tuple)) {
    if (PyLong_Check(axis.ptr())) {
      out.axes.emplace_back(signed_of(axis));
    } else if (PySlice_Check(axis.ptr())) {
      const auto* slice = reinterpret_cast<const PySliceObject*>(axis.ptr());
      const std::optional<std::int64_t> step = bound_of(slice->step);
      out.axes.emplace_back(Slice{bound_of(slice->start), bound_of(slice->stop), step.value_or(1)});
    } else if (axis.ptr() == Py_Ellipsis) {
      out.axes.emplace_back(Ellipsis{});
    } else {
      out.axes.emplace_back(indices_of(axis));
    }
  }
  return out;
}

Memory memory_of(nb::handle array) {
  const nb::dict face = checked<nb::dict>(array.attr("__array_interface__"));
  const nb::tuple data = tuple_of(face["data"], 2);
  Memory out;
  out.data = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(unsigned_of(data[0])));
  out.readonly = truth_of(data[1]);
  out.itemsize = unsigned_of(array.attr("itemsize"));
  for (nb::handle extent : checked<nb::tuple>(face["shape"])) out.shape.push_back(unsigned_of(extent));
  const nb::object strides = nb::borrow(array.attr("strides"));
  for (nb::handle stride : checked<nb::tuple>(strides)) out.strides.push_back(signed_of(stride));
  return out;
}

StridedBuffer cells_of(const Memory& memory, std::size_t axes) {
  if (axes > memory.shape.size())
    fail(ErrorKind::invalid_argument, "the array has {} axes, {} are needed", memory.shape.size(), axes);
  std::uint64_t packed = memory.itemsize;
  for (std::size_t i = memory.shape.size(); i-- > axes;) {
    if (memory.shape[i] > 1 && memory.strides[i] != static_cast<std::int64_t>(packed))
      fail(ErrorKind::invalid_argument, "the values of a cell must lie one after the other in memory");
    packed *= memory.shape[i];
  }
  const auto end = static_cast<std::ptrdiff_t>(axes);
  return {memory.data,
          {memory.shape.begin(), memory.shape.begin() + end},
          {memory.strides.begin(), memory.strides.begin() + end}};
}

namespace {

// The bytes of a packed array.
ByteView packed_bytes(const Memory& memory) {
  std::uint64_t size = memory.itemsize;
  for (std::size_t i = memory.shape.size(); i-- > 0;) {
    if (memory.shape[i] > 1 && memory.strides[i] != static_cast<std::int64_t>(size))
      fail(ErrorKind::invalid_argument, "a column must lie packed in memory");
    size *= memory.shape[i];
  }
  return {memory.data, size};
}

}  // namespace

Column column_from(nb::handle tuple) {
  const nb::tuple t = tuple_of(tuple, 7);
  Column out;
  out.name = text_from(t[0]);
  out.type = parse_datatype(text_from(t[1]));
  out.values_per_cell = t[2].is_none() ? kVar : static_cast<std::uint32_t>(unsigned_of(t[2]));
  out.nullable = truth_of(t[3]);
  out.data = copy_of(packed_bytes(memory_of(t[4])));
  if (!t[5].is_none()) {
    const ByteView offsets = packed_bytes(memory_of(t[5]));
    out.offsets.resize(offsets.size() / sizeof(std::uint64_t));
    if (!out.offsets.empty()) std::memcpy(out.offsets.data(), offsets.data(), offsets.size());
  }
  if (!t[6].is_none()) out.validity = copy_of(packed_bytes(memory_of(t[6])));
  return out;
}

Batch batch_from(nb::handle columns, std::uint64_t cells, nb::handle shape) {
  Batch out;
  out.cells = cells;
  for (nb::handle column : checked<nb::list>(columns)) out.columns.push_back(column_from(column));
  if (!shape.is_none()) {
    out.shape.emplace();
    for (nb::handle extent : checked<nb::tuple>(shape)) out.shape->push_back(unsigned_of(extent));
  }
  return out;
}

}  // namespace tegula::python
