// room: codec
// The first byte chooses the compressor, the next two the raw size, the fourth the cell size; the rest is decoded.
#include "codec/compress/compressors.h"
#include "tegula/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tegula;
  constexpr std::size_t kOptions = 4;
  if (size < kOptions) return 0;
  const codec::Compressor& compressor = codec::compressors()[data[0] % codec::compressors().size()];
  Bytes out(data[1] + 256u * data[2]);
  try {
    compressor.decode(std::as_bytes(std::span(data + kOptions, size - kOptions)), out, {.cell_size = data[3]});
  } catch (const Error&) {
  }
  return 0;
}
