#include "picture/canvas.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/fail.h"

namespace tegula {

namespace {

// Rows of five points, the first one the highest bit of five.
struct Glyph {
  char letter;
  std::uint8_t rows[7];
};
constexpr Glyph kGlyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},       {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'.', {0, 0, 0, 0, 0, 12, 12}},      {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {':', {0, 12, 12, 0, 12, 12, 0}},    {'_', {0, 0, 0, 0, 0, 0, 31}},
    {'/', {0, 1, 2, 4, 8, 16, 0}},       {'(', {2, 4, 8, 8, 8, 4, 2}},        {')', {8, 4, 2, 2, 2, 4, 8}},
    {'a', {14, 17, 17, 31, 17, 17, 17}}, {'b', {30, 17, 17, 30, 17, 17, 30}}, {'c', {14, 17, 16, 16, 16, 17, 14}},
    {'d', {28, 18, 17, 17, 17, 18, 28}}, {'e', {31, 16, 16, 30, 16, 16, 31}}, {'f', {31, 16, 16, 30, 16, 16, 16}},
    {'g', {14, 17, 16, 23, 17, 17, 15}}, {'h', {17, 17, 17, 31, 17, 17, 17}}, {'i', {14, 4, 4, 4, 4, 4, 14}},
    {'j', {7, 2, 2, 2, 2, 18, 12}},      {'k', {17, 18, 20, 24, 20, 18, 17}}, {'l', {16, 16, 16, 16, 16, 16, 31}},
    {'m', {17, 27, 21, 21, 17, 17, 17}}, {'n', {17, 17, 25, 21, 19, 17, 17}}, {'o', {14, 17, 17, 17, 17, 17, 14}},
    {'p', {30, 17, 17, 30, 16, 16, 16}}, {'q', {14, 17, 17, 17, 21, 18, 13}}, {'r', {30, 17, 17, 30, 20, 18, 17}},
    {'s', {15, 16, 16, 14, 1, 1, 30}},   {'t', {31, 4, 4, 4, 4, 4, 4}},       {'u', {17, 17, 17, 17, 17, 17, 14}},
    {'v', {17, 17, 17, 17, 17, 10, 4}},  {'w', {17, 17, 17, 21, 21, 21, 10}}, {'x', {17, 17, 10, 4, 10, 17, 17}},
    {'y', {17, 17, 17, 10, 4, 4, 4}},    {'z', {31, 1, 2, 4, 8, 16, 31}},
};

void append_be(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

void append_chunk(std::string& out, std::string_view kind, std::string_view data) {
  append_be(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out += kind;
  out += data;
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(out.data() + start), out.size() - start);
  append_be(out, static_cast<std::uint32_t>(crc));
}

}  // namespace

Colour heat(double t) {
  constexpr double kStops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = std::clamp(t, 0.0, 1.0) * 4;
  const int low = std::min(3, static_cast<int>(at));
  Colour out{};
  for (int i = 0; i < 3; ++i)
    out[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(kStops[low][i] + (kStops[low + 1][i] - kStops[low][i]) * (at - low));
  return out;
}

Canvas::Canvas(int width, int height, Colour background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  fill(0, 0, width, height, background);
}

void Canvas::point(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  std::copy(colour.begin(), colour.end(), pixels_.begin() + (static_cast<std::ptrdiff_t>(y) * width_ + x) * 3);
}

void Canvas::line(int x0, int y0, int x1, int y1, Colour colour) {
  const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
  for (int i = 0; i <= steps; ++i) point(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, colour);
}

void Canvas::fill(int x, int y, int width, int height, Colour colour) {
  for (int row = y; row < y + height; ++row)
    for (int column = x; column < x + width; ++column) point(column, row, colour);
}

void Canvas::text(int x, int y, std::string_view text, Colour colour) {
  for (const char c : text) {
    const char letter = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    for (const Glyph& glyph : kGlyphs) {
      if (glyph.letter != letter) continue;
      for (int row = 0; row < 7; ++row)
        for (int column = 0; column < 5; ++column)
          if (glyph.rows[row] >> (4 - column) & 1) point(x + column, y + row, colour);
    }
    x += 6;
  }
}

std::string Canvas::png() const {
  const std::size_t row = static_cast<std::size_t>(width_) * 3;
  std::string raw;
  raw.reserve((row + 1) * static_cast<std::size_t>(height_));
  for (int y = 0; y < height_; ++y) {
    raw += '\0';
    raw.append(reinterpret_cast<const char*>(pixels_.data()) + static_cast<std::size_t>(y) * row, row);
  }
  uLongf size = compressBound(raw.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), raw.size(),
                6) != Z_OK)
    fail(ErrorKind::io, "the picture could not be compressed");
  packed.resize(size);
  std::string head;
  append_be(head, static_cast<std::uint32_t>(width_));
  append_be(head, static_cast<std::uint32_t>(height_));
  head += std::string_view("\x08\x02\0\0\0", 5);
  std::string out("\x89PNG\r\n\x1a\n", 8);
  append_chunk(out, "IHDR", head);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace tegula
