#include "format/zarr/meta/v3.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/codec/sharding.h"
#include "format/zarr/meta/fill_value.h"
#include "model/strided.h"

namespace tegula::zarr {

namespace {

constexpr int kDeepestShards = 8;

constexpr std::string_view kArrayKeys[] = {
    "zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
    "chunk_key_encoding", "fill_value", "codecs", "attributes", "storage_transformers",
    "dimension_names"};

struct Named {
  std::string name;
  Json configuration = Json::object();
};

// "crc32c" or {"name": "crc32c", "configuration": {...}}.
Named named(const Json& json, std::string_view what) {
  if (json.is_string()) return {json.get<std::string>()};
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string())
    fail(ErrorKind::corrupt, "{} {} has no name", what, dump_json(json));
  Named out{json["name"].get<std::string>()};
  if (const auto it = json.find("configuration"); it != json.end() && !it->is_null()) {
    if (!it->is_object()) fail(ErrorKind::corrupt, "the configuration of {} '{}' is not an object", what, out.name);
    out.configuration = *it;
  }
  return out;
}

bool must_understand(const Json& extension) {
  return !(extension.is_object() && extension.contains("must_understand") && extension["must_understand"] == false);
}

std::vector<std::uint32_t> transpose_order(const Json& configuration, std::size_t rank) {
  const Shape order = shape_member(configuration, "order");
  std::vector<std::uint32_t> out(order.begin(), order.end());
  std::vector<std::uint32_t> sorted = out, axes(rank);
  std::sort(sorted.begin(), sorted.end());
  std::iota(axes.begin(), axes.end(), 0u);
  if (sorted != axes)
    fail(ErrorKind::corrupt, "transpose order {} is not a permutation of {} axes", dump_json(configuration["order"]),
         rank);
  return out;
}

// The permutation `before` followed by the permutation `next`.
std::vector<std::uint32_t> combined(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& next) {
  if (before.empty()) return next;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t axis : next) out.push_back(before[axis]);
  return out;
}

bool has_byte_order(const Datatype& type) {
  switch (type.id) {
    case TypeId::boolean:
    case TypeId::bytes:
    case TypeId::raw:
    case TypeId::record:
      return false;
    default:
      return type.size > 1;
  }
}

// Reverses the byte order of what the filters before it produce.
ByteStep swap_step(const Datatype& type) {
  ByteStep step;
  step.name = "bytes";
  step.decode = [type](ByteView in, Bytes& out, std::uint64_t) {
    out = copy_of(in);
    swap_cells(out, type);
  };
  step.encode = [type](ByteView in, Bytes& out) {
    out = copy_of(in);
    swap_cells(out, type);
  };
  step.encoded_size = [](std::uint64_t raw) { return raw; };
  return step;
}

class ChainParser {
 public:
  ChainParser(const CellType& cell, int depth) : cell_(cell), type_(cell.type), depth_(depth) {}

  CodecChain parse(const Json& codecs, const Shape& shape, std::vector<Filter>* filters) {
    if (!codecs.is_array()) fail(ErrorKind::corrupt, "'codecs' is {}, expected a list", dump_json(codecs));
    Shape current = shape;
    Datatype bytes(TypeId::uint8);
    for (const Json& json : codecs) {
      const Named codec = named(json, "codec");
      if (filters) filters->push_back(filter_of(codec.name, codec.configuration));
      if (codec.name == "transpose") {
        if (serialized_) fail(ErrorKind::corrupt, "codec 'transpose' stands behind the array -> bytes codec");
        if (!chain_.steps.empty()) fail(ErrorKind::unsupported, "codec 'transpose' behind '{}'", chain_.steps[0].name);
        chain_.permutation = combined(chain_.permutation, transpose_order(codec.configuration, shape.size()));
        current.clear();
        for (const std::uint32_t axis : chain_.permutation) current.push_back(shape[axis]);
      } else if (serialize(codec, current)) {
        serialized_ = true;
      } else if (!understood(codec.name) && !must_understand(json)) {
        continue;
      } else {
        // The step is made first, so that an unknown codec is reported as unknown rather than misplaced.
        const std::string_view id = std::string_view(codec.name).starts_with("numcodecs.")
                                        ? std::string_view(codec.name).substr(10)
                                        : codec.name;
        if (array_filter(id)) {
          add_filter(codec, id);
          continue;
        }
        ByteStep step = make_byte_step(id, codec.configuration, bytes);
        if (!serialized_) fail(ErrorKind::corrupt, "codec '{}' needs an array -> bytes codec before it", codec.name);
        chain_.steps.push_back(std::move(step));
      }
    }
    if (!serialized_) fail(ErrorKind::corrupt, "the codecs hold no array -> bytes codec");
    if (std::is_sorted(chain_.permutation.begin(), chain_.permutation.end())) chain_.permutation.clear();
    return std::move(chain_);
  }

