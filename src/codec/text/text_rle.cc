// Runs of equal strings.
//
//   per run: length of the run (R bytes) | length of the string (L bytes) | the string; integers big-endian, R and L
//   1, 2, 4 or 8 bytes, chosen from the longest run and the longest string and kept in the metadata of the chunk.
//
// Arrays below format 12 (ASCII) and 17 (UTF-8) hold byte-wise RLE of the text instead, with offsets of their own.
#include <algorithm>
#include <cstring>

#include "codec/text/text.h"
#include "codec/text/text_parts.h"

namespace tegula::codec {

void text_rle_decode(ByteView in, unsigned run_bytes, unsigned length_bytes, MutableBytes data,
                     std::span<std::uint64_t> offsets) {
  check_width(run_bytes, "text RLE: run lengths");
  check_width(length_bytes, "text RLE: string lengths");
  Cursor cursor(in, "text RLE");
  std::size_t cell = 0, at = 0;
  while (!cursor.done()) {
    const std::uint64_t run = read_wide(cursor, run_bytes);
    const std::uint64_t length = read_wide(cursor, length_bytes);
    const ByteView text = cursor.bytes(length, "a string");
    if (run == 0) cursor.fail("a run of no cells");
    if (run > offsets.size() - cell)
      cursor.fail("a run of {} cells behind {} cells, expected {} in all", run, cell, offsets.size());
    if (length != 0 && run > (data.size() - at) / length)
      cursor.fail("a run of {} strings of {} bytes behind {} bytes, expected {} in all", run, length, at, data.size());
    for (const std::size_t end = cell + run; cell < end; ++cell) {
      offsets[cell] = at;
      if (length != 0) std::memcpy(data.data() + at, text.data(), length);
      at += length;
    }
  }
  if (cell != offsets.size() || at != data.size())
    cursor.fail("{} cells of {} bytes, expected {} of {}", cell, at, offsets.size(), data.size());
}

TextRle text_rle_encode(ByteView data, std::span<const std::uint64_t> offsets, Bytes& out) {
  const TextCells cells(data, offsets);
  const auto for_each_run = [&](auto&& f) {
    for (std::size_t i = 0, next; i < cells.size(); i = next) {
      for (next = i + 1; next < cells.size() && cells[next] == cells[i];) ++next;
      f(cells[i], next - i);
    }
  };
  std::uint64_t longest_run = 0, longest_text = 0;
  for_each_run([&](std::string_view text, std::uint64_t run) {
    longest_run = std::max(longest_run, run);
    longest_text = std::max<std::uint64_t>(longest_text, text.size());
  });
  const TextRle widths{width_for(longest_run), width_for(longest_text)};
  ByteWriter writer(out);
  for_each_run([&](std::string_view text, std::uint64_t run) {
    write_wide(writer, widths.run_bytes, run);
    write_wide(writer, widths.length_bytes, text.size());
    writer.text(text);
  });
  return widths;
}

}  // namespace tegula::codec
