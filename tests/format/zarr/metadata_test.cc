// Documents of every version: what they mean, what is refused and how, and that ours read back as they were meant.
#include "codec/inputs.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/driver.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/meta/base64.h"
#include "format/zarr/meta/fill_value.h"
#include "format/zarr/meta/metadata_files.h"
#include "store/memory/memory_store.h"
#include "store/wrap/sub_store.h"
#include "support/expect_error.h"

namespace tegula::zarr {
namespace {

using Bytes4 = std::vector<int>;

Bytes4 numbers(const Bytes& bytes) {
  Bytes4 out;
  for (const std::byte b : bytes) out.push_back(std::to_integer<int>(b));
  return out;
}

struct FillRow {
  const char* json;
  const char* dtype;
  FillStyle style;
  Bytes4 bytes;
};

TEST(FillValue, TakesEverySpelling) {
  const FillRow rows[] = {
      {"0", "<i4", FillStyle::numpy, {0, 0, 0, 0}},
      {"2.5", "<i2", FillStyle::numpy, {2, 0}},
      {"-2.5", ">i2", FillStyle::numpy, {255, 254}},
      {"true", "<i2", FillStyle::numpy, {1, 0}},
      {"-1", "|u1", FillStyle::numpy, {255}},
      {"3", "|b1", FillStyle::numpy, {1}},
      {"0", "|S3", FillStyle::numpy, {'0', 0, 0}},
      {"17", "<U2", FillStyle::numpy, {'1', 0, 0, 0, '7', 0, 0, 0}},
      {"\"abcd\"", ">U2", FillStyle::numpy, {0, 0, 0, 'a', 0, 0, 0, 'b'}},
      {"0", "[('a', '<i2'), ('b', 'S2')]", FillStyle::numpy, {0, 0, '0', 0}},
      {"5", "<c8", FillStyle::numpy, {0, 0, 0xa0, 0x40, 0, 0, 0, 0}},
      {"18446744073709551615", "<u8", FillStyle::v2, {255, 255, 255, 255, 255, 255, 255, 255}},
      {"\"-Infinity\"", "<f4", FillStyle::v2, {0, 0, 0x80, 0xff}},
      {"[1.5, \"NaN\"]", "<c8", FillStyle::v2, {0, 0, 0xc0, 0x3f, 0, 0, 0xc0, 0x7f}},
      {"\"Yf8=\"", "|S3", FillStyle::v2, {'a', 255, 0}},
      {"\"NaT\"", "<M8[D]", FillStyle::v3, {0, 0, 0, 0, 0, 0, 0, 128}},
      {"\"0x7fc00001\"", "<f4", FillStyle::v3, {1, 0, 0xc0, 0x7f}},
      {"0.5", "<f2", FillStyle::v3, {0, 0x38}},
      {"[1, 2]", "|V2", FillStyle::v3, {1, 2}},
  };
  for (const FillRow& row : rows) {
    SCOPED_TRACE(row.json + std::string(" as ") + row.dtype);
    EXPECT_EQ(numbers(fill_from_json(parse_json(bytes_of(row.json), "x"), datatype_from_numpy(row.dtype), row.style)),
              row.bytes);
  }
}

TEST(FillValue, RefusesWhatDoesNotFit) {
  const FillRow rows[] = {{"256", "|u1", FillStyle::v3, {}},      {"-129", "|i1", FillStyle::v3, {}},
                          {"true", "<i4", FillStyle::v3, {}},     {"\"x\"", "<i4", FillStyle::v2, {}},
                          {"\"0x1\"", "<f4", FillStyle::v3, {}},  {"{}", "<f8", FillStyle::numpy, {}},
                          {"\"@@@@\"", "|S3", FillStyle::v2, {}}, {"\"YWJjZA==\"", "|S3", FillStyle::v2, {}},
                          {"1e300", "<i8", FillStyle::numpy, {}}, {"[1]", "<c8", FillStyle::v3, {}}};
  for (const FillRow& row : rows) {
    SCOPED_TRACE(row.json + std::string(" as ") + row.dtype);
    EXPECT_ERROR(corrupt, "does not suit",
                 fill_from_json(parse_json(bytes_of(row.json), "x"), datatype_from_numpy(row.dtype), row.style));
  }
}

TEST(FillValue, RoundTripsThroughJson) {
  for (const char* dtype : {"|b1", "<i2", ">i8", "<u8", "<f2", "<f8", ">c16", "|S3", "<U2", "|V3", "<M8[ns]",
                            "[('a', '<i4'), ('b', 'S2')]"})
    for (const FillStyle style : {FillStyle::v2, FillStyle::v3}) {
      const Datatype type = datatype_from_numpy(dtype);
      Bytes cell(type.full_size(), std::byte{0});
      cell[0] = std::byte{1};
      if (type.id == TypeId::unicode) cell[0] = std::byte{'a'};
      EXPECT_EQ(numbers(fill_from_json(fill_to_json(cell, type, style), type, style)), numbers(cell)) << dtype;
    }
}

TEST(Base64, TakesOnlyWholeText) {
  for (const char* text : {"", "a", "ab", "abc", "abcd"})
    EXPECT_EQ(text_of(*base64_decode(base64_encode(bytes_of(text)))), text);
  for (const char* text : {"A", "AAA", "A===", "AA=A", "AAA=AAAA", "A A=", "\xff\xff\xff\xff"})
    EXPECT_FALSE(base64_decode(text)) << text;
}

TEST(KeyEncoding, NamesChunksAndReadsTheNames) {
  const KeyEncoding original{"__zdata__/", '.', ".blosc", "0"}, nested{"c/", '/', "", "c"}, flat{"", '.', "", "0"};
  EXPECT_EQ(original.key({3, 12}), "__zdata__/3.12.blosc");
  EXPECT_EQ(nested.key({3, 12}), "c/3/12");
  EXPECT_EQ(nested.key({}), "c");
  EXPECT_EQ(flat.key({7}), "7");
  for (const KeyEncoding& keys : {original, nested, flat}) EXPECT_EQ(keys.chunk(keys.key({3, 12}), 2), (Shape{3, 12}));
  for (const char* key :
       {"3", "3.", ".3", "3.12.1", "03.1", "3.x", "3.-1", "3.99999999999999999999", "3.12.partial", ""})
    EXPECT_FALSE(flat.chunk(key, 2)) << key;
}

constexpr const char* kV2 = R"({"zarr_format": 2, "shape": [6, 5], "chunks": [4, 3], "dtype": "<i4", "compressor": null,
                                "filters": null, "fill_value": 0, "order": "C"})";
