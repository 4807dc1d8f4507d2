//   cell (cell_size bytes)  u16 run length, big-endian, 1..65535     repeated; longer runs are split
//
// TileDB's default for validity bytes. A run of 0 cells is refused: no writer makes one.

#include "codec/compress/rle.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kRunBytes = 2;
constexpr std::size_t kLongestRun = std::numeric_limits<std::uint16_t>::max();

// Cells that fit a register: fills and comparisons take one instruction.
template <class T>
struct SmallCells {
  std::size_t size() const { return sizeof(T); }
  void fill(std::byte* out, const std::byte* cell, std::size_t count) const {
    const T value = load<T>(cell);
    for (std::size_t i = 0; i < count; ++i) store<T>(out + i * sizeof(T), value);
  }
  std::size_t run(const std::byte* in, std::size_t most) const {
    const T value = load<T>(in);
    std::size_t n = 1;
    while (n < most && load<T>(in + n * sizeof(T)) == value) ++n;
    return n;
  }
};

struct AnyCells {
  std::size_t cell_size;
  std::size_t size() const { return cell_size; }
  void fill(std::byte* out, const std::byte* cell, std::size_t count) const {
    const std::size_t total = count * cell_size;
    std::memcpy(out, cell, cell_size);
    for (std::size_t done = cell_size; done < total;) {
      const std::size_t step = std::min(done, total - done);
      std::memcpy(out + done, out, step);
      done += step;
    }
  }
  std::size_t run(const std::byte* in, std::size_t most) const {
    std::size_t n = 1;
    while (n < most && std::memcmp(in, in + n * cell_size, cell_size) == 0) ++n;
    return n;
  }
};

template <class F>
void with_cells(const Params& params, F work) {
  switch (params.cell_size) {
    case 0:
      fail(ErrorKind::invalid_argument, "RLE cells must have at least one byte");
    case 1:
      return work(SmallCells<std::uint8_t>{});
    case 2:
      return work(SmallCells<std::uint16_t>{});
    case 4:
      return work(SmallCells<std::uint32_t>{});
    case 8:
      return work(SmallCells<std::uint64_t>{});
    default:
      return work(AnyCells{params.cell_size});
  }
}

template <class Cells>
void decode(ByteView in, MutableBytes out, Cells cells) {
  const std::size_t cell = cells.size(), step = cell + kRunBytes;
  if (in.size() % step != 0)
    fail(ErrorKind::corrupt, "RLE: {} bytes are not a whole number of runs of {} bytes", in.size(), step);
  std::size_t written = 0;
  for (std::size_t at = 0; at < in.size(); at += step) {
    const std::size_t count = load_be<std::uint16_t>(in.data() + at + cell);
    if (count == 0) fail(ErrorKind::corrupt, "RLE at byte {}: a run of no cells", at);
    if (count * cell > out.size() - written)
      fail(ErrorKind::corrupt, "RLE at byte {}: a run of {} cells of {} bytes goes beyond the {} raw bytes", at, count,
           cell, out.size());
    cells.fill(out.data() + written, in.data() + at, count);
    written += count * cell;
  }
  if (written != out.size()) fail(ErrorKind::corrupt, "RLE: runs of {} bytes in all, expected {}", written, out.size());
}

template <class Cells>
void encode(ByteView in, Bytes& out, Cells cells) {
  const std::size_t cell = cells.size(), step = cell + kRunBytes;
  if (in.size() % cell != 0)
    fail(ErrorKind::invalid_argument, "RLE: {} bytes are not a whole number of cells of {} bytes", in.size(), cell);
  const std::size_t start = out.size();
  std::size_t end = start;
  for (std::size_t at = 0; at < in.size();) {
    const std::size_t count = cells.run(in.data() + at, std::min((in.size() - at) / cell, kLongestRun));
    if (out.size() - end < step) out.resize(std::max(2 * out.size() - start, end + 64 * step));
    std::memcpy(out.data() + end, in.data() + at, cell);
    store_be<std::uint16_t>(out.data() + end + cell, static_cast<std::uint16_t>(count));
    end += step;
    at += count * cell;
  }
  out.resize(end);
}

}  // namespace

void rle_decode(ByteView in, MutableBytes out, const Params& params) {
  with_cells(params, [&](auto cells) { decode(in, out, cells); });
}

void rle_encode(ByteView in, Bytes& out, const Params& params) {
  with_cells(params, [&](auto cells) { encode(in, out, cells); });
}

}  // namespace tegula::codec
