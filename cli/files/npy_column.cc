#include "files/npy_column.h"

#include <algorithm>

#include "base/endian.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "files/npy.h"

namespace tegula::cli {

NpyColumn::NpyColumn(const Column& like, std::shared_ptr<SpoolSpace> space)
    : name_(like.name), text_(like.var()), cells_(std::move(space)) {
  if (const auto layout = npy_layout(like)) {
    type_ = layout->type;
    axes_ = layout->shape;
    return;
  }
  if (!npy_text(like.type.id))
    fail(ErrorKind::unsupported, "field '{}' has cells of variable length, which numpy files cannot hold; use --json",
         like.name);
}

void NpyColumn::add(const Column& column, std::uint64_t first, std::uint64_t count) {
  count_ += count;
  if (!text_) {
    const std::uint64_t size = column.cell_size();
    return cells_.append(ByteView(column.data).subspan(first * size, count * size));
  }
  Bytes out;
  const auto put = [&](std::uint32_t number) {
    out.resize(out.size() + 4);
    store_le(out.data() + out.size() - 4, number);
  };
  for (std::uint64_t i = first; i < first + count; ++i) {
    const auto points = decode_utf8(column.valid(i) ? text_of(column.cell(i)) : std::string_view());
    if (!points) fail(ErrorKind::unsupported, "field '{}' holds bytes that are no text; use --json", name_);
    longest_ = std::max<std::uint64_t>(longest_, points->size());
    put(static_cast<std::uint32_t>(points->size()));
    for (const std::uint32_t point : *points) put(point);
  }
  cells_.append(out);
}

std::string NpyColumn::header(std::vector<std::uint64_t> shape) const {
  shape.insert(shape.end(), axes_.begin(), axes_.end());
  return npy_header(text_ ? Datatype(TypeId::unicode, static_cast<std::uint32_t>(longest_ * 4)) : type_, shape);
}

std::uint64_t NpyColumn::bytes() const { return text_ ? count_ * longest_ * 4 : cells_.size(); }

void NpyColumn::each(const std::function<void(ByteView piece)>& take) const {
  if (!text_) return cells_.each(take);
  constexpr std::uint64_t kPiece = 1 << 18;
  Bytes out;
  cells_.each([&](ByteView cells) {  // whole cells
    for (std::size_t at = 0; at < cells.size();) {
      const std::size_t size = std::size_t{load_le<std::uint32_t>(cells.data() + at)} * 4;
      const ByteView points = cells.subspan(at + 4, size);
      out.insert(out.end(), points.begin(), points.end());
      out.insert(out.end(), longest_ * 4 - size, std::byte{0});
      at += 4 + size;
      if (out.size() < kPiece) continue;
      take(out);
      out.clear();
    }
  });
  if (!out.empty()) take(out);
}

}  // namespace tegula::cli
