#include "files/npy.h"

#include <algorithm>
#include <limits>

#include "base/cursor.h"
#include "base/fail.h"
#include "model/strided.h"
#include "query/language/int128.h"

namespace tegula::cli {

namespace {

// The value of a key in the header's Python dict, up to the comma that ends it.
std::string_view dict_value(std::string_view dict, std::string_view key, const std::string& name) {
  const std::size_t at = dict.find("'" + std::string(key) + "'");
  const std::size_t colon = at == std::string_view::npos ? at : dict.find(':', at);
  if (colon == std::string_view::npos) fail(ErrorKind::corrupt, "{}: the header has no '{}'", name, key);
  std::size_t end = colon + 1;
  int depth = 0;
  char quote = 0;
  for (; end < dict.size(); ++end) {
    const char c = dict[end];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if (depth == 0 && (c == ',' || c == '}'))
      break;
    else if (c == ')' || c == ']' || c == '}')
      --depth;
  }
  std::string_view value = dict.substr(colon + 1, end - colon - 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  return value;
}

std::vector<std::uint64_t> parse_shape(std::string_view text, const std::string& name) {
  std::vector<std::uint64_t> shape;
  bool digit = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (!digit) shape.push_back(0);
      if (shape.back() > (std::numeric_limits<std::uint64_t>::max() - 9) / 10)
        fail(ErrorKind::corrupt, "{}: the shape {} is too large", name, text);
      shape.back() = shape.back() * 10 + static_cast<std::uint64_t>(c - '0');
    } else if (c == '-') {
      fail(ErrorKind::corrupt, "{}: the shape {} has a negative extent", name, text);
    }
    digit = c >= '0' && c <= '9';
  }
  return shape;
}

}  // namespace

NpyHeader read_npy_header(const InputFile& file) {
  constexpr std::uint64_t kBefore = 12;  // magic, version, the length of the header in 2 or 4 bytes
  const std::string& name = file.name();
  const Bytes start = file.piece(0, kBefore);
  Cursor in(start, name);
  if (text_of(in.bytes(kNpyMagic.size(), "the magic of a .npy file")) != kNpyMagic) in.fail_at(0, "not a .npy file");
  const auto major = in.read<std::uint8_t>();
  in.skip(1);
  const std::uint64_t length = major == 1 ? in.read<std::uint16_t>() : in.read<std::uint32_t>();
  const std::uint64_t after = in.offset();
  if (length > file.size() - after) in.fail("a header of {} bytes in a file of {}", length, file.size());
  const Bytes header = file.piece(after, length);
  const std::string_view dict = text_of(header);
  NpyHeader out;
  out.offset = after + length;
  std::string_view descr = dict_value(dict, "descr", name);
  if (descr.size() >= 2 && descr.front() == '\'') descr = descr.substr(1, descr.size() - 2);
  out.type = datatype_from_numpy(descr);
  if (out.type.id == TypeId::object)
    fail(ErrorKind::unsupported, "{} holds Python objects (pickled), which are not read", name);
  out.fortran = dict_value(dict, "fortran_order", name) == "True";
  out.shape = parse_shape(dict_value(dict, "shape", name), name);
  const std::uint64_t there = file.size() - out.offset;
  Int128 bytes = std::ranges::find(out.shape, 0u) == out.shape.end() ? out.type.full_size() : 0;
  for (const std::uint64_t n : out.shape) {
    bytes *= n;
    if (bytes > there) break;
  }
  if (bytes != there)
    fail(ErrorKind::corrupt, "{}: the shape asks for another number of bytes than the {} that follow the header", name,
         there);
  return out;
}

Bytes read_npy_box(const InputFile& file, const NpyHeader& header, const CellBox& box) {
  constexpr std::uint64_t kPiece = 1 << 20;
  const std::size_t item = header.type.full_size(), n = header.shape.size();
  Bytes out(cell_count(box.count) * item);
  if (out.empty()) return out;
  const std::vector<std::int64_t> from = contiguous_strides(header.shape, item, header.fortran),
                                  to = contiguous_strides(box.count, item);
  // Axes of the file by how fast they run; what the box takes whole makes one run with the axis after it.
  std::vector<std::size_t> axes(n);
  for (std::size_t i = 0; i < n; ++i) axes[i] = header.fortran ? i : n - 1 - i;
  std::size_t whole = 0;
  while (whole + 1 < n && box.count[axes[whole]] == header.shape[axes[whole]]) ++whole;
  // One piece is some steps along the axis `slow`: the last axis of a run, or the next one where runs are short and
  // close to each other.
  std::size_t slow = whole;
  if (n > 1 && slow + 1 < n &&
      static_cast<std::uint64_t>(from[axes[slow + 1]]) <=
          4 * box.count[axes[slow]] * static_cast<std::uint64_t>(from[axes[slow]]))
    ++slow;
  const std::uint64_t step = n == 0 ? item : static_cast<std::uint64_t>(from[axes[slow]]);
  const std::uint64_t along = n == 0 ? 1 : box.count[axes[slow]];
  const bool straight = !header.fortran && slow == whole;  // runs are as they are in the result
  const std::uint64_t at_once = straight ? along : std::clamp<std::uint64_t>(kPiece / step, 1, along);
  Bytes piece;
  std::vector<std::uint64_t> done(n, 0);
  for (;;) {
    std::uint64_t begin = header.offset;
    std::int64_t target = 0;
    for (std::size_t axis = 0; axis < n; ++axis) {
      begin += (box.first[axis] + done[axis]) * static_cast<std::uint64_t>(from[axis]);
      target += static_cast<std::int64_t>(done[axis]) * to[axis];
    }
    std::vector<std::uint64_t> shape = box.count;
    std::uint64_t last = begin + item;  // where the last item of the piece ends
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t axis = axes[rank];
      shape[axis] = rank < slow ? box.count[axis] : rank > slow ? 1 : std::min(at_once, along - done[axis]);
      last += (shape[axis] - 1) * static_cast<std::uint64_t>(from[axis]);
    }
    if (straight) {
      file.read(begin, MutableBytes(out).subspan(static_cast<std::size_t>(target), last - begin));
    } else {
      piece.resize(last - begin);
      file.read(begin, piece);
      copy_box(out.data() + target, to, piece.data(), from, shape, item);
    }
    std::size_t rank = slow;
    for (; rank < n; ++rank) {
      const std::size_t axis = axes[rank];
      done[axis] += shape[axis];
      if (done[axis] < box.count[axis]) break;
      done[axis] = 0;
    }
    if (rank >= n) return out;
  }
}

}  // namespace tegula::cli
