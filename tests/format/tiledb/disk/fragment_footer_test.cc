#include "format/tiledb/disk/fragment_footer.h"

#include <gtest/gtest.h>

#include "format/tiledb/disk/fragment_lists.h"
#include "format/tiledb/disk/rtree.h"
#include "format/tiledb/fields.h"
#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

ArraySchema schema_of(std::uint32_t version, bool text = false) {
  ArraySchema schema;
  schema.version = version;
  schema.sparse = true;
  SchemaDimension x = testing::dimension("x", 1);
  x.domain = hex("0000000000000000 6300000000000000");
  x.extent = hex("0a00000000000000");
  schema.dimensions = {x};
  if (text) schema.dimensions.push_back(testing::dimension("s", 11, kVar));
  schema.attributes = {testing::attribute("a", 0), testing::attribute("b", 12, kVar)};
  return schema;
}

FragmentFooter footer_of(const ArraySchema& schema, bool text) {
  const std::uint32_t version = schema.version;
  FragmentFooter footer;
  footer.version = version;
  if (version >= 10) footer.schema_name = "__1_1_uuid";
  footer.dense = false;
  footer.domain = {{std::int64_t{5}, std::int64_t{9}}};
  if (text) footer.domain.push_back({std::string("a"), std::string("xyz")});
  footer.sparse_tiles = 3;
  footer.last_tile_cells = 2;
  footer.has_timestamps = version >= 14;
  footer.has_deletes = version >= 15;
  footer.slots.resize(slot_count(schema, version, footer.has_timestamps, footer.has_deletes));
  std::uint64_t next = 100;
  for (FooterSlot& slot : footer.slots) slot.file_size = next++;
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) footer.slots[i].var_sizes = next++;
  footer.rtree = next++;
  if (version >= 12) footer.statistics = next++;
  if (version >= 16) footer.processed_conditions = next++;
  if (version >= 23)
    footer.bounds = {std::vector<std::uint64_t>(schema.dimensions.size(), 7),
                     std::vector<std::uint64_t>(schema.dimensions.size(), 8)};
  return footer;
}

TEST(Footer, round_trips_in_every_version) {
  for (std::uint32_t version = 3; version <= 23; ++version) {
    for (const bool text : {false, true}) {
      if (text && version < 5) continue;
      SCOPED_TRACE(fmt::format("version {}, text {}", version, text));
      const ArraySchema schema = schema_of(version, text);
      Bytes bytes, again;
      encode_footer(footer_of(schema, text), schema, bytes);
      if (version < 10 && !text) {
        EXPECT_EQ(bytes.size(), footer_size(schema, version));
      }
      const FragmentFooter footer = decode_footer(Cursor(bytes, "footer"), schema);
      encode_footer(footer, schema, again);
      EXPECT_EQ(to_hex(again), to_hex(bytes));
      EXPECT_EQ(footer.domain, footer_of(schema, text).domain);
      EXPECT_EQ(footer.slots.back().file_size, footer_of(schema, text).slots.back().file_size);
      EXPECT_EQ(decode_footer_head(Cursor(bytes, "footer")).schema_name, footer.schema_name);
      for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_ERROR(corrupt, "footer at byte", decode_footer(Cursor(ByteView(bytes).first(size), "footer"), schema));
    }
  }
}

// One dimension, one attribute, one cell at x = 5: sizes as libtiledb 2.30 wrote them.
TEST(Footer, has_the_size_of_the_format) {
  ArraySchema schema = schema_of(22);
  schema.attributes.resize(1);
  FragmentFooter footer;
  footer.version = 22;
  footer.schema_name = std::string(62, 'x');
  footer.dense = false;
  footer.domain = {{std::int64_t{5}, std::int64_t{5}}};
  footer.slots.resize(3);
  Bytes bytes;
  encode_footer(footer, schema, bytes);
  EXPECT_EQ(bytes.size(), 398u);
}

TEST(Footer, version_11_may_end_with_a_number_too_many) {
  const ArraySchema schema = schema_of(11);
  Bytes bytes;
  encode_footer(footer_of(schema, false), schema, bytes);
  bytes.insert(bytes.end(), 8, std::byte{7});
  EXPECT_NO_THROW(decode_footer(Cursor(bytes, "footer"), schema));
  bytes.push_back(std::byte{7});
  EXPECT_ERROR(corrupt, "expected the end", decode_footer(Cursor(bytes, "footer"), schema));
}

TEST(Footer, unknown_sections_are_passed_over) {
  const ArraySchema schema = schema_of(23);
  FragmentFooter footer = footer_of(schema, false);
  footer.bounds = {};
  Bytes bytes;
  encode_footer(footer, schema, bytes);
  bytes.resize(bytes.size() - 4);
  const Bytes sections =
      hex("02000000 0900000000000000 03000000 010203 0000000000000000 10000000 0700000000000000 0800000000000000");
  bytes.insert(bytes.end(), sections.begin(), sections.end());
  const FragmentFooter decoded = decode_footer(Cursor(bytes, "footer"), schema);
  EXPECT_EQ(decoded.bounds.mins, std::vector<std::uint64_t>{7});
  EXPECT_EQ(decoded.bounds.maxs, std::vector<std::uint64_t>{8});
}

