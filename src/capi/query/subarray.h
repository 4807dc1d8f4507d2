// The part of an array that a query is about: ranges for each dimension.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capi/array/array.h"
#include "tegula/query.h"

namespace tegula::capi {

// Bounds as raw values of the dimension, both included.
struct RawRange {
  Bytes low, high;
};

class Subarray {
 public:
  explicit Subarray(std::shared_ptr<OpenArray> array);

  const OpenArray& array() const { return *array_; }
  const std::vector<tiledb::SchemaDimension>& dimensions() const { return dimensions_; }
  std::size_t index_of(std::string_view name) const;         // throws Refusal
  std::size_t checked_dimension(std::uint64_t index) const;  // likewise

  // Throws Refusal for a range that ends before it starts or leaves the domain.
  void add(std::size_t dimension, ByteView low, ByteView high);
  void add_label(std::string_view label, ByteView low, ByteView high);
  // Whether a range that begins behind the last one is joined with it.
  void set_coalesce(bool coalesce) { coalesce_ = coalesce; }

  // The whole domain, as far as the current domain reaches, until one was added; of text one range of size 0.
  const std::vector<RawRange>& ranges(std::size_t dimension) const;
  bool has_ranges(std::size_t dimension) const { return !added_[dimension].empty(); }
  bool has_any() const;
  const RawRange& range(std::size_t dimension, std::uint64_t index) const;  // throws Refusal

  struct LabelRanges {
    std::string label;
    std::vector<RawRange> ranges;
  };
  const std::vector<LabelRanges>& labels() const { return labels_; }

  // As the engine takes them.
  std::vector<DimensionRanges> engine_ranges() const;
  std::vector<DimensionRanges> engine_labels() const;

 private:
  std::shared_ptr<OpenArray> array_;
  std::vector<tiledb::SchemaDimension> dimensions_;
  std::vector<std::vector<RawRange>> added_, whole_;
  std::vector<LabelRanges> labels_;
  bool coalesce_ = true;
};

struct SubarrayHandle {
  static constexpr std::string_view kName = "subarray";
  std::shared_ptr<Subarray> subarray;
};

// One value of the dimension, or the text.
Value value_of(const Datatype& type, bool var, ByteView bytes);

}  // namespace tegula::capi
