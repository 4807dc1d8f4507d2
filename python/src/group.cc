#include <nanobind/stl/string.h>

#include "array.h"
#include "format/registry/registry.h"
#include "python_store.h"
#include "schema.h"
#include "values.h"

namespace tegula::python {

namespace {

nb::list members(const GroupHandle& self) {
  nb::list out;
  for (const Member& member : Call()([&](const Work&) { return self.group->members(); }))
    out.append(nb::make_tuple(nb::cast(member.name), nb::cast(member.uri),
                              nb::str(member.kind == ObjectKind::group ? "group" : "array")));
  return out;
}

void update_metadata(GroupHandle& self, nb::dict changes) {
  const auto entries = metadata_from(changes);
  Call()([&](const Work&) { self.group->update_metadata(entries); });
}

}  // namespace

void describe_groups(nb::module_& module) {
  nb::class_<GroupHandle>(module, "GroupHandle")
      .def_prop_ro("format", [](const GroupHandle& self) { return std::string(self.group->format()); })
      .def("members", members)
      .def("metadata",
           [](const GroupHandle& self) { return dict_of(Call()([&](const Work&) { return self.group->metadata(); })); })
      .def("update_metadata", update_metadata)
      .def("consolidate",
           [](GroupHandle& self) {
             Call()([&](const Work& work) {
               WriteOptions options;
               options.work = work;
               self.group->consolidate(options);
             });
           })
      .def("add", [](GroupHandle& self, const std::string& uri, const std::string& name,
                     bool absolute) { Call()([&](const Work&) { self.group->add(uri, name, absolute); }); })
      .def("remove",
           [](GroupHandle& self, const std::string& name) { Call()([&](const Work&) { self.group->remove(name); }); });
  module.def("create_group", [](const std::string& uri, const std::string& format, nb::dict options) {
    const CreateOptions create = create_options(options);
    const StoreOpener opener = opener_of(uri, options, create.sync);
    return GroupHandle{Call()([&](const Work&) { return tegula::create_group(opener(), format, create); })};
  });
}

}  // namespace tegula::python
