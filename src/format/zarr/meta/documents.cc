#include "format/zarr/meta/documents.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/meta/fill_value.h"

namespace tegula::zarr {

namespace {

// Most codecs of format 3 have the name of their package as a prefix.
constexpr std::string_view kPackage = "numcodecs.";

// What every version takes from a schema.
struct Request {
  Shape shape, chunks;
  Datatype type;
  bool var = false, fill_defined = true;
  Bytes fill;
  std::vector<Filter> filters;
  bool column_order = false;
};

std::uint64_t number_of(const Value& value, const Dimension& dimension) {
  if (const auto* i = std::get_if<std::int64_t>(&value); i && *i > 0) return static_cast<std::uint64_t>(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value); u && *u > 0) return *u;
  fail(ErrorKind::invalid_argument, "dimension '{}' needs a tile of at least 1", dimension.name);
}

// TileDB's one-byte types have other names in numpy.
Datatype storable(const Datatype& type, bool var) {
  if (var) return type.is_text() ? Datatype(TypeId::utf8) : Datatype(TypeId::blob);
  if (type.id == TypeId::record || type.id == TypeId::object) return type;
  return datatype_from_numpy(numpy_string(type));
}

Request request_of(const Schema& schema) {
  if (schema.sparse) fail(ErrorKind::unsupported, "zarr arrays are dense");
  if (schema.attributes.size() != 1)
    fail(ErrorKind::unsupported, "a zarr array has one attribute, not {}", schema.attributes.size());
  const Attribute& attribute = schema.attributes[0];
  Request request;
  request.var = attribute.values_per_cell == kVar;
  if (attribute.nullable || (!request.var && attribute.values_per_cell != 1))
    fail(ErrorKind::unsupported, "attribute '{}' is nullable or has several values per cell, which zarr lacks",
         attribute.name);
  request.shape = schema.shape();
  for (std::size_t a = 0; a < schema.dimensions.size(); ++a) {
    const Dimension& dimension = schema.dimensions[a];
    if (dimension.domain != Range{} && dimension.domain.low != Value{std::uint64_t{0}} &&
        dimension.domain.low != Value{std::int64_t{0}})
      fail(ErrorKind::unsupported, "dimension '{}' does not begin at 0, as zarr axes do", dimension.name);
    const bool tiled = dimension.tile != Value{};
    request.chunks.push_back(tiled ? number_of(dimension.tile, dimension)
                                   : std::max<std::uint64_t>(request.shape[a], 1));
  }
  request.type = storable(attribute.type, request.var);
  request.fill_defined = attribute.fill_defined;
  request.fill = attribute.fill;
  if (!request.var && request.fill.empty()) request.fill = Bytes(request.type.full_size(), std::byte{0});
  request.filters = attribute.filters;
  for (Filter& filter : request.filters) {
    if (filter.name.starts_with(kPackage)) filter.name.erase(0, kPackage.size());
    if (filter.name == "bzip2") filter.name = "bz2";
    // A level of -1 means the default of the codec.
    std::erase_if(filter.options, [](const auto& option) {
      return option.first == "level" && option.second == Value{std::int64_t{-1}};
    });
  }
  request.column_order = schema.cell_order == Order::col && request.shape.size() > 1;
  return request;
}

const Value* option(const Filter& filter, std::string_view key) {
  for (const auto& [name, value] : filter.options)
    if (name == key) return &value;
  return nullptr;
}

Json with_defaults(const Filter& filter, Json defaults) {
  const Json given = configuration_of(filter);
  for (const auto& [key, value] : given.items()) defaults[key] = value;
  return defaults;
}

Json fixed_fill(const Request& request, FillStyle style) {
  return request.fill_defined ? fill_to_json(request.fill, request.type, style) : Json(nullptr);
}

void refuse_text(const Request& request) {
  if (request.var) fail(ErrorKind::unsupported, "formats before zarr 2 hold no cells of any length");
}

struct Defaults {
  std::string_view id;
  Json (*make)(const Datatype& type);
};
// Complete configurations as numcodecs writes them: it refuses some that lack a member.
const Defaults kV2Codecs[] = {
    {"blosc",
     [](const Datatype&) -> Json { return {{"cname", "lz4"}, {"clevel", 5}, {"shuffle", 1}, {"blocksize", 0}}; }},
    // Without "checksum": tensorstore and older numcodecs do not know the member.
    {"zstd", [](const Datatype&) -> Json { return {{"level", 1}}; }},
    {"gzip", [](const Datatype&) -> Json { return {{"level", 1}}; }},
    {"zlib", [](const Datatype&) -> Json { return {{"level", 1}}; }},
    {"lz4", [](const Datatype&) -> Json { return {{"acceleration", 1}}; }},
    {"bz2", [](const Datatype&) -> Json { return {{"level", 1}}; }},
    {"lzma",
     [](const Datatype&) -> Json { return {{"format", 1}, {"check", -1}, {"preset", nullptr}, {"filters", nullptr}}; }},
    {"delta", [](const Datatype& t) -> Json { return {{"dtype", numpy_string(t)}, {"astype", numpy_string(t)}}; }},
    {"fixedscaleoffset",
     [](const Datatype& t) -> Json {
       return {{"scale", 1}, {"offset", 0}, {"dtype", numpy_string(t)}, {"astype", numpy_string(t)}};
     }},
    {"quantize",
     [](const Datatype& t) -> Json {
       return {{"digits", 10}, {"dtype", numpy_string(t)}, {"astype", numpy_string(t)}};
     }},
    {"astype",
     [](const Datatype& t) -> Json { return {{"encode_dtype", numpy_string(t)}, {"decode_dtype", numpy_string(t)}}; }},
    {"packbits", [](const Datatype&) -> Json { return Json::object(); }},
    {"shuffle", [](const Datatype& t) -> Json { return {{"elementsize", t.full_size()}}; }},
    {"crc32", [](const Datatype&) -> Json { return Json::object(); }},
    {"adler32", [](const Datatype&) -> Json { return Json::object(); }},
    {"crc32c", [](const Datatype&) -> Json { return Json::object(); }},
    {"fletcher32", [](const Datatype&) -> Json { return Json::object(); }},
    {"jenkins_lookup3", [](const Datatype&) -> Json { return {{"initval", 0}, {"prefix", nullptr}}; }},
    {"bitround", [](const Datatype&) -> Json { return Json::object(); }},
};
constexpr std::string_view kCompressors[] = {"blosc", "zstd", "gzip", "zlib", "lz4", "bz2", "lzma"};

bool is_compressor(std::string_view id) {
  return std::find(std::begin(kCompressors), std::end(kCompressors), id) != std::end(kCompressors);
}

Json v2_codec(const Filter& filter, const Datatype& type) {
  const auto* row =
      std::find_if(std::begin(kV2Codecs), std::end(kV2Codecs), [&](const Defaults& d) { return d.id == filter.name; });
  if (row == std::end(kV2Codecs)) fail(ErrorKind::unsupported, "zarr 2 has no codec '{}'", filter.name);
  Json codec = with_defaults(filter, row->make(type));
  codec["id"] = filter.name;
  if (filter.name == "zstd" && codec.value("checksum", Json()) == false) codec.erase("checksum");
  return codec;
}

void refuse_zstd(const Json& blosc, std::string_view version) {
  if (blosc["cname"] == "zstd")
    fail(ErrorKind::unsupported, "the Blosc of {} has no zstd; use lz4, lz4hc, blosclz, snappy or zlib", version);
}

}  // namespace

