#include "batch.h"

#include <nanobind/stl/shared_ptr.h>

#include "arrow_capsules.h"
#include "base/fail.h"
#include "query/columns/gather.h"
#include "tegula/array.h"
#include "values.h"

namespace tegula::python {

namespace {

// Text as Python objects, one per cell; None for nulls.
enum class Text : std::uint8_t { none, bytes, utf8, utf16, utf32 };

Text text_of_type(TypeId id) {
  switch (id) {
    case TypeId::ascii:
    case TypeId::utf8:
    case TypeId::wkt:
      return Text::utf8;
    case TypeId::utf16:
    case TypeId::ucs2:
      return Text::utf16;
    case TypeId::utf32:
    case TypeId::ucs4:
      return Text::utf32;
    case TypeId::character:
    case TypeId::any:
    case TypeId::blob:
    case TypeId::wkb:
      return Text::bytes;
    default:
      return Text::none;
  }
}

PyObject* text_object(Text text, ByteView cell) {
  const auto* data = reinterpret_cast<const char*>(cell.data());
  const auto size = static_cast<Py_ssize_t>(cell.size());
  int order = -1;
  switch (text) {
    case Text::utf8:
      return PyUnicode_DecodeUTF8(data, size, "surrogateescape");
    case Text::utf16:
      return PyUnicode_DecodeUTF16(data, size, "surrogatepass", &order);
    case Text::utf32:
      return PyUnicode_DecodeUTF32(data, size, "surrogatepass", &order);
    default:
      return PyBytes_FromStringAndSize(data, size);
  }
}

// A list with an object per cell. Only for types that text_of_type() knows.
nb::object objects(const Result& result, std::size_t index) {
  const Column& column = result.batch->columns.at(index);
  const Text text = text_of_type(column.type.id);
  if (text == Text::none)
    fail(ErrorKind::invalid_argument, "'{}' of type {} is no text", column.name, display_name(column.type));
  const std::size_t cells = column.cells();
  nb::object out = nb::steal(PyList_New(static_cast<Py_ssize_t>(cells)));
  if (!out.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < cells; ++i) {
    PyObject* item = column.valid(i) ? text_object(text, column.cell(i)) : Py_NewRef(Py_None);
    if (!item) throw nb::python_error();
    PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), item);
  }
  return out;
}

nb::object view(const Result& result, ByteView bytes) { return nb::cast(View{result.batch, bytes}); }

// (name, type, values per cell or None, nullable, data, offsets or None, validity or None)
nb::tuple column(const Result& result, std::size_t index) {
  const Column& c = result.batch->columns.at(index);
  const nb::object name =
      nb::steal(PyUnicode_DecodeUTF8(c.name.data(), static_cast<Py_ssize_t>(c.name.size()), "surrogateescape"));
  return nb::make_tuple(name, object_of(c.type),
                        c.var() ? nb::object(nb::none()) : nb::object(nb::int_(c.values_per_cell)),
                        nb::bool_(c.nullable), view(result, c.data),
                        c.var() ? view(result, std::as_bytes(std::span(c.offsets))) : nb::object(nb::none()),
                        c.nullable ? view(result, c.validity) : nb::object(nb::none()));
}

int get_buffer(PyObject* self, Py_buffer* out, int flags) {
  const View* v = nb::inst_ptr<View>(self);
  // Only views refer to this memory, so numpy may write to it.
  auto* data = const_cast<std::byte*>(v->bytes.data());
  static std::byte nothing{};
  return PyBuffer_FillInfo(out, self, data ? data : &nothing, static_cast<Py_ssize_t>(v->bytes.size()), 0, flags);
}

PyType_Slot kViewSlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

}  // namespace

std::shared_ptr<const Batch> Stream::next() {
  const std::lock_guard lock(mutex_);
  std::optional<Batch> batch = stream_->next();
  return batch ? std::make_shared<const Batch>(*std::move(batch)) : nullptr;
}

std::shared_ptr<const Batch> Stream::collect() {
  const std::lock_guard lock(mutex_);
  Batch all = tegula::collect(*stream_);
  return std::make_shared<const Batch>(all.columns.empty() && all.cells == 0 ? empty() : std::move(all));
}

Batch Stream::empty() const {
  std::vector<std::string> fields;
  if (query_.fields) {
    fields = *query_.fields;
  } else {
    if (schema_->sparse)
      for (const Dimension& d : schema_->dimensions) fields.push_back(d.name);
    for (const Attribute& a : schema_->attributes) fields.push_back(a.name);
  }
  Batch out;
  for (const std::string& name : fields) {
    Column column;
    column.name = name;
    if (const Attribute* a = schema_->attribute(name)) {
      column.type = a->type;
      column.values_per_cell = a->values_per_cell;
      column.nullable = a->nullable;
    } else if (const Dimension* d = schema_->dimension(name)) {
      column.type = d->type;
      column.values_per_cell = d->values_per_cell;
    }
    if (column.var()) column.offsets.assign(1, 0);
    out.columns.push_back(std::move(column));
  }
  return out;
}

void describe_batches(nb::module_& module) {
  nb::class_<View>(module, "View", nb::type_slots(kViewSlots));
  nb::class_<Result>(module, "Result")
      .def_prop_ro("cells", [](const Result& r) { return r.batch->cells; })
      .def_prop_ro("shape",
                   [](const Result& r) {
                     return r.batch->shape ? nb::object(object_of(*r.batch->shape)) : nb::object(nb::none());
                   })
      .def("__len__", [](const Result& r) { return r.batch->columns.size(); })
      .def("column", column)
      .def("objects", objects)
      .def("arrow_schema", [](const Result& r) { return arrow_schema_capsule(*r.batch, *r.schema); })
      .def("arrow_array", [](const Result& r) {
        arrow::ArrowParts parts = Call()([&](const Work&) { return arrow::export_batch(r.batch, *r.schema); });
        return nb::make_tuple(capsule_of(std::move(parts.schema)), capsule_of(std::move(parts.array)));
      });
  nb::class_<Stream>(module, "Stream")
      .def("next",
           [](Stream& stream) -> nb::object {
             std::shared_ptr<const Batch> batch = Call()([&](const Work&) { return stream.next(); });
             return batch ? nb::cast(Result{std::move(batch), stream.schema()}) : nb::object(nb::none());
           })
      .def("collect", [](Stream& stream) {
        std::shared_ptr<const Batch> batch = Call()([&](const Work&) { return stream.collect(); });
        return Result{std::move(batch), stream.schema()};
      });
  module.def("arrow_stream", [](std::shared_ptr<Stream> stream) { return stream_capsule(std::move(stream)); });
}

}  // namespace tegula::python
