// The end of a file whose size is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/store.h"

namespace tegula {

struct Tail {
  Bytes bytes;             // the last ones
  std::uint64_t size = 0;  // of the file
};

// A store that gives it with one request.
class TailStore : public Store {
 public:
  virtual std::optional<Tail> tail(std::string_view key, std::uint64_t most) const = 0;
};

// At most `most` bytes; none when the file is absent. Other stores are asked for the size first.
std::optional<Tail> read_tail(const Store& store, std::string_view key, std::uint64_t most);

}  // namespace tegula
