// The contents of the metadata document of an array, for every version.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "format/zarr/codec/codec_chain.h"
#include "tegula/schema.h"

namespace tegula::zarr {

// The key of a chunk: prefix, grid coordinates joined by the separator, suffix.
struct KeyEncoding {
  std::string prefix;
  char separator = '.';
  std::string suffix;
  std::string scalar = "0";  // the key of the one chunk of an array without axes

  std::string key(const Shape& chunk) const;
  // The inverse; no value for anything that key() does not return.
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
  Json document;         // as stored, so that a change keeps members that are not understood
  bool pickled = false;  // format 0: the document came from a pickle

  std::size_t rank() const { return shape.size(); }
  std::uint64_t chunk_cells() const;
};

// A list of non-negative integers. Throws corrupt, naming the key.
Shape shape_member(const Json& document, std::string_view key);
void check_chunks(const ArrayMeta& meta);
Filter filter_of(std::string_view name, const Json& configuration);
// The options of a filter as a configuration object.
Json configuration_of(const Filter& filter);

}  // namespace tegula::zarr