constexpr const char* kV3 = R"({"zarr_format": 3, "node_type": "array", "shape": [6, 5], "data_type": "int32",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 3]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": 0,
  "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "attributes": {}})";
constexpr const char* kV1 =
    R"({"zarr_format": 1, "shape": [6, 5], "chunks": [4, 3], "dtype": "<i4", "compression": "none",
                                "compression_opts": null, "fill_value": null, "order": "F"})";
constexpr const char* kV0 =
    R"({"shape": [6, 5], "chunks": [4, 3], "dtype": "<i4", "cname": "lz4", "clevel": 5, "shuffle": 1,
                                "fill_value": NaN})";

TEST(Documents, SayWhatTheArrayIs) {
  const ArrayMeta v1 = parse_v1(bytes_of(kV1), "meta");
  EXPECT_EQ(v1.shape, (Shape{6, 5}));
  EXPECT_EQ(v1.chain.permutation, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_FALSE(v1.fill_defined);
  EXPECT_EQ(schema_of(v1).cell_order, Order::col);
  const ArrayMeta v2 = parse_v2(bytes_of(kV2), ".zarray");
  EXPECT_TRUE(v2.chain.plain());
  const Schema schema = schema_of(v2);
  EXPECT_EQ(schema.format, "zarr2");
  EXPECT_EQ(schema.shape(), (Shape{6, 5}));
  EXPECT_EQ(schema.dimensions[1].name, "dim_1");
  Json named = Json::parse(kV3);
  named["dimension_names"] = {"y", nullptr};
  EXPECT_EQ(schema_of(parse_v3(named, "zarr.json")).dimensions[0].name, "y");
  EXPECT_EQ(schema_of(parse_v3(named, "zarr.json")).dimensions[1].name, "dim_1");
}

struct Change {
  const char* path;   // a JSON pointer
  const char* value;  // null: remove
  ErrorKind kind;
  const char* part;
};

void expect_refused(const Json& base, std::span<const Change> changes, ArrayMeta (*parse)(ByteView, std::string_view)) {
  EXPECT_NO_THROW(parse(bytes_of(base.dump()), "doc"));
  for (const Change& change : changes) {
    SCOPED_TRACE(std::string(change.path) + " = " + (change.value ? change.value : "nothing"));
    Json document = base;
    if (change.value)
      document[Json::json_pointer(change.path)] = parse_json(bytes_of(change.value), "x");
    else
      document.erase(change.path + 1);
    const std::string text = dump_json(document);
    try {
      parse(bytes_of(text), "doc");
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_EQ(name(error.kind()), name(change.kind)) << error.what();
      EXPECT_NE(std::string(error.what()).find(change.part), std::string::npos) << error.what();
    }
  }
}

constexpr ErrorKind kCorrupt = ErrorKind::corrupt, kUnsupported = ErrorKind::unsupported;

TEST(Documents, OriginalOnesThatAreRefused) {
  Json base = Json::parse(kV2);
  for (const char* key : {"zarr_format", "compressor", "filters", "order"}) base.erase(key);
  base["cname"] = "lz4";
  base["clevel"] = 5;
  base["shuffle"] = 1;
  const Change changes[] = {{"/shape", nullptr, kCorrupt, "shape"},    {"/shape", "[6, -5]", kCorrupt, "-5"},
                            {"/shape", "[]", kCorrupt, "no axes"},     {"/chunks", "[4]", kCorrupt, "axes"},
                            {"/chunks", "[4, 0]", kCorrupt, "0"},      {"/dtype", "\"|O\"", kUnsupported, "object"},
                            {"/dtype", "\"<q9\"", kUnsupported, "q9"}, {"/cname", "\"brotli\"", kUnsupported, "brotli"},
                            {"/clevel", "12", kCorrupt, "clevel"},     {"/fill_value", nullptr, kCorrupt, "fill_value"},
                            {"/fill_value", "{}", kCorrupt, "fill"},   {"/dtype", "[[\"a\"]]", kCorrupt, "field"}};
  expect_refused(base, changes, parse_original);
  EXPECT_NO_THROW(parse_original(
      bytes_of(
          R"({"shape": [6], "chunks": [4], "dtype": "<f4", "cname": "lz4", "clevel": 5, "shuffle": 1, "fill_value": NaN})"),
      "m"));
  EXPECT_ERROR(corrupt, "suit", parse_original(bytes_of(kV0), "m"));
  EXPECT_ERROR(corrupt, "empty", parse_original({}, "__zmeta__"));
}

TEST(Documents, VersionTwoOnesThatAreRefused) {
  const Change changes[] = {
      {"/zarr_format", "3", kCorrupt, "zarr_format"},
      {"/shape", "\"6\"", kCorrupt, "shape"},
      {"/shape", "[4611686018427387905, 1]", kCorrupt, "shape"},
      {"/chunks", "[4611686018427387904, 4611686018427387904]", kCorrupt, "2^62"},
      {"/order", "\"K\"", kCorrupt, "order"},
      {"/compressor", R"({"id": "snappy"})", kUnsupported, "snappy"},
      {"/compressor", R"({"level": 1})", kCorrupt, "id"},
      {"/compressor", R"({"id": "zstd", "level": "high"})", kCorrupt, "level"},
      {"/compressor", R"({"id": "blosc", "cname": "brotli"})", kUnsupported, "brotli"},
      {"/filters", R"([{"id": "pcodec"}])", kUnsupported, "pcodec"},
      {"/filters", R"([{"id": "vlen-utf8"}])", kUnsupported, "vlen-utf8"},
      {"/filters", "3", kCorrupt, "filters"},
      {"/dtype", "\"|O\"", kUnsupported, "object"},
      {"/dimension_separator", "\"-\"", kCorrupt, "separator"},
      {"/compressor", nullptr, kCorrupt, "compressor"},
  };
  expect_refused(Json::parse(kV2), changes, parse_v2);
}

TEST(Documents, VersionThreeOnesThatAreRefused) {
  const char* bad_shards =
      R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [3, 3], "codecs": ["bytes"], "index_codecs": ["bytes"]}})";
  const char* packed_index = R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3],
      "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
      "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "zstd"]}})";
  const Change changes[] = {
      {"/zarr_format", "2", kCorrupt, "zarr_format"},
      {"/node_type", "\"group\"", ErrorKind::not_found, "group"},
      {"/surprise", "{}", kUnsupported, "surprise"},
      {"/surprise", R"({"must_understand": true})", kUnsupported, "surprise"},
      {"/storage_transformers", R"([{"name": "chaos"}])", kUnsupported, "chaos"},
      {"/data_type", "\"int7\"", kUnsupported, "int7"},
      {"/data_type", R"({"name": "quaternion", "configuration": {}})", kUnsupported, "quaternion"},
      {"/chunk_grid/name", "\"rectangular\"", kUnsupported, "rectangular"},
      {"/chunk_key_encoding/name", "\"hashed\"", kUnsupported, "hashed"},
      {"/codecs", "[]", kCorrupt, "array -> bytes"},
      {"/codecs/0/name", "\"packed\"", kUnsupported, "packed"},
      {"/codecs/0/configuration", "{}", kCorrupt, "byte order"},
      {"/codecs/1", R"({"name": "brotli"})", kUnsupported, "brotli"},
      {"/codecs/1", R"({"name": "bytes", "configuration": {"endian": "little"}})", kCorrupt, "two"},
      {"/codecs/1", R"({"name": "transpose", "configuration": {"order": [1, 0]}})", kCorrupt, "transpose"},
      {"/codecs/0", R"({"name": "transpose", "configuration": {"order": [1, 1]}})", kCorrupt, "permutation"},
      {"/codecs/0", bad_shards, kCorrupt, "divide"},
      {"/codecs/0", packed_index, kUnsupported, "index"},
      {"/fill_value", nullptr, kCorrupt, "fill_value"},
      {"/fill_value", "3000000000", kCorrupt, "suit"},
      {"/dimension_names", R"(["x"])", kCorrupt, "dimension_names"},
  };
  expect_refused(Json::parse(kV3), changes, parse_v3);
  Json optional = Json::parse(kV3);
  optional["hint"] = {{"must_understand", false}};
  EXPECT_NO_THROW(parse_v3(optional, "zarr.json"));
}

