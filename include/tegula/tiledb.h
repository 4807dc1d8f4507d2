// Operations that only TileDB arrays have. Every change is all-or-nothing, even when the process is killed, unless a
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

// Changes of a schema. Fragments keep the schema they were written with: where a fragment lacks an attribute, readers
// see the fill value.
struct Evolution {
  std::vector<Attribute> add_attributes = {};
  std::vector<std::string> drop_attributes = {};
  std::vector<Enumeration> add_enumerations = {};
  std::vector<Enumeration> extend_enumerations = {};  // complete: the existing values, then the new ones
  std::vector<std::string> drop_enumerations = {};
  std::optional<std::vector<Range>> current_domain = {};  // must contain the current one
};
// options.at is the time of the schema. Throws invalid_argument for changes that are not possible, and unsupported
// before format version 10, whose arrays have only one schema.
void evolve(Array& array, const Evolution& changes, const WriteOptions& options = {});

// Raises the format version of later writes. Throws invalid_argument when the array has a later version already.
void upgrade(Array& array, std::uint32_t format_version = 22, const WriteOptions& options = {});

// Deletes the cells of a sparse array that match `where` and were written up to options.at. They stay stored, and
// readers that open the array at an earlier time still see them. libtiledb deletes more than the condition says when it
// compares a nullable attribute (nulls are deleted too) or uses an attribute that some fragments lack: such conditions
// are refused unless `as_libtiledb` is set. Tests for null are always refused: libtiledb could not read the array
// afterwards.
void delete_cells(Array& array, std::string_view where, const WriteOptions& options = {}, bool as_libtiledb = false);

// Removes the fragments that were written between two times (milliseconds since 1970, both included) and returns their
// names. All-or-nothing from format version 12 on; before that, fragments are removed one by one, the oldest first.
std::vector<std::string> delete_fragments(Array& array, std::uint64_t first, std::uint64_t last);

enum class Part : std::uint8_t { fragments, fragment_metadata, commits, array_metadata };

struct ConsolidateOptions {
  Part part = Part::fragments;
  std::vector<std::string> fragments = {};                         // only these; empty: all
  std::optional<std::pair<std::uint64_t, std::uint64_t>> at = {};  // only fragments that lie wholly between two times
  std::uint64_t max_fragment_size = UINT64_MAX;                    // about, in stored bytes; larger results are split
  bool keep_times = true;  // sparse, format version 15 and later: each cell remembers when it was written
  bool purge_deleted = false;
  Work work = {};
};

// One merge: its inputs and outputs.
struct Consolidation {
  std::vector<std::string> inputs;   // names of fragments or files
  std::vector<std::string> outputs;  // empty in a plan: names are chosen when the outputs are written
  std::uint64_t cells = 0;           // in the inputs
  std::uint64_t bytes = 0;           // stored bytes of the inputs
};

// What consolidate() would do now.
std::vector<Consolidation> plan_consolidation(const Array& array, const ConsolidateOptions& options = {});

// Merges the results of many writes into few fragments or files. Readers see the same cells before, during and after
// it. The inputs stay until vacuum(); in format versions 3 and 4, which have no vacuum, they are removed as soon as the
// merged fragment is complete. Uses at most work.memory, whatever the number of fragments. When it is interrupted, some
// of the merges may be done and the others not begun.
std::vector<Consolidation> consolidate(Array& array, const ConsolidateOptions& options = {});

struct VacuumOptions {
  Part part = Part::fragments;
  bool dry_run = false;
  Work work = {};
};

// Removes what consolidation has replaced. Afterwards an array that is opened at a time inside a merged range no longer
// shows the merged writes before that time, unless the merge kept times. May be interrupted and repeated. Returns the
// files and folders that were removed, or with dry_run would be.
std::vector<std::string> vacuum(Array& array, const VacuumOptions& options = {});

}  // namespace tegula::tiledb
