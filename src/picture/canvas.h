// Pictures: a raster with lines, text and colour maps, written as PNG.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

using Colour = std::array<std::uint8_t, 3>;

// A perceptually even map from dark blue to yellow for t in 0 .. 1.
Colour heat(double t);

class Canvas {
 public:
  Canvas(int width, int height, Colour background = {255, 255, 255});
  int width() const { return width_; }
  int height() const { return height_; }
  // Points outside are ignored.
  void point(int x, int y, Colour colour);
  void line(int x0, int y0, int x1, int y1, Colour colour);
  void fill(int x, int y, int width, int height, Colour colour);
  // Letters of 5 by 7 points, 6 apart: digits, capitals, and what numbers need.
  void text(int x, int y, std::string_view text, Colour colour = {0, 0, 0});
  static int text_width(std::string_view text) { return static_cast<int>(text.size()) * 6; }
  // The whole PNG file.
  std::string png() const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace tegula