Json document_original(const Schema& schema) {
  const Request request = request_of(schema);
  refuse_text(request);
  if (request.shape.empty()) fail(ErrorKind::unsupported, "the original format has no arrays without axes");
  if (request.column_order) fail(ErrorKind::unsupported, "the original format stores cells in row order only");
  if (request.filters.size() > 1 || (request.filters.size() == 1 && request.filters[0].name != "blosc"))
    fail(ErrorKind::unsupported, "the original format compresses with blosc and nothing else");
  const Json blosc = with_defaults(request.filters.empty() ? Filter{"blosc", {}} : request.filters[0],
                                   {{"cname", "blosclz"}, {"clevel", 5}, {"shuffle", 1}});
  refuse_zstd(blosc, "zarr 0.4");
  return {{"shape", request.shape},
          {"chunks", request.chunks},
          {"dtype", numpy_dtype_json(request.type)},
          {"cname", blosc["cname"]},
          {"clevel", blosc["clevel"]},
          {"shuffle", blosc["shuffle"]},
          {"fill_value", fixed_fill(request, FillStyle::numpy)}};
}

Json document_v1(const Schema& schema) {
  const Request request = request_of(schema);
  refuse_text(request);
  if (request.filters.size() > 1)
    fail(ErrorKind::unsupported, "zarr 1 takes one compressor, not {} filters", request.filters.size());
  Json compression = "none", opts = nullptr;
  if (!request.filters.empty()) {
    const Filter& filter = request.filters[0];
    compression = filter.name == "gzip" ? "zlib" : filter.name;
    if (filter.name == "blosc") {
      const Json blosc = with_defaults(filter, {{"cname", "lz4"}, {"clevel", 5}, {"shuffle", 1}});
      refuse_zstd(blosc, "zarr 1");
      if (request.type.is_date()) fail(ErrorKind::unsupported, "the Blosc of zarr 1 refuses dates; use zlib");
      opts = {{"cname", blosc["cname"]}, {"clevel", blosc["clevel"]}, {"shuffle", blosc["shuffle"]}};
    } else if (filter.name == "zlib" || filter.name == "gzip" || filter.name == "bz2") {
      opts = with_defaults(filter, {{"level", 1}})["level"];
    } else if (filter.name == "lzma") {
      // Python's lzma takes a preset or a chain of filters, not both.
      const bool chain = option(filter, "filters") != nullptr;
      opts = with_defaults(
          filter, {{"format", 1}, {"check", 0}, {"preset", chain ? Json(nullptr) : Json(1)}, {"filters", nullptr}});
    } else {
      fail(ErrorKind::unsupported, "zarr 1 has no compressor '{}'", filter.name);
    }
  }
  return {{"zarr_format", 1},
          {"shape", request.shape},
          {"chunks", request.chunks},
          {"dtype", numpy_dtype_json(request.type)},
          {"compression", compression},
          {"compression_opts", opts},
          {"fill_value", fixed_fill(request, FillStyle::numpy)},
          {"order", request.column_order ? "F" : "C"}};
}