TEST(Footer, a_newer_version_is_said_so) {
  EXPECT_ERROR(unsupported, "format version 24", decode_footer_head(Cursor(hex("18000000"), "footer")));
  EXPECT_ERROR(corrupt, "format version 2", decode_footer_head(Cursor(hex("02000000"), "footer")));
}

TEST(FragmentLists, extremes) {
  TileExtremes text;
  text.fixed = hex("0000000000000000 0200000000000000");
  text.var = hex("616263");
  Bytes bytes;
  encode_extremes(text, bytes);
  const TileExtremes decoded = decode_extremes(Cursor(bytes, "file"), 2, true);
  EXPECT_EQ(text_of(decoded.at(0)), "ab");
  EXPECT_EQ(text_of(decoded.at(1)), "c");
  EXPECT_EQ(to_hex(decode_extremes(Cursor(bytes, "file"), 4, false).at(1)), "00000000");
  EXPECT_ERROR(corrupt, "for 3 tiles", decode_extremes(Cursor(bytes, "file"), 3, false));
  EXPECT_ERROR(corrupt, "for 0 tiles", decode_extremes(Cursor(bytes, "file"), 0, false));
  bytes[24] = std::byte{9};
  EXPECT_ERROR(corrupt, "starts at 9", decode_extremes(Cursor(bytes, "file"), 2, true));
  const Bytes none = hex("0000000000000000 0000000000000000");
  EXPECT_FALSE(decode_extremes(Cursor(none, "file"), 2, true).present());
}

TEST(FragmentLists, statistics_and_conditions) {
  const FieldStatistics field{hex("01"), hex("0203"), 7, 1};
  Bytes bytes;
  encode_statistics(std::vector<FieldStatistics>{field, {}}, bytes);
  const auto decoded = decode_statistics(Cursor(bytes, "file"), 2);
  EXPECT_EQ(to_hex(decoded[0].max), "0203");
  EXPECT_EQ(decoded[0].sum, 7u);
  Bytes markers;
  encode_processed(std::vector<std::string>{"__commits/x.del"}, markers);
  EXPECT_EQ(decode_processed(Cursor(markers, "file")), std::vector<std::string>{"__commits/x.del"});
  EXPECT_ERROR(corrupt, "numbers", decode_numbers(Cursor(hex("ffffffffffffffff 00"), "file")));
}

TEST(RTree, has_the_levels_of_the_format) {
  const std::vector<DimensionType> types{{TypeId::int64, false}, {TypeId::ascii, true}};
  MbrTable leaves(types);
  for (std::int64_t i = 0; i < 12; ++i) {
    Bytes low, high;
    value_to_bytes(TypeId::int64, Value(i), low);
    value_to_bytes(TypeId::int64, Value(i + 1), high);
    const std::string text(1, static_cast<char>('a' + i));
    leaves.add(std::vector<ByteView>{low, bytes_of(text)}, std::vector<ByteView>{high, bytes_of(text)});
  }
  const RTree tree = build_rtree(std::move(leaves));
  ASSERT_EQ(tree.levels.size(), 3u);
  EXPECT_EQ(tree.levels[0].count(), 1u);
  EXPECT_EQ(tree.levels[1].count(), 2u);
  EXPECT_EQ(tree.levels[0].range(0),
            (NdRange{{std::int64_t{0}, std::int64_t{12}}, {std::string("a"), std::string("l")}}));
  EXPECT_EQ(tree.levels[1].range(1)[0], (Range{std::int64_t{10}, std::int64_t{12}}));

  Bytes bytes;
  encode_rtree(tree, 22, bytes);
  Cursor in(bytes, "file");
  const RTree back = decode_rtree(in, 22, types);
  EXPECT_TRUE(in.done());
  EXPECT_EQ(back.leaves().range(11), tree.leaves().range(11));
  const auto found = back.find(
      [](const MbrTable& level, std::uint64_t i) { return std::get<std::int64_t>(level.range(i)[0].high) > 10; });
  EXPECT_EQ(found, (std::vector<std::uint64_t>{10, 11}));

  const auto decode = [&](const char* text) {
    const Bytes damaged = hex(text);
    Cursor from(damaged, "file");
    decode_rtree(from, 22, types);
  };
  EXPECT_ERROR(corrupt, "fanout 0", decode("00000000 00000000"));
  EXPECT_ERROR(corrupt, "levels", decode("0a000000 ffffffff"));
  EXPECT_ERROR(corrupt, "rectangles", decode("0a000000 01000000 ffffffffffffff00"));
  EXPECT_ERROR(corrupt, "below one of",
               decode("0a000000 02000000 0000000000000000 0100000000000000"
                      "0000000000000000 0000000000000000 0000000000000000 0000000000000000"));
}

}  // namespace
}  // namespace tegula::tiledb
