// What only TileDB arrays and groups have. Every change is whole or not at all, whatever stops it, except where a
// function says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tegula/array.h"

namespace tegula::tiledb {

// Changes of a schema. Fragments keep the schema they were written with: of attributes that they lack, a reader sees
// the fill value.
struct Evolution {
  std::vector<Attribute> add_attributes = {};
  std::vector<std::string> drop_attributes = {};
  std::vector<Enumeration> add_enumerations = {};
  std::vector<Enumeration> extend_enumerations = {};  // whole: the values there are, then new ones
  std::vector<std::string> drop_enumerations = {};
  std::optional<std::vector<Range>> current_domain = {};  // holds the one before
};
// options.at is the time of the schema. Throws invalid_argument for changes that make no sense, and unsupported below
// format version 10, which knows one schema only.
void evolve(Array& array, const Evolution& changes, const WriteOptions& options = {});

// Raises the format version of what is written from now on. Throws invalid_argument when it is higher already.
void upgrade(Array& array, std::uint32_t format_version = 22, const WriteOptions& options = {});

// Deletes the cells of a sparse array that match `where` and are there at options.at: they stay stored, and readers
// of times before still see them. Conditions under which libtiledb deletes more than they say (comparisons with a
// nullable attribute, which take its nulls along, and attributes that some fragments lack) are refused unless
// `as_libtiledb` is set; tests for null, after which it cannot read the array, always.
void delete_cells(Array& array, std::string_view where, const WriteOptions& options = {}, bool as_libtiledb = false);

// Removes the fragments that were written between two times (milliseconds, both included), one after the other: a stop
// in between leaves the rest. Returns their names.
std::vector<std::string> delete_fragments(Array& array, std::uint64_t first, std::uint64_t last);

enum class Part : std::uint8_t { fragments, fragment_metadata, commits, array_metadata };

struct ConsolidateOptions {
  Part part = Part::fragments;
  std::vector<std::string> fragments = {};                         // these only; empty: all
  std::optional<std::pair<std::uint64_t, std::uint64_t>> at = {};  // fragments wholly between two times only
  std::uint64_t max_fragment_size = UINT64_MAX;                    // bytes stored, about; more makes several fragments
  bool keep_times = true;  // sparse, format version 15 and later: each cell remembers when it was written
  bool purge_deleted = false;
  Work work = {};
};

// What one merge takes and makes.
struct Consolidation {
  std::vector<std::string> inputs;   // names of fragments, or files
  std::vector<std::string> outputs;  // empty in a plan: names are chosen when they are written
  std::uint64_t cells = 0;           // of the inputs
  std::uint64_t bytes = 0;           // of the inputs, stored
};

// What consolidate() would do now.
std::vector<Consolidation> plan_consolidation(const Array& array, const ConsolidateOptions& options = {});

// Merges what many writes left into few. Readers see the same cells before, during and after it; what was merged stays
// until vacuum() (format versions 3 and 4, which have no vacuum: it is removed once the merged one is there). Memory
// stays under work.memory whatever the number of fragments. An interruption leaves the array as before, or with some of
// the merges done.
std::vector<Consolidation> consolidate(Array& array, const ConsolidateOptions& options = {});

struct VacuumOptions {
  Part part = Part::fragments;
  bool dry_run = false;
  Work work = {};
};

// Removes what consolidation has replaced. Readers that open at a time inside a merged range lose sight of the steps in
// between, unless the merge kept times. May be interrupted and repeated in any order. Returns the files and folders
// removed, or to be removed.
std::vector<std::string> vacuum(Array& array, const VacuumOptions& options = {});

}  // namespace tegula::tiledb
