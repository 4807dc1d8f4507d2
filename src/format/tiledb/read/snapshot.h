// An array as it was at a moment; its queries share it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/read/array_contents.h"
#include "format/tiledb/read/dense_plan.h"
#include "query/columns/field.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Immutable, and safe to share between threads. Fragments are opened when they are first needed, so that the schema and
// the metadata of an array with a damaged fragment stay readable.
class Snapshot {
 public:
  // Takes over what `before`, an earlier snapshot of the same array, has read and what is still there.
  Snapshot(std::shared_ptr<Store> store, const OpenOptions& options, const Snapshot* before = nullptr);
  // `contents` has the fragments of all its entries, or none.
  Snapshot(std::shared_ptr<Store> store, const OpenOptions& options, ArrayContents contents);

  const ArrayFiles& files() const { return contents_.files; }
  const ArraySchema& schema() const { return *contents_.schema; }
  const Schema& model() const { return *contents_.model; }
  const std::shared_ptr<const Schema>& shared_model() const { return contents_.model; }
  const TimeWindow& window() const { return contents_.window; }
  const ArrayListing& listing() const { return contents_.listing; }
  const std::shared_ptr<Store>& store() const { return store_; }
  const OpenOptions& options() const { return options_; }
  const std::vector<FieldInfo>& fields() const { return fields_; }  // attributes, then dimensions
  const FieldInfo* field(std::string_view name) const;              // null when absent
  const DenseGrid& grid() const { return *grid_; }                  // dense only

  // Visible, oldest first.
  const std::vector<std::shared_ptr<const Fragment>>& fragments(const Work& work) const;
  const std::vector<TimedCondition>& conditions(const Work& work) const;
  const DensePlanner& planner(const Work& work) const;  // dense only

 private:
  void load(const Work& work) const;
  KnownFragments known() const;

  std::shared_ptr<Store> store_;
  OpenOptions options_;
  mutable ArrayContents contents_;  // load() adds the fragments
  mutable KnownFragments before_;   // until then: those of the snapshot before
  std::vector<FieldInfo> fields_;
  std::optional<DenseGrid> grid_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> loaded_ = false;
  mutable std::unique_ptr<DensePlanner> planner_;
};

// The number of tiles, checked against the lists of the fragment's metadata, so that damage does not decide how long
// loops over tiles run.
std::uint64_t stored_tiles(const Fragment& fragment);

// How a fragment stores an attribute of the schema that is read. Null when its cells have the fill value: the
// fragment's schema lacks the attribute, or it changed between fixed and variable size. Throws unsupported when its
// cells have another size.
const StoredField* stored_attribute(const Fragment& fragment, const FieldInfo& field);

}  // namespace tegula::tiledb
