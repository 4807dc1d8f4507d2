// A merged fragment has the place of its oldest input in the order of fragments. It must not hide a fragment that is
// newer than that input, nor be hidden by one that is older than another input.
#include "format/tiledb/maintain/merge_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/maintain/box_index.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/write/fragment_writer.h"

namespace tegula::tiledb {

namespace {

// How many cells a merged dense fragment may have for each cell of its inputs: cells that were never written become
// stored ones.
constexpr double kGrowth = 2;

// A growing set of fragments, and what lies in the way of merging them. Fragments join oldest first.
class GrowingSet {
 public:
  // Fragments that are not `chosen` never join.
  GrowingSet(const ArrayContents& array, const std::vector<bool>& chosen, bool keeps_times) : array_(array) {
    const bool duplicates = array.schema->allows_duplicates;
    std::vector<const NdRange*> domains;
    std::map<std::uint64_t, std::vector<std::size_t>> by_time;
    for (std::size_t i = 0; i < array.fragments.size() && !duplicates; ++i) {
      domains.push_back(&array.fragments[i]->domain());
      by_time[array.fragments[i]->first_time()].push_back(i);
      if (!chosen[i] && !keeps_times) passed_.push_back(i);
    }
    if (!array.schema->sparse) older_ = BoxIndex(domains);
    between_ = BoxIndex(domains);
    places_.resize(domains.size());
    for (auto& [time, members] : by_time) {
      std::vector<const NdRange*> boxes;
      for (std::size_t n = 0; n < members.size(); ++n) {
        places_[members[n]] = {simultaneous_.size(), n};
        boxes.push_back(domains[members[n]]);
      }
      simultaneous_.push_back({BoxIndex(std::move(boxes)), std::move(members)});
      for (std::size_t n = 0; n < simultaneous_.back().members.size(); ++n) simultaneous_.back().index.put(n);
    }
  }

  const std::vector<std::size_t>& members() const { return members_; }
  std::uint64_t comparisons() const { return comparisons_; }

  void start() {
    for (const std::size_t i : members_) leave(i);
    members_.clear();
    hull_.clear();
  }

  void join(std::size_t i) {
    if (members_.empty()) begin_at(i);
    if (!places_.empty()) simultaneous_[places_[i].group].index.take(places_[i].place);
    members_.push_back(i);
    hull_ = with(i);
  }

  // The rectangle around the members and another.
  NdRange with(std::size_t i) const {
    const NdRange& more = array_.fragments[i]->domain();
    NdRange box = hull_.empty() ? more : hull_;
    for (std::size_t d = 0; d < box.size() && d < more.size(); ++d) {
      if (more[d].low < box[d].low) box[d].low = more[d].low;
      if (box[d].high < more[d].high) box[d].high = more[d].high;
    }
    return box;
  }

  // A fragment outside of the set whose cells readers would see differently after the merge, as far as that concerns
  // these members, or the rectangle around all of them.
  std::optional<std::size_t> in_the_way(std::span<const std::size_t> members) {
    if (places_.empty() || members_.size() < 2) return std::nullopt;
    const std::size_t oldest = members_.front();
    const auto any = [](std::size_t) { return true; };
    if (!array_.schema->sparse) {
      if (const auto other = older_.find(hull_, any, comparisons_)) return other;
      if (const auto other = found(places_[oldest].group, hull_)) return other;
    }
    for (const std::size_t i : members) {
      const NdRange& domain = array_.fragments[i]->domain();
      if (const auto other = found(places_[i].group, domain)) return other;
      for (; reached_ < passed_.size() && passed_[reached_] < i; ++reached_)
        if (passed_[reached_] > oldest) between_.put(passed_[reached_]);
      if (const auto other = between_.find(domain, any, comparisons_)) return other;
    }
    return std::nullopt;
  }

 private:
  struct Simultaneous {
    BoxIndex index;
    std::vector<std::size_t> members;
  };
  struct Place {
    std::size_t group = 0, place = 0;
  };

  std::optional<std::size_t> found(std::size_t group, const NdRange& box) {
    const auto at = simultaneous_[group].index.find(box, [](std::size_t) { return true; }, comparisons_);
    return at ? std::optional(simultaneous_[group].members[*at]) : std::nullopt;
  }

  void leave(std::size_t i) {
    if (!places_.empty()) simultaneous_[places_[i].group].index.put(places_[i].place);
  }

  // Everything before the oldest member is older, and nothing there is passed by any more.
  void begin_at(std::size_t oldest) {
    for (; older_count_ < oldest && !places_.empty(); ++older_count_) {
      if (!array_.schema->sparse) older_.put(older_count_);
      between_.take(older_count_);
    }
  }

