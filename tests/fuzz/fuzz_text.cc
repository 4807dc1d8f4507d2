// Text RLE and dictionary. Byte 0 chooses (odd: dictionary), bytes 1 and 2 are the widths, byte 3 the data size, byte 4
// the number of cells, byte 5 the size of the dictionary; the rest is stored data, for the dictionary the words first.
// room: codec
#include <algorithm>
#include <vector>

#include "codec/text/text.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::codec;

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

// What was decoded must survive another round, although the coding may become shorter.
void check_again(const Bytes& data, const std::vector<std::uint64_t>& offsets) {
  Bytes coded, ids, back(data.size());
  std::vector<std::uint64_t> starts(offsets.size());
  const TextRle widths = text_rle_encode(data, offsets, coded);
  text_rle_decode(coded, widths.run_bytes, widths.length_bytes, back, starts);
  require(back == data && starts == offsets);
  const TextDictionary words = text_dictionary_encode(data, offsets, ids);
  text_dictionary_decode(ids, words.dictionary, words.id_bytes, words.length_bytes, back, starts);
  require(back == data && starts == offsets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  constexpr std::size_t kHeader = 6;
  if (size < kHeader) return 0;
  const ByteView in = std::as_bytes(std::span(input, size)).subspan(kHeader);
  Bytes data(input[3], std::byte{0});
  std::vector<std::uint64_t> offsets(input[4]);
  try {
    if (input[0] % 2 == 0) {
      text_rle_decode(in, input[1], input[2], data, offsets);
    } else {
      const std::size_t words = std::min<std::size_t>(input[5], in.size());
      text_dictionary_decode(in.subspan(words), in.first(words), input[1], input[2], data, offsets);
    }
  } catch (const Error&) {
    return 0;
  }
  check_again(data, offsets);
  return 0;
}