 private:
  static bool understood(std::string_view name) {
    constexpr std::string_view kNames[] = {"blosc", "zstd", "gzip", "crc32c"};
    return name.starts_with("numcodecs.") || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }
  // numcodecs' filters change the type of the array, which format 3 does before the cells become bytes.
  static bool array_filter(std::string_view id) {
    constexpr std::string_view kNames[] = {"delta", "fixedscaleoffset", "quantize", "astype", "packbits", "bitround"};
    return std::find(std::begin(kNames), std::end(kNames), id) != std::end(kNames);
  }

  // Without a transpose before it, a filter sees the cells in C order, so it can be a step on the bytes, as in
  // format 2.
  void add_filter(const Named& codec, std::string_view id) {
    if (serialized_) fail(ErrorKind::corrupt, "codec '{}' stands behind the array -> bytes codec", codec.name);
    if (cell_.var) fail(ErrorKind::corrupt, "codec '{}' cannot filter cells of any length", codec.name);
    if (!chain_.permutation.empty()) fail(ErrorKind::unsupported, "codec '{}' behind 'transpose'", codec.name);
    chain_.steps.push_back(make_byte_step(id, codec.configuration, type_));
  }

  // True when the codec is an array -> bytes codec.
  bool serialize(const Named& codec, const Shape& shape) {
    const bool vlen = codec.name == "vlen-utf8" || codec.name == "vlen-bytes";
    if (codec.name != "bytes" && codec.name != "sharding_indexed" && !vlen) return false;
    if (serialized_) fail(ErrorKind::corrupt, "the codecs hold two array -> bytes codecs");
    if (codec.name == "bytes") {
      if (cell_.var) fail(ErrorKind::corrupt, "codec 'bytes' cannot hold cells of any length");
      const std::string endian = text_option(codec.configuration, "endian", "");
      if (endian != "" && endian != "little" && endian != "big")
        fail(ErrorKind::corrupt, "endian '{}' is neither little nor big", endian);
      if (endian.empty() && has_byte_order(type_))
        fail(ErrorKind::corrupt, "codec 'bytes' must name the byte order of type {}", display_name(type_));
      const bool swap = endian == "big" && has_byte_order(type_);
      if (chain_.steps.empty())
        chain_.swap = swap;
      else if (swap)
        chain_.steps.push_back(swap_step(type_));
    } else if (vlen) {
      if (!cell_.var) fail(ErrorKind::corrupt, "codec '{}' cannot hold type {}", codec.name, display_name(cell_.type));
      chain_.serializer = Serializer::variable;
    } else {
      if (!chain_.steps.empty()) fail(ErrorKind::unsupported, "codec '{}' around shards", chain_.steps[0].name);
      chain_.serializer = Serializer::sharding;
      chain_.sharding = sharding(codec.configuration, shape);
    }
    return true;
  }

  std::shared_ptr<const Sharding> sharding(const Json& configuration, const Shape& shape) {
    if (depth_ >= kDeepestShards) fail(ErrorKind::unsupported, "shards nest deeper than {}", kDeepestShards);
    auto out = std::make_shared<Sharding>();
    out->chunk_shape = shape_member(configuration, "chunk_shape");
    if (out->chunk_shape.size() != shape.size())
      fail(ErrorKind::corrupt, "the chunks of the shard have {} axes, the shard has {}", out->chunk_shape.size(),
           shape.size());
    Shape index = shard_grid(*out, shape);
    index.push_back(2);
    if (cell_count(index) > (std::uint64_t{1} << 32)) fail(ErrorKind::corrupt, "a shard of more than 2^31 chunks");
    out->inner = ChainParser(cell_, depth_ + 1).parse(member(configuration, "codecs"), out->chunk_shape, nullptr);
    const CellType number{Datatype(TypeId::uint64), false, Bytes(8, std::byte{0xff})};
    out->index = ChainParser(number, depth_ + 1).parse(member(configuration, "index_codecs"), index, nullptr);
    if (out->index.serializer != Serializer::bytes || !encoded_size(out->index.steps, 16))
      fail(ErrorKind::unsupported, "the index codecs of the shard compress; its size must be known");
    const std::string location = text_option(configuration, "index_location", "end");
    if (location != "end" && location != "start")
      fail(ErrorKind::corrupt, "index_location '{}' is neither start nor end", location);
    out->index_at_end = location == "end";
    return out;
  }

