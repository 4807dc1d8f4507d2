// Operations on whole arrays: convert, verify, compare, consolidate, vacuum.
#include <nanobind/stl/string.h>

#include "array.h"
#include "base/fail.h"
#include "convert/compare.h"
#include "convert/convert.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "schema.h"
#include "store/open/target_store.h"
#include "tegula/bcolz.h"
#include "tegula/tiledb.h"
#include "values.h"

namespace tegula::python {

using namespace nb::literals;

namespace {

nb::list list_of(const std::vector<std::string>& texts) {
  nb::list out;
  for (const std::string& text : texts) out.append(nb::cast(text));
  return out;
}

nb::list list_of(const std::vector<Problem>& problems) {
  nb::list out;
  for (const Problem& problem : problems)
    out.append(nb::make_tuple(nb::str(problem.severity == Problem::Severity::damage ? "damage" : "note"),
                              nb::cast(problem.file), nb::cast(problem.text), nb::cast(problem.remedy)));
  return out;
}

bool is_unfinished(const Array& array) {
  const auto store_of = driver_of(array).store_of;
  if (!store_of || !store_of(array).hints().writes) return false;
  try {
    return store_of(array).has(kConversionKey);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission) throw;
    return false;  // servers deny names that are not there
  }
}

nb::list verify(const ArrayHandle& self, nb::object progress) {
  Call call(self.settings, progress);
  const std::vector<Problem> problems = call([&](const Work& work) {
    std::vector<Problem> found = self.array->verify(work);
    if (is_unfinished(*self.array)) {
      std::erase_if(found, [](const Problem& problem) { return problem.file == kConversionKey; });
      found.insert(found.begin(), {Problem::Severity::damage, std::string(kConversionKey), "an unfinished conversion",
                                   "the same call continues it; with overwrite it starts again"});
    }
    return found;
  });
  call.finish();
  return list_of(problems);
}

nb::list verify_group(const GroupHandle& self, nb::object progress) {
  Call call({}, progress);
  const std::vector<Problem> problems = call([&](const Work& work) { return self.group->verify(work); });
  call.finish();
  return list_of(problems);
}

nb::list repair(ArrayHandle& self, nb::object progress) {
  Call call(self.settings, progress);
  const std::vector<Problem> problems = call([&](const Work& work) { return bcolz::repair(*self.array, work); });
  call.finish();
  return list_of(problems);
}

// Keys of `target`: format, field, chunks, filters, lossy, name (of the source); all optional.
ConvertOptions convert_options(const Schema& source, nb::dict target, nb::dict options) {
  ConvertOptions out;
  out.create = create_options(options);
  if (target.contains("format")) out.target.format = text_from(target["format"]);
  if (target.contains("field")) out.target.field = text_from(target["field"]);
  if (target.contains("chunks"))
    for (nb::handle extent : checked<nb::tuple>(target["chunks"])) out.target.chunks.push_back(unsigned_of(extent));
  const std::string& format = out.target.format.empty() ? source.format : out.target.format;
  if (target.contains("filters")) out.target.filters = filters_from(target["filters"], format);
  if (target.contains("name")) out.source_name = text_from(target["name"]);
  if (target.contains("lossy")) out.lossy = truth_of(target["lossy"]);
  return out;
}

// Returns what the target could not hold.
nb::list convert_array(const ArrayHandle& source, const std::string& uri, nb::dict target, nb::dict options,
                       nb::object progress) {
  const std::shared_ptr<const Schema> schema = Call()([&](const Work&) { return source.schema(); });
  const ConvertOptions wanted = convert_options(*schema, target, options);
  Call call(source.settings, progress);
  const std::vector<std::string> losses = call([&](const Work& work) {
    ConvertOptions now = wanted;
    now.create.work = work;
    now.create.work.progress = nullptr;
    StoreOptions store;
    store.sync = now.create.sync;
    store.settings = now.create.storage;
    const TargetStore to = open_target(uri, store, now.create.overwrite);
    std::vector<std::string> lost = convert(*source.array, to.store, now, work).losses;
    to.finish(work);
    return lost;
  });
  call.finish();
  return list_of(losses);
}

nb::dict compare_arrays(const ArrayHandle& left, const ArrayHandle& right, nb::object progress) {
  Call call(left.settings, progress);
  const Comparison comparison = call([&](const Work& work) { return compare(*left.array, *right.array, work); });
  call.finish();
  nb::dict out;
  out["schema"] = list_of(comparison.schema);
  out["cells"] = nb::int_(comparison.cells);
  out["different"] = nb::int_(comparison.different);
  nb::list first;
  for (const Difference& difference : comparison.first)
    first.append(nb::make_tuple(nb::cast(difference.field), object_of(difference.index)));
  out["first"] = first;
  return out;
}

tiledb::Part part_from(const std::string& what) {
  constexpr std::pair<std::string_view, tiledb::Part> kParts[] = {
      {"fragments", tiledb::Part::fragments},
      {"fragment_metadata", tiledb::Part::fragment_metadata},
      {"commits", tiledb::Part::commits},
      {"array_metadata", tiledb::Part::array_metadata},
  };
  for (const auto& [name, part] : kParts)
    if (what == name) return part;
  fail(ErrorKind::invalid_argument, "'{}' is none of fragments, fragment_metadata, commits, array_metadata", what);
}

nb::list list_of(const std::vector<tiledb::Consolidation>& steps) {
  nb::list out;
  for (const tiledb::Consolidation& step : steps)
    out.append(nb::make_tuple(list_of(step.inputs), list_of(step.outputs), nb::int_(step.cells), nb::int_(step.bytes)));
  return out;
}

// Keys of `request`: what, fragments, at, max_fragment_size, keep_times, purge_deleted.
nb::list consolidate(ArrayHandle& self, nb::dict request, bool only_plan, nb::object progress) {
  tiledb::ConsolidateOptions options;
  options.part = part_from(text_from(request["what"]));
  for (nb::handle name : checked<nb::list>(request["fragments"])) options.fragments.push_back(text_from(name));
  if (request.contains("at")) {
    const nb::tuple pair = tuple_of(request["at"], 2);
    options.at = {unsigned_of(pair[0]), unsigned_of(pair[1])};
  }
  if (request.contains("max_fragment_size")) options.max_fragment_size = unsigned_of(request["max_fragment_size"]);
  options.keep_times = truth_of(request["keep_times"]);
  options.purge_deleted = truth_of(request["purge_deleted"]);
  Call call(self.settings, progress);
  const std::vector<tiledb::Consolidation> steps = call([&](const Work& work) {
    options.work = work;
    return only_plan ? tiledb::plan_consolidation(*self.array, options) : tiledb::consolidate(*self.array, options);
  });
  call.finish();
  return list_of(steps);
}

nb::list vacuum(ArrayHandle& self, const std::string& what, bool dry_run, nb::object progress) {
  tiledb::VacuumOptions options;
  options.part = part_from(what);
  options.dry_run = dry_run;
  Call call(self.settings, progress);
  const std::vector<std::string> removed = call([&](const Work& work) {
    options.work = work;
    return tiledb::vacuum(*self.array, options);
  });
  call.finish();
  return list_of(removed);
}

void delete_cells(ArrayHandle& self, const std::string& where) {
  Call call(self.settings);
  call([&](const Work& work) { tiledb::delete_cells(*self.array, where, self.options(work)); });
}

}  // namespace

void describe_tools(nb::module_& module) {
  module.def("verify", verify, "array"_a, "progress"_a.none());
  module.def("verify", verify_group, "group"_a, "progress"_a.none());
  module.def("repair", repair, "array"_a, "progress"_a.none());
  module.def("convert", convert_array, "source"_a, "uri"_a, "target"_a, "options"_a, "progress"_a.none());
  module.def("compare", compare_arrays, "left"_a, "right"_a, "progress"_a.none());
  module.def("consolidate", consolidate, "array"_a, "request"_a, "plan"_a, "progress"_a.none());
  module.def("vacuum", vacuum, "array"_a, "what"_a, "dry_run"_a, "progress"_a.none());
  module.def("delete_cells", delete_cells, "array"_a, "where"_a);
}

}  // namespace tegula::python
