// Statistics: how many submits of queries have run, and how long they took. libtiledb knows hundreds of other figures,
// which the engine does not have.
#pragma once

#include <cstdint>

namespace tegula::capi {

// Counts what happens while it lives, if statistics are on.
class Counted {
 public:
  explicit Counted(bool write);
  ~Counted();
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const bool write_;
  const std::int64_t begun_;
};

}  // namespace tegula::capi
