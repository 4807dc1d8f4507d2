// The bytes around the members of a new zip archive.
#pragma once

#include <cstdint>
#include <string_view>

#include "tegula/bytes.h"

namespace tegula {

// Call begin_member() for each member and write what it returns, then the bytes of the member; at the end write what
// end() returns. Members are stored. Fields of zip64 are used where a number needs them. What is returned is valid
// until the next call.
class ZipEncoder {
 public:
  ByteView begin_member(std::string_view name, std::uint64_t size, std::uint32_t crc);
  ByteView end();

 private:
  Bytes header_;
  Bytes directory_;
  std::uint64_t at_ = 0;  // bytes of the archive so far
  std::uint64_t entries_ = 0;
};

}  // namespace tegula
