// Documents of every version: what they mean, what is refused and how, and that ours read back as they were meant.
#include "format/zarr/meta/documents.h"

#include "codec/inputs.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/meta/original.h"
#include "format/zarr/meta/schema_model.h"
#include "format/zarr/meta/v1.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"
#include "support/expect_error.h"

namespace tegula::zarr {
namespace {

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
      {"int32",
       R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "numcodecs.fletcher32", "configuration": {}}])",
       "31323334 35363738 31323334 35363738", "31323334353637383132333435363738 a9a16743"},
      {"int32",
       R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "numcodecs.jenkins_lookup3", "configuration": {"initval": 7, "prefix": null}}])",
       "31323334 35363738 31323334 35363738", "31323334353637383132333435363738 d50a97c2"},
      {"float32",
       R"([{"name": "numcodecs.bitround", "configuration": {"keepbits": 3}}, {"name": "bytes", "configuration": {"endian": "little"}}])",
       "0000d03d 0000b0be 00000040 0000807f", "0000d03d 0000b0be 00000040 0000807f"},
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

}  // namespace
}  // namespace tegula::zarr
