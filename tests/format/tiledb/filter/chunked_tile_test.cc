#include "format/tiledb/filter/chunked_tile.h"

#include <gtest/gtest.h>

#include <numeric>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using Sizes = std::vector<std::uint64_t>;

TEST(ChunkedTile, fixed_cells_are_cut_whole) {
  EXPECT_EQ(cut_cells(9, 3), (Sizes{9}));
  EXPECT_EQ(cut_cells(70000, 1), (Sizes{65536, 4464}));
  EXPECT_EQ(cut_cells(65538, 3), (Sizes{65535, 3}));
  EXPECT_EQ(cut_cells(200000, 100000), (Sizes{100000, 100000}));
  EXPECT_EQ(cut_cells(0, 4), Sizes{});
}

struct CutRow {
  const char* name;
  Sizes lengths;
  std::uint32_t version;
  Sizes chunks;
};

TEST(ChunkedTile, variable_cells_are_cut_by_version) {
  const CutRow rows[] = {
      {"a cut behind the last cell", {30000, 30000, 10000}, 11, {70000, 0}},
      {"a huge cell", {50000, 100000, 5}, 11, {50000, 100000, 5}},
      {"a small chunk takes the huge cell", {10, 100000, 5}, 11, {100010, 5}},
      {"a new chunk", {60000, 60000}, 11, {60000, 60000}},
      {"nothing", {}, 11, {0}},
      {"empty cells", {0, 0}, 22, {0}},
      {"before version 11 cells are split", {60000, 60000}, 10, {65536, 54464}},
      {"before version 11 nothing has no chunk", {0, 0}, 10, {}},
  };
  for (const CutRow& row : rows) {
    SCOPED_TRACE(row.name);
    Sizes offsets;
    std::uint64_t at = 0;
    for (const std::uint64_t length : row.lengths) {
      offsets.push_back(at);
      at += length;
    }
    EXPECT_EQ(cut_var_cells(at, offsets, 1, row.version), row.chunks);
  }
}

TEST(ChunkedTile, round_trips) {
  Bytes raw(300000);
  for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i / 100);
  Pipeline pipeline;
  pipeline.steps = {{.type = FilterType::zstd}};
  const FilterPlan plan = make_plan(pipeline, {.type_code = 6, .cell_size = 1}, nullptr);
  ScratchPool scratch;
  Bytes tile;
  encode_tile(plan, raw, cut_cells(raw.size(), 1), tile, scratch, {});
  const TilePlace place{"file", 1000};
  const std::vector<Chunk> chunks = parse_chunks(tile, place);
  EXPECT_EQ(chunks.size(), 5u);
  EXPECT_EQ(chunks[0].file_offset, 1008u);
  check_raw_size(chunks, raw.size(), plan, place);
  Bytes out(raw.size());
  decode_tile(plan, chunks, out, place, scratch, {});
  EXPECT_EQ(out, raw);
  EXPECT_ERROR(corrupt, "expected 300001 bytes", check_raw_size(chunks, raw.size() + 1, plan, place));
  tile[tile.size() - 20] ^= std::byte{1};
  EXPECT_ERROR(corrupt, "file at byte", decode_tile(plan, parse_chunks(tile, place), out, place, scratch, {}));
}

TEST(ChunkedTile, damage_is_named) {
  const auto parse = [](const char* text) {
    const Bytes bytes = hex(text);
    return parse_chunks(bytes, {"file", 100}).size();
  };
  EXPECT_EQ(parse("0000000000000000"), 0u);
  EXPECT_EQ(parse("0100000000000000 00000000 00000000 00000000"), 1u);
  EXPECT_ERROR(corrupt, "chunks", parse("ffffffffffffffff"));
  EXPECT_ERROR(corrupt, "file at byte 120", parse("0100000000000000 04000000 05000000 00000000 01020304"));
  EXPECT_ERROR(corrupt, "expected the end of the tile",
               parse("0100000000000000 04000000 04000000 00000000 0102030405"));
  const Bytes bomb = hex("0100000000000000 ffffffff 01000000 00000000 01");
  Pipeline pipeline;
  pipeline.steps = {{.type = FilterType::zstd}};
  const FilterPlan plan = make_plan(pipeline, {.type_code = 6, .cell_size = 1}, nullptr);
  EXPECT_ERROR(corrupt, "claims 4294967295 bytes",
               check_raw_size(parse_chunks(bomb, {"file", 0}), 0xffffffff, plan, {"file", 0}));
}

}  // namespace
}  // namespace tegula::tiledb
