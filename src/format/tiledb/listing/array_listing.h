// The contents of the folder of an array: schemas, fragments, commit files, conditions, vacuumed names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/tiledb/disk/names.h"
#include "store/store.h"

namespace tegula::tiledb {

struct FragmentEntry {
  std::string name;    // of the folder
  std::string folder;  // key below the array
  TimedName time;
};

// A file, or a part of one.
struct BytesPlace {
  std::string key;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> size;  // none: to the end
};

// A stored delete or update.
struct ConditionEntry {
  std::string marker;  // "__commits/<name>.del"
  std::uint64_t time = 0;
  bool update = false;  // .upd
  BytesPlace place;
};

struct VacuumEntry {
  std::string key;                 // of the .vac
  TimedName time;                  // of the fragment that replaces them
  std::vector<std::string> items;  // keys below the array
  // The consolidation stopped between its commit and its .vac: `key` is the .merge file that replaces the .vac. It
  // hides the items from the commit on; otherwise an array with duplicates would show their cells twice.
  bool unfinished = false;
};

// Everything there is, before any time window.
struct ArrayListing {
  std::vector<std::string> schemas;      // keys: the old file first, then those of __schema by name
  std::vector<FragmentEntry> fragments;  // committed, oldest first; equal times by name
  std::vector<VacuumEntry> vacuumed;
  std::vector<ConditionEntry> conditions;  // by time, then name
  std::vector<std::string> footer_files;   // .meta, newest last
  bool has_commits_folder = false;
  bool has_metadata_folder = false;
};

// With a remote store, one flat listing if it takes one request. Else lists the folder, and __schema, __commits and
// __fragment_meta where they exist; looks into the fragment folders of versions 1 to 4 and reads .con, .ign and .vac
// files. Starts again when one of these files is removed meanwhile. Throws not_found when there is no schema. `known`
// is the store with what was read of it just before, or null.
ArrayListing list_array(const Store& store, const Store* known = nullptr);

// The index in `schemas` of the schema that a reader at time `end` uses: the last by name whose time is not after
// `end`, else the first.
std::size_t schema_at(const ArrayListing& listing, std::uint64_t end);
// The fragments a reader sees, oldest first.
std::vector<FragmentEntry> visible_fragments(const ArrayListing& listing, const TimeWindow& window, bool sparse);
std::vector<ConditionEntry> visible_conditions(const ArrayListing& listing, const TimeWindow& window);

// A line of a .con, .ign or .vac file.
struct CommitLine {
  std::string path;                    // relative to the array, without a leading slash
  std::uint64_t offset = 0, size = 0;  // .del in a .con: where its bytes are
};
std::vector<CommitLine> decode_commits(ByteView file, std::string_view name, bool with_conditions);
// The key, below the array, of what a line of a .vac file names, wherever the array was when the line was written.
std::string vacuumed_key(std::string_view line);

}  // namespace tegula::tiledb