  const CellType& cell_;
  Datatype type_;  // of the cells after the filters
  int depth_;
  CodecChain chain_;
  bool serialized_ = false;
};

KeyEncoding key_encoding(const Json& json) {
  const Named encoding = named(json, "chunk_key_encoding");
  const bool v2 = encoding.name == "v2";
  if (!v2 && encoding.name != "default")
    fail(ErrorKind::unsupported, "chunk key encoding '{}' is not one that this build knows", encoding.name);
  const std::string separator = text_option(encoding.configuration, "separator", v2 ? "." : "/");
  if (separator != "." && separator != "/")
    fail(ErrorKind::corrupt, "the separator of chunk keys '{}' is neither . nor /", separator);
  if (v2) return {"", separator[0], "", "0"};
  return {"c" + separator, separator[0], "", "c"};
}

}  // namespace

void check_extensions(const Json& object, std::span<const std::string_view> known, std::string_view what) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end() && must_understand(value))
      fail(ErrorKind::unsupported, "{} has the extension '{}', which this build does not know and must understand",
           what, key);
}

ArrayMeta parse_v3(ByteView text, std::string_view name) { return parse_v3(parse_json(text, name), name); }

ArrayMeta parse_v3(Json document, std::string_view name) {
  if (!document.is_object()) fail(ErrorKind::corrupt, "{} is not a JSON object", name);
  if (const Json& version = member(document, "zarr_format"); version != 3)
    fail(ErrorKind::corrupt, "{} has zarr_format {}, expected 3", name, dump_json(version));
  if (const Json& node = member(document, "node_type"); node != "array")
    fail(ErrorKind::not_found, "{} describes a node of type {}, not an array", name, dump_json(node));
  check_extensions(document, kArrayKeys, name);
  if (const auto it = document.find("storage_transformers"); it != document.end())
    for (const Json& transformer : *it)
      if (must_understand(transformer))
        fail(ErrorKind::unsupported, "storage transformer '{}' is not one that this build knows",
             named(transformer, "storage transformer").name);

  ArrayMeta meta;
  meta.version = 3;
  meta.shape = shape_member(document, "shape");
  meta.cell.type = v3_dtype(member(document, "data_type"), meta.cell.var);
  const Named grid = named(member(document, "chunk_grid"), "chunk_grid");
  if (grid.name != "regular")
    fail(ErrorKind::unsupported, "chunk grid '{}' is not one that this build knows", grid.name);
  meta.chunks = shape_member(grid.configuration, "chunk_shape");
  check_chunks(meta);
  meta.keys = key_encoding(member(document, "chunk_key_encoding"));

  const Json& fill = member(document, "fill_value");
  meta.fill_defined = !fill.is_null();
  if (meta.cell.var)
    meta.cell.fill = var_fill_from_json(fill, meta.cell.type, false);
  else
    meta.cell.fill =
        meta.fill_defined ? fill_from_json(fill, meta.cell.type, FillStyle::v3) : Bytes(meta.cell.item(), std::byte{0});
  meta.chain = ChainParser(meta.cell, 0).parse(member(document, "codecs"), meta.chunks, &meta.filters);

  if (const auto it = document.find("attributes"); it != document.end()) {
    if (!it->is_object()) fail(ErrorKind::corrupt, "'attributes' is not an object");
    meta.attributes = *it;
  }
  if (const auto it = document.find("dimension_names"); it != document.end() && !it->is_null()) {
    if (!it->is_array() || it->size() != meta.rank())
      fail(ErrorKind::corrupt, "dimension_names {} do not name {} axes", dump_json(*it), meta.rank());
    for (const Json& axis : *it) {
      if (!axis.is_string() && !axis.is_null())
        fail(ErrorKind::corrupt, "dimension name {} is neither text nor null", dump_json(axis));
      meta.dimension_names.push_back(axis.is_string() ? std::optional(axis.get<std::string>()) : std::nullopt);
    }
  }
  meta.document = std::move(document);
  return meta;
}

}  // namespace tegula::zarr
