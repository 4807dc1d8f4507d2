// Strings as ids of a dictionary.
//
//   ids: one per cell, I bytes; dictionary: per distinct string, in the order of first appearance, length (L bytes) and
//   bytes, without a count. Integers big-endian, 1, 2, 4 or 8 bytes; I follows from the number of cells (not from the
//   number of distinct strings), L from the longest string. Dictionary, I and L are kept in the metadata of the chunk.
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "codec/text/text.h"
#include "codec/text/text_parts.h"

namespace tegula::codec {

void text_dictionary_decode(ByteView ids, ByteView dictionary, unsigned id_bytes, unsigned length_bytes,
                            MutableBytes data, std::span<std::uint64_t> offsets) {
  check_width(id_bytes, "text dictionary: ids");
  check_width(length_bytes, "text dictionary: string lengths");
  std::vector<ByteView> words;
  for (Cursor cursor(dictionary, "text dictionary"); !cursor.done();) {
    const std::uint64_t length = read_wide(cursor, length_bytes);
    words.push_back(cursor.bytes(length, "a string"));
  }
  if (ids.size() % id_bytes != 0 || ids.size() / id_bytes != offsets.size())
    fail(ErrorKind::corrupt, "text dictionary: {} bytes of {}-byte ids for {} cells", ids.size(), id_bytes,
         offsets.size());
  Cursor cursor(ids, "text dictionary ids");
  std::size_t at = 0;
  for (std::uint64_t& offset : offsets) {
    const std::uint64_t id = read_wide(cursor, id_bytes);
    if (id >= words.size()) cursor.fail("id {} of a dictionary of {} strings", id, words.size());
    const ByteView word = words[id];
    if (word.size() > data.size() - at) cursor.fail("the cells need more than the {} bytes expected", data.size());
    offset = at;
    if (!word.empty()) std::memcpy(data.data() + at, word.data(), word.size());
    at += word.size();
  }
  if (at != data.size()) cursor.fail("the cells have {} bytes, expected {}", at, data.size());
}

TextDictionary text_dictionary_encode(ByteView data, std::span<const std::uint64_t> offsets, Bytes& ids) {
  const TextCells cells(data, offsets);
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) longest = std::max<std::uint64_t>(longest, cells[i].size());
  TextDictionary result{width_for(cells.size()), width_for(longest), {}};
  std::unordered_map<std::string_view, std::uint64_t> known;
  ByteWriter id_writer(ids), word_writer(result.dictionary);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [word, is_new] = known.try_emplace(cells[i], known.size());
    if (is_new) {
      write_wide(word_writer, result.length_bytes, word->first.size());
      word_writer.text(word->first);
    }
    write_wide(id_writer, result.id_bytes, word->second);
  }
  return result;
}

}  // namespace tegula::codec
