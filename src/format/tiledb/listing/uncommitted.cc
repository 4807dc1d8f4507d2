#include "format/tiledb/listing/uncommitted.h"

#include <set>

namespace tegula::tiledb {

std::vector<std::string> uncommitted_fragments(const Store& store, const ArrayListing& listing) {
  std::set<std::string> known;
  for (const FragmentEntry& entry : listing.fragments) known.insert(entry.folder);
  for (const VacuumEntry& vacuum : listing.vacuumed) known.insert(vacuum.items.begin(), vacuum.items.end());
  std::vector<std::string> found;
  for (const std::string& folder : {std::string(), std::string(kFragmentsFolder)})
    for (const Entry& entry : store.list(folder))
      if (const std::string key = join(folder, entry.name);
          entry.folder && parse_timed_name(entry.name) && !known.contains(key))
        found.push_back(key);
  return found;
}

std::vector<std::string> uncommitted_fragments(const Store& store) {
  return uncommitted_fragments(store, list_array(store));
}

}  // namespace tegula::tiledb
