#include "query/columns/gather.h"

#include <algorithm>
#include <cstring>

#include "base/fail.h"
#include "query/columns/copy_picked.h"
#include "tegula/query.h"

namespace tegula {
namespace {

// Keeps the cells whose mask byte is set. Writes one cell past the last kept one, so that the loop needs no branch.
void compact(const std::byte* from, std::uint64_t size, std::span<const std::uint8_t> mask, std::uint64_t kept,
             Bytes& to) {
  const std::size_t at = to.size();
  to.resize(at + (kept + 1) * size);
  std::byte* out = to.data() + at;
  with_cell_size(size, [&]<std::size_t Size>() {
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const std::uint64_t width = Size ? Size : size;
      if constexpr (Size != 0) {
        std::memcpy(out, from + i * Size, Size);
        out += Size * (mask[i] != 0);
      } else if (mask[i]) {
        std::memcpy(out, from + i * width, width);
        out += width;
      }
    }
  });
  to.resize(at + kept * size);
}

void gather_fixed(const std::byte* from, std::uint64_t size, std::span<const std::uint64_t> indices, Bytes& to) {
  const std::size_t at = to.size();
  to.resize(at + indices.size() * size);
  copy_picked(from, size, indices, to.data() + at);
}

void begin_offsets(Column& to) {
  if (to.offsets.empty()) to.offsets.push_back(to.data.size());
}

void append_bytes(Bytes& to, const std::byte* from, std::uint64_t size) {
  const std::size_t at = to.size();
  to.resize(at + size);
  if (size) std::memcpy(to.data() + at, from, size);
}

// Cells that come without validity are valid.
void append_validity(Column& to, std::uint64_t before, std::uint64_t added) {
  if (to.validity.size() < before + added) to.validity.resize(before + added, std::byte{1});
}

}  // namespace

Column empty_column(const FieldInfo& field) {
  Column column;
  column.name = field.name;
  column.type = field.type;
  column.values_per_cell = field.values_per_cell;
  column.nullable = field.nullable;
  if (column.var()) column.offsets.push_back(0);
  return column;
}

Column empty_like(const Column& like) {
  Column column;
  column.name = like.name;
  column.type = like.type;
  column.values_per_cell = like.values_per_cell;
  column.nullable = like.nullable;
  if (column.var()) column.offsets.push_back(0);
  return column;
}

void append(Column& to, const Column& from, std::uint64_t first, std::uint64_t count) {
  if (to.var()) {
    begin_offsets(to);
    if (count) {
      const std::uint64_t begin = from.offsets[first], base = to.data.size();
      append_bytes(to.data, from.data.data() + begin, from.offsets[first + count] - begin);
      const std::size_t at = to.offsets.size();
      to.offsets.resize(at + count);
      for (std::uint64_t i = 0; i < count; ++i) to.offsets[at + i] = from.offsets[first + i + 1] - begin + base;
    }
  } else {
    append_bytes(to.data, from.data.data() + first * to.cell_size(), count * to.cell_size());
  }
  if (to.nullable) {
    if (from.nullable)
      append_bytes(to.validity, from.validity.data() + first, count);
    else
      append_validity(to, to.validity.size(), count);
  }
}

void append(Column& to, const Column& from) { append(to, from, 0, from.cells()); }

void append_masked(Column& to, const Column& from, std::uint64_t first, std::span<const std::uint8_t> mask) {
  if (to.var()) {
    Buffer<std::uint64_t> indices;
    set_indices(mask, first, indices);
    return append_gathered(to, from, indices);
  }
  const std::uint64_t kept = count_set(mask);
  compact(from.data.data() + first * to.cell_size(), to.cell_size(), mask, kept, to.data);
  if (to.nullable) {
    if (from.nullable)
      compact(from.validity.data() + first, 1, mask, kept, to.validity);
    else
      append_validity(to, to.validity.size(), kept);
  }
}

