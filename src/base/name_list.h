// Names in messages.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <ranges>
#include <string>

namespace tegula {

// "'a', 'b'"; of many names the first ones, and how many there are besides.
template <std::ranges::input_range Names>
std::string name_list(const Names& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  std::size_t count = 0;
  for (const auto& name : names)
    if (count++ < kMost) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  return text;
}

}  // namespace tegula
