// What an array contains at a moment: the schema, the visible fragments and the delete conditions.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/delete_condition.h"
#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/listing/array_listing.h"
#include "tegula/array.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

struct TimedCondition {
  std::string marker;
  std::uint64_t time = 0;
  bool update = false;
  StoredCondition condition;
};

// Loads schemas once and keeps them. Safe to share between threads.
class SchemaCache {
 public:
  SchemaCache(ArrayFiles files, std::string first) : files_(std::move(files)), first_(std::move(first)) {}
  // By key below the array.
  std::shared_ptr<const ArraySchema> at(const std::string& key) const;
  // By the name in a footer. An empty name stands for the array's first schema.
  std::shared_ptr<const ArraySchema> named(const std::string& file) const;

 private:
  const ArrayFiles files_;
  const std::string first_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const ArraySchema>> schemas_;
};

struct ArrayContents {
  ArrayFiles files;
  TimeWindow window;
  ArrayListing listing;
  std::shared_ptr<SchemaCache> schemas;
  std::string schema_key;
  std::shared_ptr<const ArraySchema> schema;               // at the end of the window
  std::shared_ptr<const Schema> model;                     // of `schema`
  std::vector<FragmentEntry> entries;                      // visible, oldest first
  std::vector<std::shared_ptr<const Fragment>> fragments;  // of `entries`
  std::vector<TimedCondition> conditions;                  // by time
};

// Without options.at the window is [0, now]. Footers are read in parallel, or taken from a consolidated file. With
// `fragments` false, only the schema and the listing are read. `known` is the store with what was read of it just
// before, or null.
ArrayContents open_contents(std::shared_ptr<const Store> store, const OpenOptions& options, bool fragments = true,
                            const Store* known = nullptr);
// Adds the fragments and conditions, if they were left out. Files never change under their names, so that those among
// `known`, from an earlier look at the same array, are not read again.
struct KnownFragments {
  std::vector<std::shared_ptr<const Fragment>> fragments;
  std::vector<TimedCondition> conditions;
};
void load_fragments(ArrayContents& array, const Work& work, const KnownFragments& known = {});

}  // namespace tegula::tiledb