Json document_v2(const Schema& schema) {
  const Request request = request_of(schema);
  Json filters = Json::array(), compressor = nullptr, fill;
  if (request.var) {
    filters.push_back({{"id", request.type.is_text() ? "vlen-utf8" : "vlen-bytes"}});
    if (!request.type.is_text() && !request.fill.empty())
      fail(ErrorKind::unsupported, "zarr 2 cannot store a fill value of bytes of any length");
    fill =
        request.type.is_text() && request.fill_defined ? var_fill_to_json(request.fill, request.type) : Json(nullptr);
  } else {
    fill = fixed_fill(request, FillStyle::v2);
  }
  Datatype type = request.var ? Datatype(TypeId::uint8) : request.type;
  for (std::size_t i = 0; i < request.filters.size(); ++i) {
    const Filter& filter = request.filters[i];
    if (filter.name.starts_with("vlen-")) continue;  // of a schema that was read
    Json codec = v2_codec(filter, type);
    make_byte_step(filter.name, codec, type);
    if (i + 1 == request.filters.size() && is_compressor(filter.name))
      compressor = std::move(codec);
    else
      filters.push_back(std::move(codec));
  }
  return {{"zarr_format", 2},         {"shape", request.shape},
          {"chunks", request.chunks}, {"dtype", request.var ? Json("|O") : numpy_dtype_json(request.type)},
          {"compressor", compressor}, {"filters", filters.empty() ? Json(nullptr) : filters},
          {"fill_value", fill},       {"order", request.column_order ? "F" : "C"}};
}

