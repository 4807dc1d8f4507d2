// Files that pyarrow wrote: tests/data/arrow/make.py says how.
#include "arrow/ipc_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/endian.h"
#include "query/language/literal.h"
#include "tegula/error.h"

namespace tegula {
namespace {

Bytes load(const std::string& name) {
  std::ifstream in(std::string(TEGULA_TEST_DATA) + "/arrow/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return copy_of(bytes_of(text));
}

// "1 2 - 4": nulls are dashes, lists and texts are in brackets.
std::string text_of_cells(const Column& column) {
  std::string out;
  for (std::size_t i = 0; i < column.cells(); ++i) {
    out += i ? " " : "";
    const ByteView cell = column.cell(i);
    const bool text = column.type.is_text() || column.type.id == TypeId::blob;
    if (!column.valid(i)) {
      out += "-";
    } else if (text) {
      out += "[" + std::string(text_of(cell)) + "]";
    } else {
      std::string values;
      for (std::size_t at = 0; at < cell.size(); at += column.type.size) {
        values += at ? "," : "";
        values += column.type.is_float() ? fmt::format("{}", load_real(column.type, cell.data() + at))
                  : column.type.id == TypeId::boolean
                      ? (cell[at] == std::byte{0} ? "false" : "true")
                      : fmt::format("{}", static_cast<std::int64_t>(load_integer(column.type, cell.data() + at)));
      }
      out += column.values_per_cell == 1 ? values : "[" + values + "]";
    }
  }
  return out;
}

TEST(Arrow, ReadsWhatPyarrowWrites) {
  struct Row {
    const char *file, *field, *cells;
  };
  const std::string raw("[\0\xff] [] [abc] - [d] [e]", 23);
  const Row rows[] = {
      {"plain.arrow", "n", "1 2 3 - 5 6"},
      {"plain.arrow", "x", "0.5 nan inf -0 2.5 3.5"},
      {"plain.arrow", "city", "[Oslo] [Lima] - [Oslo] [Paris] [Lima]"},
      {"plain.arrow", "flag", "true false true - false true"},
      {"plain.arrow", "day", "19874 -1 - 19874 -1 -"},
      {"plain.arrow", "at", "0 1000 -1 - 5 6"},
      {"plain.arrow", "pair", "[1,2] [3,4] [5,6] [7,8] [9,10] [11,12]"},
      {"batches.arrows", "n", "1 2 3 - 5 6"},
      {"batches.arrows", "city", "[Oslo] [Lima] - [Oslo] [Paris] [Lima]"},
      {"batches.arrows", "flag", "true false true - false true"},
      {"batches.arrows", "day", "19874 -1 - 19874 -1 -"},
      {"batches.arrows", "pair", "[1,2] [3,4] [5,6] [7,8] [9,10] [11,12]"},
      {"large.arrow", "text", "[a] [] [mosa\xc3\xafque] -"},
      {"large.arrow", "raw", "[\x01] - [] [\x02\x03]"},
      {"large.arrow", "lists", "[1] [] [2,3] [4]"},
      {"large.arrow", "date", "0 86400000 - -86400000"},
      {"dictionary.arrow", "city", "[Oslo] [Lima] - [Oslo] [Paris] [Lima]"},
      {"dictionary.arrow", "small", "3.5 1.5 3.5 3.5 1.5 1.5"},
      {"dictionary_zstd.arrows", "city", "[Oslo] [Lima] - [Oslo] [Paris] [Lima]"},
      {"dictionary_zstd.arrows", "small", "3.5 1.5 3.5 3.5 1.5 1.5"},
      {"dictionary_delta.arrows", "city", "[a] [b] [c] [a]"},
  };
  for (const Row& row : rows) {
    const Batch batch = read_arrow(load(row.file), row.file);
    const Column* column = batch.column(row.field);
    ASSERT_TRUE(column) << row.file << " " << row.field;
    EXPECT_EQ(text_of_cells(*column), row.cells) << row.file << " " << row.field;
    EXPECT_EQ(column->cells(), batch.cells) << row.file << " " << row.field;
  }
  EXPECT_EQ(text_of_cells(*read_arrow(load("plain.arrow"), "plain").column("raw")), raw);
  EXPECT_EQ(display_name(read_arrow(load("plain.arrow"), "plain").column("day")->type), "datetime64[D]");
}

TEST(Arrow, DecompressesBuffers) {
  for (const char* file : {"lz4.arrow", "zstd.arrow"}) {
    const Batch batch = read_arrow(load(file), file);
    ASSERT_EQ(batch.cells, 300u);
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_EQ(load_le<std::int32_t>(batch.columns[0].cell(i).data()), static_cast<std::int32_t>(i));
      EXPECT_EQ(text_of(batch.columns[1].cell(i)), "text " + std::to_string(i % 7));
    }
  }
}

// Arrays keep no zones; times in UTC need none.
TEST(Arrow, TakesTimesInUtc) {
  const Batch batch = read_arrow(load("utc.arrow"), "utc.arrow");
  EXPECT_EQ(display_name(batch.columns.at(0).type), "datetime64[s]");
  EXPECT_EQ(batch.cells, 2);
}

TEST(Arrow, RefusesOtherTypesByName) {
  for (const auto& [file, word] :
       {std::pair{"decimal.arrow", "decimal"}, {"struct.arrow", "struct"}, {"zone.arrow", "Europe/Berlin"}}) {
    try {
      read_arrow(load(file), file);
      FAIL() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

// Damage anywhere is an error or another value, never a crash, and costs no more memory than a multiple of the file.
TEST(Arrow, SurvivesDamage) {
  for (const char* file : {"plain.arrow", "large.arrow", "dictionary_zstd.arrows", "dictionary_delta.arrows"}) {
    const Bytes good = load(file);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
        Bytes bad = good;
        bad[at] ^= static_cast<std::byte>(flip);
        try {
          read_arrow(bad, file);
        } catch (const Error&) {
        }
      }
      try {
        read_arrow(ByteView(good).first(at), file);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace tegula
