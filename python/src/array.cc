#include "array.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "base/fail.h"
#include "batch.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "python_store.h"
#include "schema.h"
#include "tegula/bcolz.h"
#include "tegula/capabilities.h"
#include "values.h"

namespace tegula::python {

using namespace nb::literals;

namespace {

// numpy raises an IndexError where the library throws invalid_argument.
Picks picks_of(const Selection& selection, const std::vector<std::uint64_t>& shape) {
  try {
    return resolve(selection, shape);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    throw nb::index_error(error.what());
  }
}

nb::tuple result_shape(const ArrayHandle& self, nb::tuple axes, bool points) {
  const Selection selection = selection_of(axes, points);
  const std::vector<std::uint64_t> shape = Call()([&](const Work&) { return self.array->schema().shape(); });
  return object_of(picks_of(selection, shape).shape());
}

void read(const ArrayHandle& self, nb::tuple axes, bool points, nb::handle field, nb::object out, std::size_t ndim) {
  const Memory memory = memory_of(out);
  if (memory.readonly) fail(ErrorKind::invalid_argument, "the array to read into is read-only");
  const StridedBuffer into = cells_of(memory, ndim);
  const Selection selection = selection_of(axes, points);
  const std::string name = text_from(field);
  Call call(self.settings);
  call([&](const Work& work) { self.array->read(selection, name, into, work); });
}

void write_field(ArrayHandle& self, nb::tuple axes, bool points, nb::handle field, nb::object values,
                 std::size_t ndim) {
  const StridedBuffer from = cells_of(memory_of(values), ndim);
  const Selection selection = selection_of(axes, points);
  const std::string name = text_from(field);
  Call call(self.settings);
  call([&](const Work& work) {
    self.array->write(selection, name, StridedView{from.data, from.shape, from.strides}, self.options(work));
  });
}

// With a selection: all attributes of its cells. Without: cells of a sparse array.
void write_cells(ArrayHandle& self, nb::object axes, bool points, nb::list columns, std::uint64_t cells,
                 nb::object shape, nb::handle order, nb::object at) {
  const Batch batch = batch_from(columns, cells, shape);
  const std::uint64_t time = at.is_none() ? 0 : unsigned_of(at);
  std::optional<Selection> selection;
  if (!axes.is_none()) selection = selection_of(axes, points);
  const Order in = order_from(text_from(order));
  Call call(self.settings);
  call([&](const Work& work) {
    WriteOptions options = self.options(work);
    options.order = in;
    if (time) options.at = time;
    if (selection)
      self.array->write(*selection, batch, options);
    else
      self.array->write(batch, options);
  });
}

void append(ArrayHandle& self, nb::list columns, std::uint64_t cells, nb::object shape) {
  const Batch batch = batch_from(columns, cells, shape);
  Call call(self.settings);
  call([&](const Work& work) { self.array->append(batch, self.options(work)); });
}

void resize(ArrayHandle& self, nb::tuple extents) {
  std::vector<std::uint64_t> shape;
  for (nb::handle extent : extents) shape.push_back(unsigned_of(extent));
  Call call(self.settings);
  call([&](const Work& work) { self.array->resize(shape, self.options(work)); });
}

std::vector<DimensionRanges> ranges_from(nb::dict dict, const Schema& schema, bool labels) {
  std::vector<DimensionRanges> out;
  for (auto [key, list] : dict) {
    DimensionRanges ranges{text_from(key), {}};
    Datatype type;
    if (const Dimension* d = schema.dimension(ranges.name); d && !labels) type = d->type;
    for (const Label& label : schema.labels)
      if (labels && label.name == ranges.name) type = label.type;
    for (nb::handle item : checked<nb::list>(list)) {
      const nb::tuple pair = tuple_of(item, 2);
      ranges.ranges.push_back({value_of(pair[0], type), value_of(pair[1], type)});
    }
    out.push_back(std::move(ranges));
  }
  return out;
}

// Keys: fields, ranges, label_ranges, select, points, where, aggregates, order, row_numbers, skip, limit, memory, rows,
// as_libtiledb; all optional.
Query query_from(nb::dict request, const Schema& schema) {
  Query query;
  for (auto [key, value] : request) {
    const std::string name = text_from(key);
    if (value.is_none() || name == "points" || name == "memory") continue;
    if (name == "fields") {
      query.fields.emplace();
      for (nb::handle field : checked<nb::list>(value)) query.fields->push_back(text_from(field));
    } else if (name == "ranges") {
      query.ranges = ranges_from(checked<nb::dict>(value), schema, false);
    } else if (name == "label_ranges") {
      query.label_ranges = ranges_from(checked<nb::dict>(value), schema, true);
    } else if (name == "select") {
      query.select = selection_of(value, truth_of(request["points"]));
    } else if (name == "where") {
      query.where = text_from(value);
    } else if (name == "aggregates") {
      query.aggregates = parse_aggregates(text_from(value));
      // As in conditions: an attribute without a name goes by "value".
      const bool unnamed = schema.attribute("") && !schema.attribute("value") && !schema.dimension("value");
      for (Aggregate& aggregate : query.aggregates)
        if (unnamed && aggregate.field == "value") aggregate.field.clear();
    } else if (name == "order") {
      query.order = order_from(text_from(value));
    } else if (name == "row_numbers") {
      query.row_numbers = truth_of(value);
    } else if (name == "rows") {
      query.rows = truth_of(value);
    } else if (name == "as_libtiledb") {
      query.as_libtiledb = truth_of(value);
    } else if (name == "skip") {
      query.skip = unsigned_of(value);
    } else if (name == "limit") {
      query.limit = unsigned_of(value);
    } else {
      fail(ErrorKind::invalid_argument, "a query has no '{}'", name);
    }
  }
  return query;
}

std::shared_ptr<Stream> query(const ArrayHandle& self, nb::dict request) {
  // Releases the interpreter lock, because it may wait for another thread of the library.
  const std::shared_ptr<const Schema> schema = Call()([&](const Work&) { return self.schema(); });
  Query query = query_from(request, *schema);
  query.work = self.settings.work();
  if (request.contains("memory")) query.work.memory = unsigned_of(request["memory"]);
  Call call(self.settings);
  std::unique_ptr<BatchStream> stream = call([&](const Work&) { return self.array->query(query); });
  return std::make_shared<Stream>(self.array, schema, std::move(stream), std::move(query));
}

void update_metadata(ArrayHandle& self, nb::dict changes) {
  const auto entries = metadata_from(changes);
  Call call(self.settings);
  call([&](const Work& work) { self.array->update_metadata(entries, self.options(work)); });
}

nb::object open_object(const std::string& uri, nb::dict options) {
  const OpenOptions open = open_options(options);
  const StoreOpener opener = opener_of(uri, options, open.sync);
  Call call(settings_from(options));
  Opened opened = call([&](const Work&) { return open_any(opener(), open); });
  if (opened.group) return nb::cast(GroupHandle{std::move(opened.group)});
  ArrayHandle out{std::move(opened.array), settings_from(options), 0};
  if (options.contains("write_at")) out.write_at = unsigned_of(options["write_at"]);
  return nb::cast(std::move(out));
}

// Something new that takes the place of what is at a URI once it is whole.
struct ReplacementHandle {
  std::shared_ptr<Replacement> replacement;
  Settings settings;
};

// None when there is nothing that would be replaced.
nb::object begin_replacing(const std::string& uri, nb::dict options) {
  const StoreOpener opener = opener_of(uri, options, create_options(options).sync);
  std::shared_ptr<Replacement> replacement;
  Call call(settings_from(options));
  call([&](const Work&) {
    const std::shared_ptr<Store> store = opener();
    if (!is_replaceable(*store)) return;
    replacement = begin_replacement(store);
    replacement->clear();
  });
  if (!replacement) return nb::none();
  return nb::cast(ReplacementHandle{std::move(replacement), settings_from(options)});
}

void describe_replacements(nb::module_& module) {
  nb::class_<ReplacementHandle>(module, "ReplacementHandle")
      .def_prop_ro("uri", [](const ReplacementHandle& self) { return self.replacement->store()->describe(""); })
      .def("create",
           [](const ReplacementHandle& self, nb::dict schema, nb::dict options) {
             const Schema made = schema_from(schema);
             CreateOptions create = create_options(options);
             create.overwrite = false;
             Call call(self.settings);
             std::shared_ptr<Array> array =
                 call([&](const Work&) { return tegula::create(self.replacement->store(), made, create); });
             return ArrayHandle{std::move(array), settings_from(options), 0};
           })
      .def("take_place",
           [](const ReplacementHandle& self) {
             Call call(self.settings);
             call([&](const Work& work) { self.replacement->take_place(work); });
           })
      .def("discard", [](const ReplacementHandle& self) { self.replacement->discard(); });
  module.def("replacing", begin_replacing);
}

ArrayHandle create_array(const std::string& uri, nb::dict schema, nb::dict options) {
  const Schema made = schema_from(schema);
  const CreateOptions create = create_options(options);
  const StoreOpener opener = opener_of(uri, options, create.sync);
  Call call(settings_from(options));
  std::shared_ptr<Array> array = call([&](const Work&) { return tegula::create(opener(), made, create); });
  return {std::move(array), settings_from(options), 0};
}

void describe_columns(nb::class_<ArrayHandle>& handle) {
  handle
      .def(
          "add_column",
          [](ArrayHandle& self, nb::dict attribute, nb::object values) {
            const Attribute made = attribute_from(attribute, self.array->schema().format);
            Column column;
            column.name = made.name;
            column.type = made.type;
            column.values_per_cell = made.values_per_cell;
            if (!values.is_none()) column = column_from(values);
            Call call(self.settings);
            call([&](const Work& work) { bcolz::add_column(*self.array, made, column, self.options(work)); });
          },
          "attribute"_a, "values"_a.none())
      .def("drop_column",
           [](ArrayHandle& self, const std::string& name) {
             Call call(self.settings);
             call([&](const Work& work) { bcolz::drop_column(*self.array, name, self.options(work)); });
           })
      .def("rename_column", [](ArrayHandle& self, const std::string& from, const std::string& to) {
        Call call(self.settings);
        call([&](const Work& work) { bcolz::rename_column(*self.array, from, to, self.options(work)); });
      });
}

}  // namespace

Settings settings_from(nb::dict options) {
  Settings out;
  if (options.contains("threads")) out.threads = static_cast<unsigned>(unsigned_of(options["threads"]));
  if (options.contains("memory")) out.memory = unsigned_of(options["memory"]);
  return out;
}

OpenOptions open_options(nb::dict options) {
  OpenOptions out;
  out.storage = storage_from(options);
  out.work = settings_from(options).work();
  if (options.contains("format")) out.format = text_from(options["format"]);
  if (options.contains("key")) out.key = bytes_from(options["key"]);
  if (options.contains("at")) {
    const nb::tuple pair = tuple_of(options["at"], 2);
    out.at = {unsigned_of(pair[0]), unsigned_of(pair[1])};
  }
  if (options.contains("unfinished")) out.unfinished = PyObject_IsTrue(nb::object(options["unfinished"]).ptr()) == 1;
  if (options.contains("missing") && text_from(options["missing"]) == "error") out.missing = Missing::error;
  if (options.contains("sync")) out.sync = truth_of(options["sync"]);
  return out;
}

CreateOptions create_options(nb::dict options) {
  CreateOptions out;
  out.storage = storage_from(options);
  out.work = settings_from(options).work();
  if (options.contains("format_version"))
    out.format_version = static_cast<std::uint32_t>(unsigned_of(options["format_version"]));
  if (options.contains("key")) out.key = bytes_from(options["key"]);
  if (options.contains("at")) out.at = unsigned_of(options["at"]);
  if (options.contains("overwrite")) out.overwrite = truth_of(options["overwrite"]);
  if (options.contains("sync")) out.sync = truth_of(options["sync"]);
  return out;
}

void describe_arrays(nb::module_& module) {
  nb::class_<ArrayHandle> handle(module, "ArrayHandle");
  handle
      .def("schema",
           [](const ArrayHandle& self) { return dict_of(*Call()([&](const Work&) { return self.schema(); })); })
      .def("shape",
           [](const ArrayHandle& self) {
             return object_of(Call()([&](const Work&) { return self.array->schema().shape(); }));
           })
      .def("result_shape", result_shape)
      .def("read", read)
      .def("write_field", write_field)
      .def("write_cells", write_cells, "axes"_a.none(), "points"_a, "columns"_a, "cells"_a, "shape"_a.none(), "order"_a,
           "at"_a.none() = nb::none())
      .def("append", append, "columns"_a, "cells"_a, "shape"_a.none())
      .def("resize", resize)
      .def("torn_rows",
           [](const ArrayHandle& self) { return Call()([&](const Work&) { return bcolz::torn_rows(*self.array); }); })
      .def("query", query)
      .def("metadata",
           [](const ArrayHandle& self) { return dict_of(Call()([&](const Work&) { return self.array->metadata(); })); })
      .def("update_metadata", update_metadata)
      .def("info", [](const ArrayHandle& self) {
        Call call(self.settings);
        return dict_of(call([&](const Work& work) { return self.array->info(work); }));
      });
  describe_columns(handle);
  module.def("open", open_object);
  module.def("create", create_array);
  describe_replacements(module);
  module.def("probe", [](const std::string& uri, nb::dict options) -> nb::object {
    const std::map<std::string, std::string> storage = storage_from(options);
    const Found found = Call()([&](const Work&) { return probe(uri, storage); });
    if (found.kind == ObjectKind::none) return nb::none();
    return nb::make_tuple(nb::str(found.kind == ObjectKind::group ? "group" : "array"), nb::str(found.format.c_str()));
  });
  module.def("capabilities", [](const std::string& format) {
    const Capabilities& can = capabilities(format);
    nb::dict out;
    out["format"] = nb::str(can.format.data(), can.format.size());
    out["family"] = nb::str(can.family.data(), can.family.size());
    out["title"] = nb::str(can.title.data(), can.title.size());
    for (const CapabilityName& known : capability_names())
      out[nb::str(known.name.data(), known.name.size())] = nb::bool_(can.*known.member);
    return out;
  });
  module.def("formats", [] {
    nb::list out;
    for (const std::string_view name : formats()) out.append(nb::str(name.data(), name.size()));
    return out;
  });
  module.def("parse_size", [](const std::string& text) { return parse_size(text); });
  module.def("format_size", [](std::uint64_t bytes) { return format_size(bytes); });
}

}  // namespace tegula::python
