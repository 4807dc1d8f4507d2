#include "format/tiledb/consolidate.h"

#include "format/tiledb/writable_array.h"

namespace tegula::tiledb {

namespace {

std::vector<Consolidation> consolidate_part(const WritableArray& array, const ConsolidateOptions& options,
                                            Doing doing) {
  const Maintained maintained{array.store(), array.options()};
  switch (options.part) {
    case Part::fragment_metadata:
      return consolidate_footers(maintained, doing, options.work);
    case Part::commits:
      return consolidate_commits(maintained, doing);
    case Part::array_metadata:
      return consolidate_metadata(maintained, doing, options.work);
    case Part::fragments:
      break;
  }
  return consolidate_fragments(maintained, options, doing);
}

}  // namespace

std::vector<Consolidation> plan_consolidation(const Array& array, const ConsolidateOptions& options) {
  return consolidate_part(writable(array), options, Doing::plan);
}

std::vector<Consolidation> consolidate(Array& array, const ConsolidateOptions& options) {
  WritableArray& changed = writable(array);
  std::vector<Consolidation> done = consolidate_part(changed, options, Doing::change);
  changed.changed();
  return done;
}

std::vector<std::string> vacuum(Array& array, const VacuumOptions& options) {
  WritableArray& changed = writable(array);
  std::vector<std::string> removed = vacuum_array({changed.store(), changed.options()}, options);
  changed.changed();
  return removed;
}

}  // namespace tegula::tiledb
