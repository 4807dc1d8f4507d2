// A filter pipeline prepared for one kind of data: each step knows its element type, and steps that do nothing are left
// out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/aes_gcm.h"
#include "format/tiledb/disk/filter_pipeline.h"
#include "tegula/datatype.h"

namespace tegula::tiledb {

// What the pipeline works on.
struct FilterInput {
  std::uint8_t type_code = 4;   // datatype of the field; offsets UINT64, validity UINT8, generic tiles CHAR
  std::uint64_t cell_size = 1;  // bytes for RLE: the whole cell of fixed data, one value of variable data
  bool chained = true;          // chains_filter_types(writer)
  bool dates = true;            // filters_dates(fragment version)
};

struct PlanStep {
  FilterStep filter;
  TypeId type = TypeId::uint8;  // int8..int64, uint8..uint64, float32, float64: how elements are read
  std::uint32_t element_size = 1;
};

// Immutable and shared by threads. `key` is set when AES is the last step.
struct FilterPlan {
  std::vector<PlanStep> steps;  // in writing order
  std::uint64_t cell_size = 1;
  std::shared_ptr<const codec::AesKey> key;
};

// Throws unsupported for a filter that cannot act on the type or that no reader supports, and invalid_argument when the
// pipeline lists AES and there is no key. With a key, AES is appended unless the pipeline lists it already.
FilterPlan make_plan(const Pipeline& pipeline, const FilterInput& input, std::shared_ptr<const codec::AesKey> key);

// Whether the first filter is one that can store cell boundaries.
bool may_carry_offsets(const FilterPlan& plan);

}  // namespace tegula::tiledb