TEST(Documents, AreWrittenAsTheLibrariesWriteThem) {
  Schema schema = schema_of(parse_v2(bytes_of(kV2), "x"));
  schema.attributes[0].filters = {{"blosc", {}}};
  EXPECT_EQ(dump_document(document_original(schema), 0),
            "{\n    \"chunks\": [\n        4,\n        3\n    ],\n    \"clevel\": 5,\n    \"cname\": \"blosclz\",\n    "
            "\"dtype\": \"<i4\",\n"
            "    \"fill_value\": 0,\n    \"shape\": [\n        6,\n        5\n    ],\n    \"shuffle\": 1\n}");
  const ArrayMeta again = parse_v3(document_v3(schema), "zarr.json");
  EXPECT_EQ(again.shape, (Shape{6, 5}));
  EXPECT_EQ(again.chunks, (Shape{4, 3}));
  EXPECT_EQ(again.filters.back().name, "blosc");
  schema.attributes[0].filters = {{"rle", {}}};
  EXPECT_ERROR(unsupported, "rle", document_v3(schema));
  EXPECT_ERROR(unsupported, "rle", document_v2(schema));
  EXPECT_ERROR(unsupported, "rle", document_v1(schema));
  EXPECT_ERROR(unsupported, "blosc", document_original(schema));
  schema.attributes[0].filters = {{"blosc", {{"cname", "zstd"}}}};
  EXPECT_ERROR(unsupported, "zstd", document_original(schema));
  schema.sparse = true;
  EXPECT_ERROR(unsupported, "dense", document_v2(schema));
}

