// Selecting, slicing and joining the cells of columns.
#pragma once

#include <cstdint>
#include <span>

#include "query/columns/field.h"
#include "tegula/columns.h"

namespace tegula {

// A column of the field's type without cells.
Column empty_column(const FieldInfo& field);
// Name, type and nullability of `like`, no cells.
Column empty_like(const Column& like);

// Appends cells first .. first + count of `from`; types must agree. Offsets of variable cells continue from the end of
// `to`.
void append(Column& to, const Column& from, std::uint64_t first, std::uint64_t count);
void append(Column& to, const Column& from);
// Appends the cells whose mask byte is not 0; mask[i] is for cell first + i.
void append_masked(Column& to, const Column& from, std::uint64_t first, std::span<const std::uint8_t> mask);
// Appends the cells at `indices`, which must lie inside `from`, in that order, with repetitions.
void append_gathered(Column& to, const Column& from, std::span<const std::uint64_t> indices);
// Appends `count` copies of one cell.
void append_fill(Column& to, ByteView cell, bool valid, std::uint64_t count);

Column slice(const Column& column, std::uint64_t first, std::uint64_t count);
Column filter(const Column& column, std::span<const std::uint8_t> mask);
Column gather(const Column& column, std::span<const std::uint64_t> indices);
// Overwrites the cells whose mask byte is 0.
void fill_unmatched(Column& column, std::span<const std::uint8_t> mask, ByteView fill, bool fill_valid);

Batch slice(const Batch& batch, std::uint64_t first, std::uint64_t count);
Batch filter(const Batch& batch, std::span<const std::uint8_t> mask);
// Appends all cells of a batch with the same columns. Shapes grow along the first axis, or are dropped when they differ
// in another one.
void append(Batch& to, const Batch& from);

std::uint64_t count_set(std::span<const std::uint8_t> mask);
// Indices of the bytes that are not 0, plus `base`.
void set_indices(std::span<const std::uint8_t> mask, std::uint64_t base, Buffer<std::uint64_t>& out);

}  // namespace tegula
