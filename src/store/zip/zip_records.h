// The records of a zip archive, as its specification (APPNOTE 6.3) numbers them.
#pragma once

#include <cstdint>

namespace tegula {

// How each begins.
inline constexpr std::uint32_t kHeaderSign = 0x04034b50, kEntrySign = 0x02014b50, kEndSign = 0x06054b50;
inline constexpr std::uint32_t kLocatorSign = 0x07064b50, kEnd64Sign = 0x06064b50;
// Their bytes, without what varies: entry of the directory, end record, zip64 locator, zip64 end record.
inline constexpr std::uint64_t kEntry = 46, kEnd = 22, kLocator = 20, kEnd64 = 56;
// The extra field that holds numbers of 64 bits. Where one of these is needed, the largest small number stands in its
// place.
inline constexpr std::uint16_t kZip64Field = 0x0001;
inline constexpr std::uint16_t kLarge16 = 0xFFFF;
inline constexpr std::uint32_t kLarge32 = 0xFFFFFFFF;

}  // namespace tegula
