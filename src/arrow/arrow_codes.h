// Numbers of the Arrow IPC format, for its reader and its writer. https://arrow.apache.org/docs/format/Columnar.html
#pragma once

#include <cstdint>
#include <string_view>

namespace tegula::arrow {

// The first bytes of a file.
inline constexpr std::string_view kMagic("ARROW1\0\0", 8);

// Members of the union Type.
enum Type : std::uint8_t {
  kInt = 2,
  kFloat = 3,
  kBinary = 4,
  kUtf8 = 5,
  kBool = 6,
  kDate = 8,
  kTimestamp = 10,
  kList = 12,
  kFixedBinary = 15,
  kFixedList = 16,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeUtf8 = 20,
  kLargeList = 21
};

// Members of the union MessageHeader.
enum MessageHeader : std::uint8_t { kSchema = 1, kDictionary = 2, kRecordBatch = 3 };

}  // namespace tegula::arrow
