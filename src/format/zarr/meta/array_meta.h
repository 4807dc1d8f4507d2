// What the metadata document of an array says, for every version.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "format/zarr/codec/codec_chain.h"
#include "tegula/schema.h"

namespace tegula::zarr {

// Where the chunk at some place of the grid is stored: prefix, indices joined by the separator, suffix.
struct KeyEncoding {
  std::string prefix;
  char separator = '.';
  std::string suffix;
  std::string scalar = "0";  // the key of the one chunk of an array without axes

  std::string key(const Shape& chunk) const;
  // The inverse; no value for anything that key() does not make.
  std::optional<Shape> chunk(std::string_view key, std::size_t rank) const;
};

struct ArrayMeta {
  int version = 2;  // 0 .. 3
  Shape shape, chunks;
  CellType cell;
  bool fill_defined = true;  // false: null, and `cell.fill` is zeros
  CodecChain chain;
  std::vector<Filter> filters;  // the chain as the schema shows it
  KeyEncoding keys;
  std::vector<std::optional<std::string>> dimension_names;  // empty: none
  Json attributes = Json::object();
  Json document;         // as stored, to be written back with a change
  bool pickled = false;  // format 0: the document came from a pickle

  std::size_t rank() const { return shape.size(); }
  std::uint64_t chunk_cells() const;
};

// Parse one document each. `name` is the file, for messages. Throw corrupt for what no writer makes and unsupported for
// what this build does not know, naming it.
ArrayMeta parse_original(ByteView document, std::string_view name);
ArrayMeta parse_v1(ByteView document, std::string_view name);
ArrayMeta parse_v2(ByteView document, std::string_view name);
ArrayMeta parse_v3(ByteView document, std::string_view name);
ArrayMeta parse_v2(Json document, std::string_view name);
ArrayMeta parse_v3(Json document, std::string_view name);

// The document of a new array; `shape`, `chunks`, the type, the fill value and the filters come from the schema. Throws
// unsupported for what the version cannot express.
Json document_original(const Schema& schema);
Json document_v1(const Schema& schema);
Json document_v2(const Schema& schema);
Json document_v3(const Schema& schema);

// As the libraries that own the formats write them.
std::string dump_document(const Json& document, int version);

// Format 3: throws unsupported for an extension that must be understood, named by its place in the document.
void check_extensions(const Json& object, std::span<const std::string_view> known, std::string_view what);

// Shared by the parsers.
// Lists of non-negative integers; throws corrupt with the key.
Shape shape_member(const Json& document, std::string_view key);
void check_chunks(const ArrayMeta& meta);
Filter filter_of(std::string_view name, const Json& configuration);
// The options of a filter as a configuration object.
Json configuration_of(const Filter& filter);

// The array as the model sees it.
Schema schema_of(const ArrayMeta& meta);
// Axis names: dimension_names, else the attribute _ARRAY_DIMENSIONS, else dim_0, dim_1, ...
std::vector<std::string> axis_names(const ArrayMeta& meta);

}  // namespace tegula::zarr
