// Writes the part of FlatBuffers that Arrow files need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

// Builds a buffer back to front: add what is referred to before what refers to it. A Place is a distance from the end.
class FlatBuilder {
 public:
  using Place = std::uint32_t;

  struct Slot {
    std::uint16_t index;
    std::uint8_t size;    // 1, 2, 4 or 8 bytes
    std::uint64_t value;  // or the place referred to
    bool reference = false;
  };
  static Slot u8(std::uint16_t index, std::uint64_t value) { return {index, 1, value}; }
  static Slot i16(std::uint16_t index, std::uint64_t value) { return {index, 2, value}; }
  static Slot i32(std::uint16_t index, std::uint64_t value) { return {index, 4, value}; }
  static Slot i64(std::uint16_t index, std::uint64_t value) { return {index, 8, value}; }
  static Slot to(std::uint16_t index, Place place) { return {index, 4, place, true}; }

  Place text(std::string_view value);
  Place references(std::span<const Place> places);
  // Structs of 64-bit words, laid out one after the other.
  Place structs(std::span<const std::uint64_t> words, std::uint32_t count);
  Place table(std::span<const Slot> slots);
  // The finished buffer, a multiple of 8 bytes.
  std::string finish(Place root);

 private:
  void put(std::uint64_t value, unsigned size);
  void align(unsigned size, unsigned after = 0);
  Place place() const { return static_cast<Place>(reversed_.size()); }
  std::string reversed_;
};

}  // namespace tegula