namespace {

Json v3_codec(std::string_view name, Json configuration) {
  Json codec = {{"name", name}};
  if (!configuration.empty()) codec["configuration"] = std::move(configuration);
  return codec;
}

Json package_codec(const Filter& filter, const Datatype& type) {
  Json configuration = v2_codec(filter, type);
  configuration.erase("id");
  return {{"name", std::string(kPackage) + filter.name}, {"configuration", std::move(configuration)}};
}

Json v3_byte_codec(const Filter& filter, const Datatype& type) {
  if (filter.name == "blosc") {
    Json blosc = with_defaults(filter, {{"typesize", std::min<std::uint64_t>(type.full_size(), 255)},
                                        {"cname", "lz4"},
                                        {"clevel", 5},
                                        {"shuffle", "shuffle"},
                                        {"blocksize", 0}});
    if (blosc["shuffle"].is_number_integer()) {
      const auto shuffle = blosc["shuffle"].get<std::int64_t>();
      constexpr std::string_view kNames[] = {"noshuffle", "shuffle", "bitshuffle"};
      if (shuffle < -1 || shuffle > 2)
        fail(ErrorKind::invalid_argument, "blosc shuffle {} is not one of 0, 1, 2", shuffle);
      blosc["shuffle"] = kNames[shuffle == -1 ? (type.full_size() == 1 ? 2 : 1) : shuffle];
    }
    return v3_codec("blosc", std::move(blosc));
  }
  if (filter.name == "zstd") return v3_codec("zstd", with_defaults(filter, {{"level", 0}, {"checksum", false}}));
  if (filter.name == "gzip") return v3_codec("gzip", with_defaults(filter, {{"level", 5}}));
  if (filter.name == "crc32c") return v3_codec("crc32c", Json::object());
  constexpr std::string_view kOthers[] = {"shuffle", "crc32", "adler32", "fletcher32", "jenkins_lookup3"};
  if (!is_compressor(filter.name) &&
      std::find(std::begin(kOthers), std::end(kOthers), filter.name) == std::end(kOthers))
    fail(ErrorKind::unsupported, "zarr 3 has no codec '{}' that this build writes", filter.name);
  return package_codec(filter, type);
}

// Array -> array codecs: they precede the array -> bytes codec.
bool filters_numbers(std::string_view id) {
  constexpr std::string_view kNames[] = {"delta", "fixedscaleoffset", "quantize", "astype", "packbits", "bitround"};
  return std::find(std::begin(kNames), std::end(kNames), id) != std::end(kNames);
}

// `type` is that of the cells after the array -> array codecs.
Json serializer_v3(const Request& request, const Datatype& type, const Filter* bytes) {
  if (request.var) return v3_codec(request.type.is_text() ? "vlen-utf8" : "vlen-bytes", Json::object());
  const bool one_byte =
      type.size == 1 || type.id == TypeId::bytes || type.id == TypeId::raw || type.id == TypeId::record;
  if (one_byte) return v3_codec("bytes", Json::object());
  const Value* endian = bytes ? option(*bytes, "endian") : nullptr;
  const auto* text = endian ? std::get_if<std::string>(endian) : nullptr;
  return v3_codec("bytes", {{"endian", text ? *text : "little"}});
}

// {"chunk_shape": "[32, 32]", "index_location": "end"}: the codecs of the array become those of the inner chunks.
Json sharding_v3(const Filter& filter, Json inner, const Request& request) {
  Json configuration = configuration_of(filter);
  if (!configuration.contains("chunk_shape")) {
    // By default a sixteenth of each axis, where that is a whole number, so that small windows read little.
    Shape chunk;
    for (const std::uint64_t n : request.chunks) chunk.push_back(n % 16 == 0 ? n / 16 : n);
    configuration["chunk_shape"] = chunk;
  }
  Json out = {{"chunk_shape", configuration["chunk_shape"]}};
  out["codecs"] = configuration.contains("codecs") ? configuration["codecs"] : std::move(inner);
  out["index_codecs"] =
      configuration.contains("index_codecs")
          ? configuration["index_codecs"]
          : Json::array({v3_codec("bytes", {{"endian", "little"}}), v3_codec("crc32c", Json::object())});
  out["index_location"] = configuration.value("index_location", "end");
  return v3_codec("sharding_indexed", std::move(out));
}

}  // namespace

