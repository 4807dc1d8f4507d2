#include "codec/text/text.h"

#include <gtest/gtest.h>

#include "codec/expect_kind.h"
#include "codec/inputs.h"

namespace tegula::codec {
namespace {

struct Cells {
  Bytes data;
  std::vector<std::uint64_t> offsets;
};

Cells cells(const std::vector<std::string>& texts) {
  Cells out;
  for (const std::string& text : texts) {
    out.offsets.push_back(out.data.size());
    const ByteView bytes = bytes_of(text);
    out.data.insert(out.data.end(), bytes.begin(), bytes.end());
  }
  return out;
}

struct Decoded : Cells {
  Decoded(std::size_t bytes, std::size_t count) {
    data.resize(bytes);
    offsets.resize(count);
  }
};

struct Case {
  const char* what;
  std::vector<std::string> texts;
  unsigned run_bytes, id_bytes, length_bytes;
};

std::vector<Case> cases() {
  const auto times = [](std::size_t n, const std::string& text) { return std::vector<std::string>(n, text); };
  std::vector<std::string> different;
  for (int i = 0; i < 300; ++i) different.push_back(std::to_string(i % 7 * i));
  return {
      {"two and an empty one", {"aa", "aa", ""}, 1, 1, 1},
      {"no cells", {}, 1, 1, 1},
      {"one empty cell", {""}, 1, 1, 1},
      {"255 alike", times(255, "x"), 1, 1, 1},
      {"256 alike", times(256, "x"), 2, 2, 1},
      {"65536 alike and empty", times(65536, ""), 4, 4, 1},
      {"a string of 255", {std::string(255, 'q'), "q"}, 1, 1, 1},
      {"a string of 256", {std::string(256, 'q'), "q"}, 1, 1, 2},
      {"a string of 65536", {"", std::string(65536, 'q'), ""}, 1, 1, 4},
      {"different", different, 1, 2, 1},
      {"bytes of any value", {std::string("\0\xff", 2), std::string("\0\xff", 2), std::string(1, '\0')}, 1, 1, 1},
  };
}

TEST(TextRle, TileDBVector) {
  const Cells in = cells({"aa", "aa", ""});
  Bytes out;
  const TextRle widths = text_rle_encode(in.data, in.offsets, out);
  EXPECT_EQ(to_hex(out), "020261610100");
  EXPECT_EQ(widths.run_bytes, 1u);
  EXPECT_EQ(widths.length_bytes, 1u);
}

TEST(TextRle, RoundTrips) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const Cells in = cells(c.texts);
    Bytes coded;
    const TextRle widths = text_rle_encode(in.data, in.offsets, coded);
    EXPECT_EQ(widths.run_bytes, c.run_bytes);
    EXPECT_EQ(widths.length_bytes, c.length_bytes);
    Decoded back(in.data.size(), in.offsets.size());
    text_rle_decode(coded, widths.run_bytes, widths.length_bytes, back.data, back.offsets);
    EXPECT_TRUE(same(back.data, in.data));
    EXPECT_EQ(back.offsets, in.offsets);
  }
}

TEST(TextRle, Damage) {
  const auto corrupt = [](const char* what, const char* stored, unsigned run, unsigned length, std::size_t bytes,
                          std::size_t count) {
    Decoded out(bytes, count);
    expect_error(
        ErrorKind::corrupt, [&] { text_rle_decode(from_hex(stored), run, length, out.data, out.offsets); }, what);
  };
  corrupt("cut string", "02 02 61", 1, 1, 4, 2);
  corrupt("cut run", "02 02 6161 01", 1, 1, 4, 3);
  corrupt("too many cells", "02 02 6161", 1, 1, 4, 1);
  corrupt("too few cells", "02 02 6161", 1, 1, 4, 3);
  corrupt("too many bytes", "02 02 6161", 1, 1, 3, 2);
  corrupt("too few bytes", "02 02 6161", 1, 1, 5, 2);
  corrupt("run of nothing", "00 01 61 01 00", 1, 1, 0, 1);
  corrupt("huge run", "ffffffffffffffff 01 61", 8, 1, 4, 4);
  corrupt("huge string", "01 ffffffffffffffff 61", 1, 8, 4, 1);
  corrupt("width 3", "000001 01 61", 3, 1, 1, 1);
  corrupt("width 0", "01 01 61", 1, 0, 1, 1);
}

