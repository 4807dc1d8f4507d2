// Consolidation and vacuum of an array, part by part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/tiledb/read/opened_array.h"
#include "store/store.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// The array that is looked after; the time of `options` is not looked at, since only what is seen now counts.
struct Maintained {
  std::shared_ptr<Store> store;
  OpenOptions options;
};

// With the newest schema, and the fragments of now, not yet loaded.
OpenedArray open_now(const Maintained& array);
// Writes the .vac files of merges that were stopped in front of them.
void finish_merges(Store& store, const ArrayListing& listing);

// A line of a .vac or .meta of a version: relative to the array from version 19 on, else a whole URI.
std::string vacuum_line(const Store& store, std::string_view key, std::uint32_t version);
std::string uri_of(const Store& store, std::string_view key);

// Each plans, or does what it planned.
enum class Doing : std::uint8_t { plan, change };
std::vector<Consolidation> consolidate_fragments(const Maintained& array, const ConsolidateOptions& options,
                                                 Doing doing);
std::vector<Consolidation> consolidate_footers(const Maintained& array, Doing doing, const Work& work);
std::vector<Consolidation> consolidate_commits(const Maintained& array, Doing doing);
std::vector<Consolidation> consolidate_metadata(const Maintained& array, Doing doing, const Work& work);

std::vector<std::string> vacuum_array(const Maintained& array, const VacuumOptions& options);

}  // namespace tegula::tiledb
