// What only TileDB arrays and groups have. Every change is whole or not at all, whatever stops it, except where a
// function says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace tegula::tiledb
