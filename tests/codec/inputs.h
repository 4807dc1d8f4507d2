// Inputs and checks shared by the codec tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/error.h"

namespace tegula::codec {

// "78 9c 03": spaces are ignored.
inline Bytes from_hex(std::string_view hex) {
  Bytes out;
  std::string digits;
  for (char c : hex)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return out;
}

inline std::string to_hex(ByteView bytes) {
  std::string out;
  for (std::byte b : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[std::to_integer<std::size_t>(b) >> 4];
    out += kDigits[std::to_integer<std::size_t>(b) & 15];
  }
  return out;
}

struct Input {
  std::string name;
  Bytes data;
};

template <class F>
Bytes make_bytes(std::size_t n, F value) {
  Bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::byte>(value(i));
  return out;
}

inline Bytes random_bytes(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  return make_bytes(n, [&](std::size_t) { return random() & 0xff; });
}

// Slowly varying float32 values, as measurements are.
inline Bytes smooth_floats(std::size_t n) {
  Bytes out(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<float>(std::lround(1000 * std::sin(0.001 * static_cast<double>(i)))) / 16;
    std::memcpy(out.data() + 4 * i, &v, 4);
  }
  return out;
}

inline Bytes sorted_ints(std::size_t n) {
  Bytes out(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::uint32_t>(i * 7 + i / 3);
    std::memcpy(out.data() + 4 * i, &v, 4);
  }
  return out;
}

// What every codec must bring back. Sizes are rounded down to multiples of `unit`, for codecs of fixed cells.
inline std::vector<Input> inputs(std::size_t unit = 1) {
  std::vector<Input> all;
  all.push_back({"empty", {}});
  all.push_back({"one byte", make_bytes(1, [](std::size_t) { return 0x41; })});
  all.push_back({"three bytes", make_bytes(3, [](std::size_t i) { return i; })});
  all.push_back({"constant", make_bytes(20000, [](std::size_t) { return 7; })});
  all.push_back({"zeros", make_bytes(70000, [](std::size_t) { return 0; })});
  all.push_back({"random", random_bytes(10007, 1)});
  all.push_back({"random, then zeros", random_bytes(3000, 2)});
  all.back().data.resize(9000, std::byte{0});
  all.push_back({"sorted", sorted_ints(5000)});
  all.push_back({"smooth", smooth_floats(4096)});
  all.push_back({"two values", make_bytes(4099, [](std::size_t i) { return (i * i / 3) & 1; })});
  all.push_back({"period 3", make_bytes(5000, [](std::size_t i) { return i % 3; })});
  all.push_back({"period 300", make_bytes(66000, [](std::size_t i) { return i % 300; })});
  // Repeats at a distance beyond 8 KiB and 64 KiB, where match offsets change their coding.
  Bytes far = random_bytes(40000, 3);
  far.insert(far.end(), far.begin(), far.begin() + 30000);
  far.resize(110000, std::byte{1});
  far.insert(far.end(), far.begin(), far.begin() + 5000);
  all.push_back({"far repeats", std::move(far)});
  for (Input& input : all) input.data.resize(input.data.size() / unit * unit);
  return all;
}

inline bool same(ByteView a, ByteView b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace tegula::codec
