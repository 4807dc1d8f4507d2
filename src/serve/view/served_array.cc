#include "serve/view/served_array.h"

#include <algorithm>

#include "base/fail.h"
#include "base/product.h"
#include "format/zarr/codec/variable_cells.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"
#include "model/strided.h"

namespace tegula::serve {

namespace {

// Compressors that every client of the version has.
bool widely_read(const Filter& filter, int version) {
  if (filter.name == "blosc")  // snappy is missing in numcodecs
    return std::ranges::none_of(filter.options, [](const auto& option) {
      return option.first == "cname" && option.second == Value(std::string("snappy"));
    });
  return filter.name == "zstd" || filter.name == "gzip" ||
         (version == 2 && (filter.name == "zlib" || filter.name == "bz2"));
}

bool passes(const StoredGrid& stored, const std::vector<std::uint64_t>& chunks, int version) {
  return stored.chunk == chunks &&
         std::ranges::all_of(stored.filters, [&](const Filter& filter) { return widely_read(filter, version); });
}

// Documents of old carrays do not name their compressor. The header of a Blosc chunk does, in the upper bits of its
// third byte.
bool is_snappy(const Filter& filter, ByteView chunk) {
  return filter.name == "blosc" && chunk.size() > 2 && std::to_integer<unsigned>(chunk[2]) >> 5 == 2;
}

}  // namespace

ServedArray::ServedArray(int version, Schema schema, Json attributes, CellSource source) : source_(std::move(source)) {
  schema.format = version == 3 ? "zarr3" : "zarr2";
  Attribute& attribute = schema.attributes.at(0);
  attribute.filters.clear();
  std::vector<std::uint64_t> chunks;
  Json names = Json::array();
  for (const Dimension& dimension : schema.dimensions) {
    chunks.push_back(std::get<std::uint64_t>(dimension.tile));
    names.push_back(dimension.name);
  }
  if (source_.stored && !passes(*source_.stored, chunks, version)) source_.stored.reset();
  if (source_.stored) attribute.filters = source_.stored->filters;
  // xarray takes the fill value of version 2 for a mark of missing values, and makes floats of integers.
  if (version == 2 && !source_.hole && !(source_.stored && source_.stored->holes)) attribute.fill_defined = false;

  attributes_ = std::move(attributes);
  document_ = version == 3 ? zarr::document_v3(schema) : zarr::document_v2(schema);
  meta_ = version == 3 ? zarr::parse_v3(document_, "zarr.json") : zarr::parse_v2(document_, ".zarray");
  if (version == 3) {
    document_["attributes"] = attributes_;
    document_["dimension_names"] = std::move(names);
  } else {
    attributes_["_ARRAY_DIMENSIONS"] = std::move(names);
  }
}

std::optional<std::vector<std::uint64_t>> ServedArray::chunk_of(std::string_view key) const {
  std::optional<std::vector<std::uint64_t>> chunk = meta_.keys.chunk(key, meta_.rank());
  if (!chunk || meta_.keys.key(*chunk) != key) return std::nullopt;
  for (std::size_t a = 0; a < chunk->size(); ++a)
    if ((*chunk)[a] >= meta_.shape[a] / meta_.chunks[a] + (meta_.shape[a] % meta_.chunks[a] != 0)) return std::nullopt;
  return chunk;
}

std::optional<std::uint64_t> ServedArray::chunk_size() const {
  if (meta_.cell.var || !meta_.chain.steps.empty()) return std::nullopt;
  return meta_.chunk_cells() * meta_.cell.item();
}

CellBox ServedArray::box_of(const std::vector<std::uint64_t>& chunk) const {
  CellBox box;
  for (std::size_t a = 0; a < chunk.size(); ++a) {
    box.first.push_back(chunk[a] * meta_.chunks[a]);
    box.count.push_back(std::min(meta_.chunks[a], meta_.shape[a] - box.first[a]));
  }
  return box;
}

bool ServedArray::hole(const std::vector<std::uint64_t>& chunk) const {
  return source_.hole && source_.hole(box_of(chunk));
}

// Chunks at the edge are as large as the others.
Bytes ServedArray::encode(const CellBox& box, Column cells) const {
  const std::vector<std::uint64_t>& chunk = meta_.chunks;
  if (cells.cells() != cell_count(box.count))
    fail(ErrorKind::corrupt, "{} cells were read of a chunk of {}", cells.cells(), cell_count(box.count));
  if (!meta_.cell.var) {
    const std::size_t item = meta_.cell.item();
    if (box.count == chunk) return zarr::encode_chunk(meta_.chain, cells.data, chunk, meta_.cell);
    Bytes whole(cell_count(chunk) * item);
    const std::vector<std::int64_t> to = contiguous_strides(chunk, item), from = contiguous_strides(box.count, item);
    if (item) fill_box(whole.data(), to, chunk, meta_.cell.fill);
    copy_box(whole.data(), to, cells.data.data(), from, box.count, item);
    return zarr::encode_chunk(meta_.chain, whole, chunk, meta_.cell);
  }
  zarr::VariableCells whole;
  whole.offsets = {0};
  std::vector<std::uint64_t> at(chunk.size(), 0);
  for (std::uint64_t n = cell_count(chunk), next = 0; n-- > 0;) {
    const bool inside = std::ranges::equal(at, box.count, std::ranges::less{});
    zarr::push_cell(whole, inside ? cells.cell(next++) : ByteView(meta_.cell.fill));
    for (std::size_t a = chunk.size(); a-- > 0;) {
      if (++at[a] < chunk[a]) break;
      at[a] = 0;
    }
  }
  return zarr::encode_variable(meta_.chain, whole, chunk, meta_.cell);
}

// No value: there is no such file, and none is needed.
std::optional<Chunk> ServedArray::stored_chunk(const StoredChunk& stored) const {
  StatedFile file = source_.store->get_stated(stored.key);
  if (!file.bytes && source_.stored->holes) return std::nullopt;
  if (!file.bytes) fail(ErrorKind::corrupt, "{}: the chunk is not there", source_.store->describe(stored.key));
  Bytes& bytes = *file.bytes;
  if (bytes.size() < stored.offset)
    fail(ErrorKind::corrupt, "{}: {} bytes are fewer than its header", source_.store->describe(stored.key),
         bytes.size());
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(stored.offset));
  return Chunk{std::move(bytes), std::move(file.state)};
}

std::optional<Chunk> ServedArray::chunk(const std::vector<std::uint64_t>& chunk, const Work& work) const {
  if (source_.stored) {
    if (const std::optional<StoredChunk> place = source_.stored->find(chunk)) {
      std::optional<Chunk> stored = stored_chunk(*place);
      const std::vector<Filter>& filters = source_.stored->filters;
      if (!stored || filters.empty() || !is_snappy(filters[0], stored->bytes)) return stored;
    }
  } else if (hole(chunk)) {
    return std::nullopt;
  }
  const CellBox box = box_of(chunk);
  return Chunk{encode(box, source_.cells(box, work)), {}};
}

}  // namespace tegula::serve
