// What a handle knows about its array at one moment: one carray, or the columns of a ctable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/bcolz/carray.h"
#include "store/store.h"
#include "store/wrap/known_store.h"
#include "tegula/schema.h"

namespace tegula::bcolz {

inline constexpr std::string_view kColumnNames = "__rootdirs__";
inline constexpr std::string_view kAttributes = "__attrs__";
inline constexpr std::string_view kStorage = "meta/storage";
inline constexpr std::string_view kSizes = "meta/sizes";

// Immutable once made: reads and queries keep the one they started with while a change makes the next.
struct Snapshot {
  std::shared_ptr<Store> store;
  bool table = false;
  std::vector<std::string> names;  // of the columns; one empty name for a carray
  std::vector<Carray> columns;
  // Of a table, the rows that every column has. An interrupted append leaves some columns longer; their extra rows do
  // not count.
  std::uint64_t rows = 0;
  std::shared_ptr<const Schema> schema;

  // Throws not_found, corrupt, unsupported.
  static std::shared_ptr<const Snapshot> open(std::shared_ptr<Store> store, const Work& work);
  // With what is known of the store, so that no document is read again.
  static std::shared_ptr<const Snapshot> open(std::shared_ptr<Store> store, const Work& work, KnownStore& known);
  // Index of a column. Throws invalid_argument.
  std::size_t column(std::string_view name) const;
  // Sets `rows` and `schema` from the columns.
  void describe();
};

}  // namespace tegula::bcolz
