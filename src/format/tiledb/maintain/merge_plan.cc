// A merged fragment has the place of its oldest input in the order of fragments. It must not hide a fragment that is
// newer than that input, nor be hidden by one that is older than another input.
#include "format/tiledb/maintain/merge_plan.h"

#include <algorithm>
#include <set>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/write/fragment_writer.h"

namespace tegula::tiledb {

namespace {

// How many cells a merged dense fragment may have for each cell of its inputs: cells that were never written become
// stored ones.
constexpr double kGrowth = 2;

class Planner {
 public:
  Planner(const ArrayContents& array, const ConsolidateOptions& options) : array_(array), options_(options) {
    const ArraySchema& schema = *array.schema;
    types_ = schema.range_types();
    if (!schema.sparse) grid_ = make_grid(schema);
    keeps_times_ = schema.sparse && options.keep_times && visible_in_part(written_version(schema));
    for (std::size_t i = 0; i < array.entries.size(); ++i)
      if (wanted(array.entries[i])) chosen_.push_back(i);
  }

  std::vector<Merge> run() {
    std::vector<std::vector<std::size_t>> sets;
    if (!options_.fragments.empty()) {
      check_names();
      if (const std::optional<std::size_t> other = in_the_way(chosen_))
        fail(ErrorKind::invalid_argument,
             "the fragments cannot be merged without {}: its cells would be hidden or become visible again; name it as "
             "well",
             array_.entries[*other].name);
      sets.push_back(chosen_);
    } else if (fits(chosen_)) {
      sets.push_back(chosen_);
    } else {
      for (const std::size_t i : chosen_) {
        std::vector<std::size_t> more = sets.empty() ? std::vector<std::size_t>{} : sets.back();
        more.push_back(i);
        if (!sets.empty() && fits(more))
          sets.back() = std::move(more);
        else
          sets.push_back({i});
      }
    }
    std::vector<Merge> merges;
    for (const std::vector<std::size_t>& set : sets)
      if (worthwhile(set)) merges.push_back(merge_of(set));
    return merges;
  }

 private:
  const Fragment& fragment(std::size_t i) const { return *array_.fragments[i]; }

  bool wanted(const FragmentEntry& entry) const {
    if (options_.at && !TimeWindow{options_.at->first, options_.at->second}.contains(entry.time.first, entry.time.last))
      return false;
    return options_.fragments.empty() ||
           std::find(options_.fragments.begin(), options_.fragments.end(), entry.name) != options_.fragments.end();
  }

  void check_names() const {
    for (const std::string& name : options_.fragments)
      if (std::none_of(chosen_.begin(), chosen_.end(), [&](std::size_t i) { return array_.entries[i].name == name; }))
        fail(ErrorKind::invalid_argument, "there is no fragment '{}' that a reader sees now{}", name,
             options_.at ? " between the times given" : "");
  }

  // A single fragment is rewritten only to remove deleted cells.
  bool worthwhile(const std::vector<std::size_t>& set) const {
    if (set.size() != 1) return set.size() > 1;
    if (!options_.purge_deleted || !array_.schema->sparse) return false;
    const Fragment& only = fragment(set[0]);
    const std::vector<std::string>& processed = only.processed_conditions();
    return only.has_deletes() ||
           std::any_of(array_.conditions.begin(), array_.conditions.end(), [&](const TimedCondition& condition) {
             return condition.time >= only.first_time() &&
                    std::find(processed.begin(), processed.end(), condition.marker) == processed.end();
           });
  }

  static int compare(const Value& a, const Value& b) { return a < b ? -1 : b < a ? 1 : 0; }
  bool meet(const NdRange& a, const NdRange& b) const {
    if (a.size() != types_.size() || b.size() != types_.size()) return false;
    for (std::size_t d = 0; d < a.size(); ++d)
      if (compare(a[d].high, b[d].low) < 0 || compare(b[d].high, a[d].low) < 0) return false;
    return true;
  }

  NdRange hull(const std::vector<std::size_t>& set) const {
    NdRange box;
    for (const std::size_t i : set) {
      const NdRange& more = fragment(i).domain();
      if (box.empty()) box = more;
      for (std::size_t d = 0; d < box.size() && d < more.size(); ++d) {
        if (compare(more[d].low, box[d].low) < 0) box[d].low = more[d].low;
        if (compare(more[d].high, box[d].high) > 0) box[d].high = more[d].high;
      }
    }
    return box;
  }

  double cells(const NdRange& box) const {
    double cells = 1;
    for (std::size_t d = 0; d < box.size(); ++d) {
      const auto low = grid_->index(d, box[d].low), high = grid_->index(d, box[d].high);
      if (low && high) cells *= static_cast<double>(*high - *low) + 1;
    }
    return cells;
  }

  // A fragment outside of the set whose cells readers would see differently after the merge.
  std::optional<std::size_t> in_the_way(const std::vector<std::size_t>& set) const {
    if (set.size() < 2 || set.size() == array_.entries.size()) return std::nullopt;
    if (array_.schema->allows_duplicates) return std::nullopt;
    const std::set<std::size_t> inside(set.begin(), set.end());
    const NdRange box = hull(set);
    for (std::size_t other = 0; other < array_.entries.size(); ++other) {
      if (inside.contains(other) || !meet(fragment(other).domain(), box)) continue;
      const std::uint64_t time = fragment(other).first_time();
      if (!array_.schema->sparse && (other < set.front() || time == fragment(set.front()).first_time())) return other;
      for (const std::size_t i : set) {
        const bool passes_by = i > other && set.front() < other && !keeps_times_;
        if ((passes_by || fragment(i).first_time() == time) && meet(fragment(i).domain(), fragment(other).domain()))
          return other;
      }
    }
    return std::nullopt;
  }

  bool fits(const std::vector<std::size_t>& set) const {
    if (in_the_way(set)) return false;
    if (!grid_ || set.size() < 2) return true;
    double written = 0;
    for (const std::size_t i : set) written += cells(fragment(i).domain());
    return cells(hull(set)) <= kGrowth * written;
  }

  Merge merge_of(const std::vector<std::size_t>& set) const {
    Merge merge;
    for (const std::size_t i : set) {
      merge.inputs.push_back(array_.entries[i]);
      merge.fragments.push_back(array_.fragments[i]);
      merge.what.inputs.push_back(array_.entries[i].name);
      merge.what.cells += grid_ && fragment(i).dense() ? static_cast<std::uint64_t>(cells(fragment(i).domain()))
                                                       : fragment(i).total_cells();
      for (const FooterSlot& slot : fragment(i).footer().slots)
        merge.what.bytes += slot.file_size + slot.var_file_size + slot.validity_file_size;
    }
    return merge;
  }

  const ArrayContents& array_;
  const ConsolidateOptions& options_;
  std::vector<DimensionType> types_;
  std::optional<DenseGrid> grid_;  // dense only
  bool keeps_times_ = false;       // each cell keeps the time it was written
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::vector<Merge> plan_merges(const ArrayContents& array, const ConsolidateOptions& options) {
  return Planner(array, options).run();
}

}  // namespace tegula::tiledb
