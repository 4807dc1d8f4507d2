#include "format/zarr/codec/codec_chain.h"

#include <algorithm>

#include "base/endian.h"
#include "base/fail.h"
#include "format/zarr/codec/cell_positions.h"
#include "format/zarr/codec/json2.h"
#include "format/zarr/codec/sharding.h"
#include "format/zarr/codec/variable_cells.h"
#include "model/strided.h"

namespace tegula::zarr {

namespace {

// Larger chunks get their memory while they are decoded rather than before, so that damaged metadata cannot make us
// allocate what the file cannot fill.
constexpr std::uint64_t kTrustedSize = std::uint64_t{1} << 30;
// The limit for the decoded size of cells of any length.
constexpr std::uint64_t kLargestVar = std::uint64_t{1} << 32;

Shape permuted(const Shape& shape, const std::vector<std::uint32_t>& permutation) {
  if (permutation.empty()) return shape;
  Shape out;
  for (const std::uint32_t axis : permutation) out.push_back(shape[axis]);
  return out;
}

std::vector<std::optional<std::uint64_t>> sizes_before(std::span<const ByteStep> steps,
                                                       std::optional<std::uint64_t> raw) {
  std::vector<std::optional<std::uint64_t>> sizes{raw};
  for (const ByteStep& step : steps) {
    const auto& last = sizes.back();
    sizes.push_back(last && step.encoded_size ? std::optional(step.encoded_size(*last)) : std::nullopt);
  }
  return sizes;
}

std::uint64_t limit_of(std::optional<std::uint64_t> raw) { return raw ? 2 * *raw + 65536 : kLargestVar; }

void check_size(std::uint64_t found, std::uint64_t expected) {
  if (found != expected) fail(ErrorKind::corrupt, "the chunk decodes to {} bytes, expected {}", found, expected);
}

// Decodes all steps but the first `keep`. The result is a view of `file` or of one of the two buffers.
ByteView undo_steps(std::span<const ByteStep> steps, std::size_t keep, ByteView file, std::optional<std::uint64_t> raw,
                    Bytes& a, Bytes& b) {
  const auto sizes = sizes_before(steps, raw);
  if (sizes.back()) check_size(file.size(), *sizes.back());
  ByteView current = file;
  for (std::size_t k = steps.size(); k-- > keep;) {
    b.clear();
    steps[k].decode(current, b, sizes[k].value_or(limit_of(raw)));
    if (sizes[k]) check_size(b.size(), *sizes[k]);
    std::swap(a, b);
    current = a;
  }
  return current;
}

// The serialized cells, without permutation and swap.
void decode_serialized(const CodecChain& chain, ByteView file, MutableBytes out) {
  Bytes a, b;
  if (!chain.steps.empty() && chain.steps[0].decode_exact && out.size() <= kTrustedSize) {
    const ByteView current = undo_steps(chain.steps, 1, file, out.size(), a, b);
    return chain.steps[0].decode_exact(current, out);
  }
  const ByteView current = undo_steps(chain.steps, 0, file, out.size(), a, b);
  std::copy(current.begin(), current.end(), out.begin());
}

// Strides in the serialized chunk, by axis of the chunk.
std::vector<std::int64_t> chunk_strides(const Shape& shape, const std::vector<std::uint32_t>& permutation,
                                        std::size_t item) {
  const std::vector<std::int64_t> serialized = contiguous_strides(permuted(shape, permutation), item);
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t a = 0; a < permutation.size(); ++a) out[permutation[a]] = serialized[a];
  return out;
}

struct Number {
  std::size_t offset, size;
};

void numbers_of(const Datatype& type, std::size_t at, std::vector<Number>& out) {
  const std::size_t elements = type.size ? type.full_size() / type.size : 0;
  for (std::size_t e = 0; e < elements; ++e, at += type.size) {
    switch (type.id) {
      case TypeId::record:
        for (const Field& field : *type.fields) numbers_of(field.type, at + field.offset, out);
        break;
      case TypeId::bytes:
      case TypeId::raw:
        break;
      case TypeId::unicode:
        for (std::size_t i = 0; i < type.size; i += 4) out.push_back({at + i, 4});
        break;
      case TypeId::complex64:
      case TypeId::complex128:
        out.push_back({at, type.size / 2});
        out.push_back({at + type.size / 2, type.size / 2});
        break;
      default:
        if (type.size > 1) out.push_back({at, type.size});
    }
  }
}

}  // namespace

void swap_cells(MutableBytes cells, const Datatype& type) {
  std::vector<Number> numbers;
  numbers_of(type, 0, numbers);
  const std::size_t item = type.full_size();
  for (std::size_t at = 0; at + item <= cells.size(); at += item) {
    for (const Number& number : numbers) {
      std::byte* p = cells.data() + at + number.offset;
      if (number.size == 2) store(p, swap_bytes(load<std::uint16_t>(p)));
      if (number.size == 4) store(p, swap_bytes(load<std::uint32_t>(p)));
      if (number.size == 8) store(p, swap_bytes(load<std::uint64_t>(p)));
    }
  }
}

