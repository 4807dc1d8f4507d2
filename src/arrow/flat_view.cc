#include "arrow/flat_view.h"

namespace tegula {

FlatTable::FlatTable(const FlatView& view, std::uint64_t at) : view_(&view), at_(at) {
  // The list of slots lies before or behind its table.
  const std::int64_t slots = static_cast<std::int64_t>(at) - view.read<std::int32_t>(at);
  if (slots < 0) view.cursor(at).fail("a FlatBuffer table says that its slots begin before the buffer");
  slots_ = static_cast<std::uint64_t>(slots);
  slot_bytes_ = view.read<std::uint16_t>(slots_);
}

std::uint64_t FlatTable::place(unsigned slot) const {
  const std::uint64_t entry = 4 + 2 * std::uint64_t{slot};
  if (entry + 2 > slot_bytes_) return 0;
  const std::uint16_t distance = view_->read<std::uint16_t>(slots_ + entry);
  return distance ? at_ + distance : 0;
}

std::optional<FlatTable> FlatTable::table(unsigned slot) const {
  const std::uint64_t at = place(slot);
  if (!at) return std::nullopt;
  return FlatTable(*view_, follow(at));
}

std::string FlatTable::text(unsigned slot) const {
  const std::uint64_t at = place(slot);
  if (!at) return {};
  Cursor in = view_->cursor(follow(at));
  const std::uint32_t length = in.read<std::uint32_t>();
  return in.string(length, "a name");
}

FlatTable::List FlatTable::list(unsigned slot, std::uint64_t item) const {
  const std::uint64_t at = place(slot);
  if (!at) return {};
  const std::uint64_t start = follow(at);
  Cursor in = view_->cursor(start);
  const std::uint64_t count = in.count<std::uint32_t>(item, "items of a FlatBuffer list");
  return {count, start + 4};
}

FlatTable FlatTable::item(const List& list, std::uint64_t i) const {
  return FlatTable(*view_, follow(list.at + 4 * i));
}

}  // namespace tegula