TEST(TextDictionary, TileDBVectors) {
  const Cells in = cells({"aa", "aa", ""});
  Bytes ids;
  const TextDictionary dictionary = text_dictionary_encode(in.data, in.offsets, ids);
  EXPECT_EQ(to_hex(ids), "000001");
  EXPECT_EQ(to_hex(dictionary.dictionary), "02616100");
  EXPECT_EQ(dictionary.id_bytes, 1u);
  EXPECT_EQ(dictionary.length_bytes, 1u);
}

TEST(TextDictionary, RoundTrips) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const Cells in = cells(c.texts);
    Bytes ids;
    const TextDictionary coded = text_dictionary_encode(in.data, in.offsets, ids);
    EXPECT_EQ(coded.id_bytes, c.id_bytes);
    EXPECT_EQ(coded.length_bytes, c.length_bytes);
    Decoded back(in.data.size(), in.offsets.size());
    text_dictionary_decode(ids, coded.dictionary, coded.id_bytes, coded.length_bytes, back.data, back.offsets);
    EXPECT_TRUE(same(back.data, in.data));
    EXPECT_EQ(back.offsets, in.offsets);
  }
}

TEST(TextDictionary, Damage) {
  const auto corrupt = [](const char* what, const char* ids, const char* dictionary, unsigned id_bytes,
                          unsigned length_bytes, std::size_t bytes, std::size_t count) {
    Decoded out(bytes, count);
    expect_error(
        ErrorKind::corrupt,
        [&] {
          text_dictionary_decode(from_hex(ids), from_hex(dictionary), id_bytes, length_bytes, out.data, out.offsets);
        },
        what);
  };
  corrupt("id beyond the dictionary", "0002", "0161 0162", 1, 1, 2, 2);
  corrupt("no dictionary", "00", "", 1, 1, 0, 1);
  corrupt("cut dictionary", "00", "0261", 1, 1, 1, 1);
  corrupt("huge string", "00", "ffffffffffffffff 61", 1, 8, 1, 1);
  corrupt("too few ids", "00", "0161", 1, 1, 2, 2);
  corrupt("half an id", "0000 00", "0161", 2, 1, 1, 1);
  corrupt("too many bytes", "0000", "0161", 1, 1, 1, 2);
  corrupt("too few bytes", "0000", "0161", 1, 1, 3, 2);
  corrupt("width 0", "", "", 0, 1, 0, 0);
  corrupt("width 16", "", "", 1, 16, 0, 0);
}

TEST(Text, RefusesWrongOffsets) {
  const Bytes data = from_hex("616263");
  Bytes out;
  const std::vector<std::uint64_t> wrong[] = {{}, {1, 2}, {0, 2, 1}, {0, 4}};
  for (const std::vector<std::uint64_t>& offsets : wrong) {
    expect_error(ErrorKind::invalid_argument, [&] { text_rle_encode(data, offsets, out); }, "rle");
    expect_error(ErrorKind::invalid_argument, [&] { text_dictionary_encode(data, offsets, out); }, "dictionary");
  }
}

TEST(Text, MutationsNeverEscape) {
  const Cells in = cells({"one", "one", "two", "", "three", "three", "three"});
  Bytes rle, ids;
  const TextRle widths = text_rle_encode(in.data, in.offsets, rle);
  const TextDictionary words = text_dictionary_encode(in.data, in.offsets, ids);
  std::mt19937 random(11);
  const auto mutated = [&](Bytes bytes) {
    for (int i = 0; i < 2; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 12);
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    return bytes;
  };
  const auto survives = [](auto&& decode) {
    try {
      decode();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    }
  };
  for (int round = 0; round < 2000; ++round) {
    Decoded out(in.data.size(), in.offsets.size());
    survives([&] { text_rle_decode(mutated(rle), widths.run_bytes, widths.length_bytes, out.data, out.offsets); });
    survives([&] {
      text_dictionary_decode(mutated(ids), mutated(words.dictionary), words.id_bytes, words.length_bytes, out.data,
                             out.offsets);
    });
  }
}

}  // namespace
}  // namespace tegula::codec
