#include "format/zarr/meta/v2.h"

#include <algorithm>

#include "base/fail.h"
#include "format/zarr/codec/cell_order.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/fill_value.h"

namespace tegula::zarr {

namespace {

// {"id": "zstd", "level": 1} -> the id; `configuration` is set to the rest.
std::string codec_id(const Json& codec, Json& configuration) {
  if (!codec.is_object() || !codec.contains("id") || !codec["id"].is_string())
    fail(ErrorKind::corrupt, "codec {} has no id", dump_json(codec));
  configuration = codec;
  configuration.erase("id");
  return codec["id"].get<std::string>();
}

struct ObjectCodec {
  std::string_view id;
  Serializer serializer;
  TypeId type;
};
constexpr ObjectCodec kObjectCodecs[] = {{"vlen-utf8", Serializer::variable, TypeId::utf8},
                                         {"vlen-bytes", Serializer::variable, TypeId::blob},
                                         {"json2", Serializer::json, TypeId::utf8}};

const ObjectCodec* object_codec(std::string_view id) {
  const auto* it = std::find_if(std::begin(kObjectCodecs), std::end(kObjectCodecs),
                                [&](const ObjectCodec& c) { return c.id == id; });
  return it == std::end(kObjectCodecs) ? nullptr : it;
}

}  // namespace

ArrayMeta parse_v2(ByteView text, std::string_view name) { return parse_v2(parse_json(text, name), name); }

ArrayMeta parse_v2(Json document, std::string_view name) {
  if (!document.is_object()) fail(ErrorKind::corrupt, "{} is not a JSON object", name);
  if (const Json& version = member(document, "zarr_format"); version != 2)
    fail(ErrorKind::corrupt, "{} has zarr_format {}, expected 2", name, dump_json(version));
  ArrayMeta meta;
  meta.version = 2;
  meta.shape = shape_member(document, "shape");
  meta.chunks = shape_member(document, "chunks");
  Datatype type = numpy_dtype(member(document, "dtype"));
  const bool object = type.id == TypeId::object;
  meta.cell.type = type;
  meta.cell.var = object;
  meta.chain.permutation = order_permutation(member(document, "order"), meta.rank());

  Json codecs = Json::array();
  if (const auto it = document.find("filters"); it != document.end() && !it->is_null()) {
    if (!it->is_array()) fail(ErrorKind::corrupt, "'filters' is {}, expected a list or null", dump_json(*it));
    codecs = *it;
  }
  if (const Json& compressor = member(document, "compressor"); !compressor.is_null()) codecs.push_back(compressor);
  bool first = true;
  for (const Json& codec : codecs) {
    Json configuration;
    const std::string id = codec_id(codec, configuration);
    meta.filters.push_back(filter_of(id, configuration));
    const ObjectCodec* objects = object_codec(id);
    if (object && first) {
      if (!objects) fail(ErrorKind::unsupported, "object codec '{}' is not one that this build knows", id);
      meta.chain.serializer = objects->serializer;
      meta.cell.type = Datatype(objects->type);
      type = Datatype(TypeId::uint8);
    } else if (objects) {
      fail(ErrorKind::unsupported, "codec '{}' can only be the first of an object array", id);
    } else {
      meta.chain.steps.push_back(make_byte_step(id, configuration, type));
    }
    first = false;
  }
  if (object && first) fail(ErrorKind::unsupported, "dtype object without an object codec");
  if (!object && meta.cell.item() == 0) fail(ErrorKind::unsupported, "items of 0 bytes");
  check_chunks(meta);

  const Json& fill = member(document, "fill_value");
  const bool json = meta.chain.serializer == Serializer::json;
  meta.fill_defined = !fill.is_null();
  if (object)
    meta.cell.fill = var_fill_from_json(fill, meta.cell.type, json);
  else
    meta.cell.fill =
        meta.fill_defined ? fill_from_json(fill, meta.cell.type, FillStyle::v2) : Bytes(meta.cell.item(), std::byte{0});

  const std::string separator = text_option(document, "dimension_separator", ".");
  if (separator != "." && separator != "/")
    fail(ErrorKind::corrupt, "dimension_separator '{}' is neither . nor /", separator);
  meta.keys = {"", separator[0], "", "0"};
  meta.document = std::move(document);
  return meta;
}

}  // namespace tegula::zarr