void append_gathered(Column& to, const Column& from, std::span<const std::uint64_t> indices) {
  if (to.var()) {
    begin_offsets(to);
    std::uint64_t total = 0;
    for (const std::uint64_t i : indices) total += from.offsets[i + 1] - from.offsets[i];
    std::uint64_t at = to.data.size();
    to.data.resize(at + total);
    to.offsets.reserve(to.offsets.size() + indices.size());
    for (const std::uint64_t i : indices) {
      const std::uint64_t size = from.offsets[i + 1] - from.offsets[i];
      if (size) std::memcpy(to.data.data() + at, from.data.data() + from.offsets[i], size);
      to.offsets.push_back(at += size);
    }
  } else {
    gather_fixed(from.data.data(), to.cell_size(), indices, to.data);
  }
  if (to.nullable) {
    if (from.nullable)
      gather_fixed(from.validity.data(), 1, indices, to.validity);
    else
      append_validity(to, to.validity.size(), indices.size());
  }
}

void append_fill(Column& to, ByteView cell, bool valid, std::uint64_t count) {
  if (to.var()) begin_offsets(to);
  const std::size_t at = to.data.size();
  to.data.resize(at + cell.size() * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!cell.empty()) std::memcpy(to.data.data() + at + i * cell.size(), cell.data(), cell.size());
    if (to.var()) to.offsets.push_back(at + (i + 1) * cell.size());
  }
  if (to.nullable) to.validity.resize(to.validity.size() + count, std::byte{valid});
}

Column slice(const Column& column, std::uint64_t first, std::uint64_t count) {
  Column out = empty_like(column);
  append(out, column, first, count);
  return out;
}

Column filter(const Column& column, std::span<const std::uint8_t> mask) {
  Column out = empty_like(column);
  append_masked(out, column, 0, mask);
  return out;
}

Column gather(const Column& column, std::span<const std::uint64_t> indices) {
  Column out = empty_like(column);
  append_gathered(out, column, indices);
  return out;
}

void fill_unmatched(Column& column, std::span<const std::uint8_t> mask, ByteView fill, bool fill_valid) {
  if (column.var()) {
    Column out = empty_like(column);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i])
        append(out, column, i, 1);
      else
        append_fill(out, fill, fill_valid, 1);
    }
    column = std::move(out);
    return;
  }
  const std::uint64_t size = column.cell_size();
  if (fill.size() != size)
    fail(ErrorKind::invalid_argument, "the fill value of field '{}' has {} bytes, its cells have {}", column.name,
         fill.size(), size);
  with_cell_size(size, [&]<std::size_t Size>() {
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (!mask[i]) std::memcpy(column.data.data() + i * size, fill.data(), Size ? Size : size);
  });
  if (column.nullable)
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (!mask[i]) column.validity[i] = std::byte{fill_valid};
}

Batch slice(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  Batch out;
  out.cells = count;
  for (const Column& column : batch.columns) out.columns.push_back(slice(column, first, count));
  return out;
}

Batch filter(const Batch& batch, std::span<const std::uint8_t> mask) {
  Batch out;
  out.cells = count_set(mask);
  for (const Column& column : batch.columns) out.columns.push_back(filter(column, mask));
  return out;
}

void append(Batch& to, const Batch& from) {
  if (to.columns.size() != from.columns.size())
    fail(ErrorKind::invalid_argument, "batches of {} and {} columns cannot be joined", to.columns.size(),
         from.columns.size());
  for (std::size_t i = 0; i < to.columns.size(); ++i) append(to.columns[i], from.columns[i]);
  to.cells += from.cells;
  if (!to.shape) return;
  const bool alike = from.shape && !to.shape->empty() && from.shape->size() == to.shape->size() &&
                     std::equal(to.shape->begin() + 1, to.shape->end(), from.shape->begin() + 1);
  if (alike)
    to.shape->front() += from.shape->front();
  else
    to.shape.reset();
}

std::uint64_t count_set(std::span<const std::uint8_t> mask) {
  std::uint64_t count = 0;
  for (const std::uint8_t m : mask) count += m != 0;
  return count;
}

void set_indices(std::span<const std::uint8_t> mask, std::uint64_t base, Buffer<std::uint64_t>& out) {
  const std::size_t at = out.size();
  out.resize(at + mask.size());
  std::size_t kept = at;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    out[kept] = base + i;
    kept += mask[i] != 0;
  }
  out.resize(kept);
}

Batch collect(BatchStream& stream) {
  std::optional<Batch> all = stream.next();
  if (!all) return {};
  while (const std::optional<Batch> more = stream.next()) append(*all, *more);
  return std::move(*all);
}

}  // namespace tegula