Json document_v3(const Schema& schema) {
  Request request = request_of(schema);
  // Here the codecs decide the byte order; cells are little-endian in memory.
  if (request.type.big_endian) {
    swap_cells(request.fill, request.type);
    request.type.big_endian = false;
  }
  Json before = Json::array(), after = Json::array();
  const Filter *bytes = nullptr, *sharding = nullptr;
  Datatype type = request.var ? Datatype(TypeId::uint8) : request.type;
  for (const Filter& filter : request.filters) {
    if (filter.name == "transpose") {
      before.push_back(v3_codec("transpose", configuration_of(filter)));
    } else if (filters_numbers(filter.name)) {
      if (!after.empty())
        fail(ErrorKind::unsupported, "zarr 3 filters numbers before it compresses, not after: '{}'", filter.name);
      before.push_back(package_codec(filter, type));
      make_byte_step(filter.name, before.back()["configuration"], type);
    } else if (filter.name == "bytes") {
      bytes = &filter;
    } else if (filter.name == "sharding" || filter.name == "sharding_indexed") {
      sharding = &filter;
    } else if (!filter.name.starts_with("vlen-")) {
      after.push_back(v3_byte_codec(filter, type));
    }
  }
  if (request.column_order && before.empty()) {
    std::vector<std::uint32_t> order(request.shape.size());
    std::iota(order.rbegin(), order.rend(), 0u);
    before.push_back(v3_codec("transpose", {{"order", order}}));
  }
  Json codecs = std::move(before);
  codecs.push_back(serializer_v3(request, type, bytes));
  if (sharding && option(*sharding, "codecs")) {  // a schema that was read from an array has its own
    codecs.back() = sharding_v3(*sharding, nullptr, request);
    for (Json& codec : after) codecs.push_back(std::move(codec));
  } else {
    for (Json& codec : after) codecs.push_back(std::move(codec));
    if (sharding) codecs = Json::array({sharding_v3(*sharding, std::move(codecs), request)});
  }
  Json document = {{"shape", request.shape},
                   {"data_type", v3_dtype_json(request.type, request.var)},
                   {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", request.chunks}}}}},
                   {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
                   {"fill_value", request.var ? var_fill_to_json(request.fill, request.type)
                                              : fill_to_json(request.fill, request.type, FillStyle::v3)},
                   {"codecs", std::move(codecs)},
                   {"attributes", Json::object()}};
  bool own_names = false;
  Json names = Json::array();
  for (std::size_t a = 0; a < schema.dimensions.size(); ++a) {
    const std::string& name = schema.dimensions[a].name;
    const bool own = !name.empty() && name != "dim_" + std::to_string(a);
    own_names |= own;
    names.push_back(own ? Json(name) : Json(nullptr));
  }
  if (own_names) document["dimension_names"] = names;
  document["zarr_format"] = 3;
  document["node_type"] = "array";
  document["storage_transformers"] = Json::array();
  return document;
}

Json group_document(int version) {
  Json document = {{"zarr_format", version}};
  if (version == 3) {
    document["node_type"] = "group";
    document["attributes"] = Json::object();
  }
  return document;
}

std::string dump_document(const Json& document, int version) {
  JsonStyle style;
  style.indent = version == 3 ? 2 : 4;
  style.sort_keys = version != 3;
  return dump_json(document, style);
}

}  // namespace tegula::zarr