// Codecs as zarr-python 3.1 writes them; the bytes of the chunk are those of numcodecs.
TEST(Documents, VersionThreeFiltersOfNumbers) {
  struct Case {
    const char *type, *codecs, *raw, *stored;
  };
  const Case cases[] = {
      {"int32",
       R"([{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}, {"name": "bytes", "configuration": {"endian": "little"}}])",
       "05000000 07000000 06000000 06000000", "05000000 02000000 ffffffff 00000000"},
      {"int32",
       R"([{"name": "numcodecs.delta", "configuration": {"dtype": "<i4", "astype": "<i2"}}, {"name": "bytes", "configuration": {"endian": "big"}}])",
       "05000000 07000000 06000000 06000000", "0005 0002 ffff 0000"},
      {"float64",
       R"([{"name": "numcodecs.fixedscaleoffset", "configuration": {"offset": 1, "scale": 2, "dtype": "float64", "astype": "|u1"}}, "bytes"])",
       "000000000000f03f 000000000000f83f 0000000000000040 0000000000001440", "00 01 02 08"},
      {"int32",
       R"([{"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i8", "decode_dtype": "int32"}}, {"name": "bytes", "configuration": {"endian": "little"}}])",
       "01000000 ffffffff 00000000 02000000", "0100000000000000 ffffffffffffffff 0000000000000000 0200000000000000"},
      {"bool", R"([{"name": "numcodecs.packbits", "configuration": {}}, "bytes"])", "01 00 01 01", "04 b0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.codecs);
    Json document = Json::parse(kV3);
    document["shape"] = Json::parse("[4]");
    document["chunk_grid"]["configuration"]["chunk_shape"] = Json::parse("[4]");
    document["data_type"] = c.type;
    document["fill_value"] = std::string_view(c.type) == "bool" ? Json(false) : Json(0);
    document["codecs"] = Json::parse(c.codecs);
    document.erase("dimension_names");
    const ArrayMeta meta = parse_v3(document, "zarr.json");
    const Bytes raw = codec::from_hex(c.raw), stored = codec::from_hex(c.stored);
    EXPECT_EQ(encode_chunk(meta.chain, raw, meta.chunks, meta.cell), stored);
    Bytes back(raw.size());
    decode_chunk(meta.chain, stored, meta.chunks, meta.cell, back);
    EXPECT_EQ(back, raw);
    // What is written for the schema reads the same.
    const ArrayMeta again = parse_v3(document_v3(schema_of(meta)), "zarr.json");
    EXPECT_EQ(encode_chunk(again.chain, raw, again.chunks, again.cell), stored);
  }
}

TEST(Groups, AreCreatedAndTheirAttributesChanged) {
  for (const char* format : {"zarr2", "zarr3"}) {
    SCOPED_TRACE(format);
    const auto store = make_memory_store();
    const auto group = kZarrDriver.create_group(store, format, {});
    EXPECT_EQ(group->format(), format);
    EXPECT_TRUE(group->metadata().empty());
    MetaValue title;
    title.type = Datatype(TypeId::utf8);
    title.data = copy_of(bytes_of("root"));
    group->update_metadata({{"title", title}, {"other", title}});
    group->update_metadata({{"other", std::nullopt}});
    for (const auto& handle : {group, kZarrDriver.open_group(store, {})}) {
      const Metadata metadata = handle->metadata();
      ASSERT_EQ(metadata.size(), 1u);
      EXPECT_EQ(text_of(metadata.at("title").data), "\"root\"");
    }
    EXPECT_ERROR(invalid_argument, "already a zarr group", kZarrDriver.create_group(store, format, {}));
    EXPECT_ERROR(invalid_argument, "already a zarr group",
                 kZarrDriver.create(store, schema_of(parse_v2(bytes_of(kV2), "x")), {}));
  }
  EXPECT_ERROR(unsupported, "no groups", kZarrDriver.create_group(make_memory_store(), "zarr1", {}));
  // A folder of arrays gets its document; one of other things does not.
  const auto folder = make_memory_store();
  folder->put_text("x/.zarray", kV2);
  EXPECT_ERROR(unsupported, "plain folder", kZarrDriver.open_group(folder, {})->update_metadata({}));
  EXPECT_EQ(kZarrDriver.create_group(folder, "zarr2", {})->members().size(), 1u);
  folder->put_text(".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {".zattrs": {}, "x/.zarray": {}}})");
  MetaValue number;
  number.json = true;
  number.data = copy_of(bytes_of("3"));
  kZarrDriver.open_group(folder, {})->update_metadata({{"n", number}});
  EXPECT_EQ(kZarrDriver.open_group(folder, {})->metadata().count("n"), 1u);
  const auto notes = make_memory_store();
  notes->put_text("notes.txt", "");
  EXPECT_ERROR(invalid_argument, "something else", kZarrDriver.create_group(notes, "zarr3", {}));
}

TEST(FindNode, FoldersNamedLikeDocumentsAreNone) {
  const auto store = make_memory_store();
  store->put_text("meta/sizes", "{}");
  store->put_text("attrs/x", "{}");
  store->put_text("below/meta/sizes", "{}");
  EXPECT_EQ(find_node(*store).kind, ObjectKind::none);
  EXPECT_EQ(find_node(*store, "below").kind, ObjectKind::none);
  EXPECT_EQ(kZarrDriver.probe(*store).kind, ObjectKind::none);
}

TEST(Groups, ListMembersWithAndWithoutConsolidatedMetadata) {
  const auto store = make_memory_store();
  store->put_text(".zgroup", R"({"zarr_format": 2})");
  store->put_text(".zattrs", R"({"title": "root"})");
  store->put_text("x/.zarray", kV2);
  store->put_text("deep/er/y/.zarray", kV2);
  store->put_text("other/notes.txt", "no node");
  auto names = [&] {
    std::string out;
    for (const Member& member : kZarrDriver.open_group(store, {})->members())
      out += member.name + (member.kind == ObjectKind::array ? "[] " : "/ ");
    return out;
  };
  EXPECT_EQ(names(), "x[] ");
  store->put_text("deep/.zgroup", R"({"zarr_format": 2})");
  EXPECT_EQ(names(), "deep/ x[] ");
  EXPECT_EQ(kZarrDriver.open_group(store, {})->metadata().count("title"), 1u);
  store->put_text(
      ".zmetadata",
      R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {}, "a/.zarray": {}, "b/c/.zarray": {}}})");
  EXPECT_EQ(names(), "a[] b/ ");
  EXPECT_EQ(kZarrDriver.probe(*store).kind, ObjectKind::group);
  EXPECT_EQ(kZarrDriver.probe(*sub_store(store, "deep/er")).kind, ObjectKind::group);
  EXPECT_EQ(kZarrDriver.probe(*sub_store(store, "other")).kind, ObjectKind::none);
}

}  // namespace
}  // namespace tegula::zarr