Bytes decode_steps(std::span<const ByteStep> steps, ByteView file, std::optional<std::uint64_t> raw) {
  Bytes a, b;
  const ByteView current = undo_steps(steps, 0, file, raw, a, b);
  if (raw) check_size(current.size(), *raw);
  return steps.empty() ? copy_of(current) : std::move(a);
}

Bytes encode_steps(std::span<const ByteStep> steps, ByteView raw) {
  if (steps.empty()) return copy_of(raw);
  Bytes current, next;
  for (const ByteStep& step : steps) {
    next.clear();
    step.encode(raw, next);
    std::swap(current, next);
    raw = current;
  }
  return current;
}

std::optional<std::uint64_t> encoded_size(std::span<const ByteStep> steps, std::uint64_t raw) {
  return sizes_before(steps, raw).back();
}

void decode_chunk(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell, MutableBytes out) {
  const bool swap = chain.swap && chain.serializer == Serializer::bytes;
  auto serialize = [&](MutableBytes into) {
    if (chain.serializer == Serializer::sharding) {
      const Bytes shard = chain.steps.empty() ? Bytes{} : decode_steps(chain.steps, file, std::nullopt);
      decode_shard(*chain.sharding, chain.steps.empty() ? file : ByteView(shard), permuted(shape, chain.permutation),
                   cell, into);
    } else {
      decode_serialized(chain, file, into);
    }
  };
  if (chain.permutation.empty()) {
    serialize(out);
  } else {
    Bytes serialized(out.size());
    serialize(serialized);
    copy_box(out.data(), contiguous_strides(shape, cell.item()), serialized.data(),
             chunk_strides(shape, chain.permutation, cell.item()), shape, cell.item());
  }
  if (swap) swap_cells(out, cell.type);
}

bool decodes_ranges(const CodecChain& chain) {
  return chain.plain() && (chain.steps.empty() || chain.steps[0].decode_range);
}

void decode_range(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell, std::uint64_t first,
                  MutableBytes out) {
  const std::uint64_t raw = cell_count(shape) * cell.item(), offset = first * cell.item();
  Bytes a, b;
  if (chain.steps.empty()) {
    check_size(file.size(), raw);
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return;
  }
  chain.steps[0].decode_range(undo_steps(chain.steps, 1, file, raw, a, b), raw, offset, out);
}

Bytes encode_chunk(const CodecChain& chain, ByteView cells, const Shape& shape, const CellType& cell) {
  Bytes serialized;
  ByteView current = cells;
  if (!chain.permutation.empty()) {
    serialized.resize(cells.size());
    copy_box(serialized.data(), chunk_strides(shape, chain.permutation, cell.item()), cells.data(),
             contiguous_strides(shape, cell.item()), shape, cell.item());
    current = serialized;
  }
  if (chain.serializer == Serializer::sharding) {
    serialized = encode_shard(*chain.sharding, current, permuted(shape, chain.permutation), cell);
    current = serialized;
  } else if (chain.swap) {
    if (chain.permutation.empty()) serialized = copy_of(cells);
    swap_cells(serialized, cell.type);
    current = serialized;
  }
  return encode_steps(chain.steps, current);
}

VariableCells decode_variable(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell) {
  const Bytes raw = decode_steps(chain.steps, file, std::nullopt);
  VariableCells items;
  switch (chain.serializer) {
    case Serializer::sharding:
      items = decode_variable_shard(*chain.sharding, raw, permuted(shape, chain.permutation), cell);
      break;
    case Serializer::json:
      items = decode_json2(raw, cell_count(shape));
      break;
    default:
      items = codec::numcodecs::vlen_decode(raw, cell_count(shape));
  }
  if (chain.permutation.empty()) return items;
  return pick_cells(items, inverse(permuted_positions(shape, chain.permutation)));
}

Bytes encode_variable(const CodecChain& chain, const VariableCells& items, const Shape& shape, const CellType& cell) {
  const VariableCells* source = &items;
  VariableCells moved;
  if (!chain.permutation.empty()) {
    moved = pick_cells(items, permuted_positions(shape, chain.permutation));
    source = &moved;
  }
  Bytes raw;
  if (chain.serializer == Serializer::sharding) {
    raw = encode_variable_shard(*chain.sharding, *source, permuted(shape, chain.permutation), cell);
  } else if (chain.serializer == Serializer::variable) {
    raw = codec::numcodecs::vlen_encode(source->data, source->offsets);
  } else {
    fail(ErrorKind::unsupported, "arrays of JSON objects can be read, not written");
  }
  return encode_steps(chain.steps, raw);
}

}  // namespace tegula::zarr