  const ArrayContents& array_;
  std::vector<std::size_t> members_;
  NdRange hull_;
  std::vector<Simultaneous> simultaneous_;  // fragments of the same time, without the members
  std::vector<Place> places_;               // of each fragment in simultaneous_
  BoxIndex older_;                          // dense: fragments before the oldest member
  BoxIndex between_;                 // fragments that never join, between the oldest member and the last looked at
  std::vector<std::size_t> passed_;  // those, rising
  std::size_t reached_ = 0, older_count_ = 0;
  std::uint64_t comparisons_ = 0;
};

class Planner {
 public:
  Planner(const ArrayContents& array, const ConsolidateOptions& options) : array_(array), options_(options) {
    const ArraySchema& schema = *array.schema;
    if (!schema.sparse) grid_ = make_grid(schema);
    keeps_times_ = schema.sparse && options.keep_times && visible_in_part(written_version(schema));
    const std::set<std::string_view> names(options.fragments.begin(), options.fragments.end());
    inside_.resize(array.entries.size());
    for (std::size_t i = 0; i < array.entries.size(); ++i) {
      inside_[i] = in_window(array.entries[i]) && (names.empty() || names.contains(array.entries[i].name));
      if (inside_[i]) chosen_.push_back(i);
    }
  }

  MergePlan run() {
    std::vector<std::vector<std::size_t>> sets;
    const std::optional<std::size_t> other = in_the_way_of_all();
    if (!options_.fragments.empty()) {
      check_names();
      if (other)
        fail(ErrorKind::invalid_argument,
             "the fragments cannot be merged without {}: its cells would be hidden or become visible again; name it as "
             "well",
             array_.entries[*other].name);
      sets.push_back(chosen_);
    } else if (!other && chosen_.size() > 0 && !outgrows()) {
      sets.push_back(chosen_);
    } else {
      sets = neighbours();
    }
    MergePlan plan;
    for (const std::vector<std::size_t>& set : sets)
      if (worthwhile(set)) plan.merges.push_back(merge_of(set));
    plan.comparisons = comparisons_;
    return plan;
  }

 private:
  const Fragment& fragment(std::size_t i) const { return *array_.fragments[i]; }

  bool in_window(const FragmentEntry& entry) const {
    return !options_.at ||
           TimeWindow{options_.at->first, options_.at->second}.contains(entry.time.first, entry.time.last);
  }

  void check_names() const {
    std::set<std::string_view> known;
    for (const std::size_t i : chosen_) known.insert(array_.entries[i].name);
    for (const std::string& name : options_.fragments)
      if (!known.contains(name))
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

  double cells(const NdRange& box) const {
    double cells = 1;
    for (std::size_t d = 0; d < box.size(); ++d) {
      const auto low = grid_->index(d, box[d].low), high = grid_->index(d, box[d].high);
      if (low && high) cells *= static_cast<double>(*high - *low) + 1;
    }
    return cells;
  }

  std::optional<std::size_t> in_the_way_of_all() {
    if (chosen_.size() == array_.entries.size()) return std::nullopt;
    GrowingSet set(array_, inside_, keeps_times_);
    for (const std::size_t i : chosen_) set.join(i);
    const std::optional<std::size_t> other = set.in_the_way(chosen_);
    comparisons_ += set.comparisons();
    return other;
  }

  // Whether a fragment of all chosen ones would have too many cells that nobody wrote.
  bool outgrows() const {
    if (!grid_ || chosen_.size() < 2) return false;
    double written = 0;
    NdRange hull;
    for (const std::size_t i : chosen_) {
      const NdRange& more = fragment(i).domain();
      written += cells(more);
      if (hull.empty()) hull = more;
      for (std::size_t d = 0; d < hull.size() && d < more.size(); ++d) {
        if (more[d].low < hull[d].low) hull[d].low = more[d].low;
        if (hull[d].high < more[d].high) hull[d].high = more[d].high;
      }
    }
    return cells(hull) > kGrowth * written;
  }

  // Each fragment joins the set of the one before it where that changes nothing for readers, or starts another.
  std::vector<std::vector<std::size_t>> neighbours() {
    std::vector<std::vector<std::size_t>> sets;
    GrowingSet set(array_, inside_, keeps_times_);
    double written = 0;
    for (const std::size_t i : chosen_) {
      const double more = grid_ ? cells(fragment(i).domain()) : 0;
      bool fits = !set.members().empty() && (!grid_ || cells(set.with(i)) <= kGrowth * (written + more));
      if (fits) {
        set.join(i);
        // A set of one was not looked at yet.
        const std::vector<std::size_t>& members = set.members();
        fits = !set.in_the_way(members.size() == 2 ? std::span(members) : std::span(&i, 1));
      }
      if (fits) {
        sets.back().push_back(i);
        written += more;
        continue;
      }
      set.start();
      set.join(i);
      sets.push_back({i});
      written = more;
    }
    comparisons_ += set.comparisons();
    return sets;
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
  std::optional<DenseGrid> grid_;  // dense only
  bool keeps_times_ = false;       // each cell keeps the time it was written
  std::vector<bool> inside_;       // by fragment: chosen
  std::vector<std::size_t> chosen_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace

MergePlan plan_merges(const ArrayContents& array, const ConsolidateOptions& options) {
  return Planner(array, options).run();
}

}  // namespace tegula::tiledb
