// The part of a sparse domain that a query asks for: sorted, disjoint ranges per dimension.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/nd_range.h"
#include "query/columns/field.h"

namespace tegula::tiledb {

enum class Overlap : std::uint8_t { none, some, all };

// The ranges of one dimension. Numbers are kept as ordered integers, text as text.
class RangeList {
 public:
  RangeList() = default;
  explicit RangeList(const DimensionType& dimension) : type_(dimension) {}

  // Ranges may be added in any order; finish() joins those that overlap or touch. A text range may have no upper bound.
  void add(const Range& range);
  void finish();
  bool whole() const { return whole_; }

  // How much of the values low .. high is asked for.
  Overlap overlap(ByteView low, ByteView high) const;
  // Clears mask[i] for the cells that are not asked for.
  void filter(const ColumnView& cells, std::span<std::uint8_t> mask) const;
  bool contains(ByteView value) const { return overlap(value, value) != Overlap::none; }

  // Splits into what is asked for below `at` and from `at` on, for results above the budget. Numbers only.
  std::pair<RangeList, RangeList> split(std::uint64_t at) const;
  // The same for text; `at` begins the second half.
  std::pair<RangeList, RangeList> split(const std::string& at) const;
  bool text() const { return type_.var; }
  // Numbers: the smallest and the largest value asked for, as ordered integers.
  std::pair<std::uint64_t, std::uint64_t> hull() const;
  // Text: the smallest value asked for, and whether there is no other.
  std::string_view lowest_text() const { return texts_.empty() ? std::string_view() : texts_[0].low; }
  bool single_text() const;

 private:
  DimensionType type_;
  bool whole_ = true;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers_;
  // The upper end of a range that split() made does not belong to it.
  struct TextRange {
    std::string low, high;
    bool open = false;       // `high` is left out
    bool unbounded = false;  // no `high`
  };
  bool above(const TextRange& range, std::string_view value) const;
  std::vector<TextRange> texts_;
};

// The next text after `text`: there is none between the two.
inline std::string next_text(std::string text) { return text + '\0'; }

using RangeSet = std::vector<RangeList>;  // one per dimension

// Over all dimensions of rectangle i.
Overlap overlap(const RangeSet& ranges, const MbrTable& mbrs, std::uint64_t i);
Overlap overlap(const RangeSet& ranges, const NdRange& box, std::span<const DimensionType> dimensions);

}  // namespace tegula::tiledb
