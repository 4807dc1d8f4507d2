#include "arrow/flat_builder.h"

#include <algorithm>

namespace tegula {

void FlatBuilder::put(std::uint64_t value, unsigned size) {
  for (unsigned i = size; i-- > 0;) reversed_ += static_cast<char>(value >> (8 * i));
}

// Zeros until `after` more bytes end at a multiple of `size`.
void FlatBuilder::align(unsigned size, unsigned after) {
  while ((reversed_.size() + after) % size != 0) reversed_ += '\0';
}

FlatBuilder::Place FlatBuilder::text(std::string_view value) {
  align(4, static_cast<unsigned>(value.size() + 1));
  reversed_ += '\0';
  reversed_.append(value.rbegin(), value.rend());
  put(value.size(), 4);
  return place();
}

FlatBuilder::Place FlatBuilder::references(std::span<const Place> places) {
  align(4);
  for (std::size_t i = places.size(); i-- > 0;) put(place() + 4 - places[i], 4);
  put(places.size(), 4);
  return place();
}

FlatBuilder::Place FlatBuilder::structs(std::span<const std::uint64_t> words, std::uint32_t count) {
  align(8);
  for (std::size_t i = words.size(); i-- > 0;) put(words[i], 8);
  put(count, 4);
  return place();
}

FlatBuilder::Place FlatBuilder::table(std::span<const Slot> slots) {
  const Place end = place();
  std::uint16_t entries = 0;
  for (const Slot& slot : slots) entries = std::max<std::uint16_t>(entries, static_cast<std::uint16_t>(slot.index + 1));
  std::vector<Place> at(entries, 0);
  for (const Slot& slot : slots) {
    align(slot.size);
    put(slot.reference ? place() + 4 - slot.value : slot.value, slot.size);
    at[slot.index] = place();
  }
  align(4);
  put(0, 4);
  const Place start = place();
  for (std::size_t i = entries; i-- > 0;) put(at[i] ? start - at[i] : 0, 2);
  put(start - end, 2);
  put(4 + 2 * std::uint64_t{entries}, 2);
  // The table begins with the distance to its list of slots, which is known only now.
  const std::uint32_t distance = place() - start;
  for (unsigned i = 0; i < 4; ++i) reversed_[start - 1 - i] = static_cast<char>(distance >> (8 * i));
  return start;
}

std::string FlatBuilder::finish(Place root) {
  align(8, 4);
  put(place() + 4 - root, 4);
  return std::string(reversed_.rbegin(), reversed_.rend());
}

}  // namespace tegula
