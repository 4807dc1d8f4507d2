#include "serve/view/node.h"

#include <algorithm>

#include "base/fail.h"
#include "base/product.h"
#include "base/utf8.h"
#include "convert/metadata.h"
#include "convert/written_boxes.h"
#include "format/registry/registry.h"
#include "serve/view/node_builder.h"

namespace tegula::serve {

namespace {

// Domains are often far larger than what is written; then only that is served. JavaScript counts exactly to 2^53.
constexpr std::uint64_t kLargeDomain = 1ull << 40;

std::uint64_t bits_of(const Value& value) {
  const auto* i = std::get_if<std::int64_t>(&value);
  const auto* u = std::get_if<std::uint64_t>(&value);
  return i ? static_cast<std::uint64_t>(*i) : u ? *u : 0;
}

// The part of the domain that is served: its corner, counted from that of the domain, and its axes.
struct Frame {
  std::vector<std::uint64_t> first;
  std::vector<Axis> axes;
};

void limit_to(Frame& frame, const Schema& schema, const std::vector<Range>& ranges, bool to_tiles) {
  for (std::size_t a = 0; a < ranges.size() && a < frame.axes.size(); ++a) {
    const std::uint64_t start = bits_of(schema.dimensions[a].domain.low), chunk = frame.axes[a].chunk;
    std::uint64_t first = bits_of(ranges[a].low) - start, end = bits_of(ranges[a].high) - start + 1;
    if (to_tiles) {
      first -= first % chunk;
      const std::uint64_t more = end % chunk ? chunk - end % chunk : 0;
      end = more <= frame.axes[a].extent - end ? end + more : frame.axes[a].extent;
    }
    frame.first[a] = first;
    frame.axes[a].extent = end - first;
  }
}

Frame frame_of(const Array& array, const NodeOptions& options) {
  const Schema& schema = array.schema();
  const std::vector<std::uint64_t> shape = schema.shape(), chunks = schema.chunks();
  Frame frame;
  frame.first.assign(shape.size(), 0);
  const bool domains = capabilities(array).domains;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    // Tiles of zarr are as long as its chunks even where the axis is shorter.
    const std::uint64_t tile = domains ? chunks[a] : std::max(chunks[a], bits_of(schema.dimensions[a].tile));
    frame.axes.push_back({schema.dimensions[a].name, shape[a], std::max<std::uint64_t>(1, tile)});
    if (!domains && !options.name.empty() && frame.axes[a].name == fmt::format("dim_{}", a))
      frame.axes[a].name = options.name + "_" + frame.axes[a].name;
  }
  if (schema.current_domain) {
    limit_to(frame, schema, *schema.current_domain, false);
  } else if (domains && saturated_product(shape) >= kLargeDomain) {
    const std::optional<std::vector<Range>> written = array.info(options.work).non_empty_domain;
    if (written) limit_to(frame, schema, *written, true);
    if (!written)
      for (Axis& axis : frame.axes) axis.extent = std::min(axis.extent, axis.chunk);
  }
  for (Axis& axis : frame.axes)
    axis.chunk = domains ? std::min(axis.chunk, std::max<std::uint64_t>(1, axis.extent)) : axis.chunk;
  return frame;
}

FieldCells cells_of(std::shared_ptr<const Array> array, std::string field, std::vector<std::uint64_t> first) {
  return [array = std::move(array), field = std::move(field), first = std::move(first)](const CellBox& box,
                                                                                        const Work& work) {
    CellBox moved = box;
    for (std::size_t a = 0; a < first.size(); ++a) moved.first[a] += first[a];
    Query query;
    query.fields = {field};
    query.work = work;
    ask_for(query, array->schema(), moved);
    Batch batch = collect(*array->query(query));
    if (batch.columns.size() != 1) fail(ErrorKind::corrupt, "{} columns were read of one field", batch.columns.size());
    return std::move(batch.columns[0]);
  };
}

// Holes of formats that record what was written; of others that have holes, they are seen when a chunk is read.
std::function<bool(const CellBox&)> holes_of(const Array& array, const Frame& frame, const Work& work) {
  const Capabilities& can = capabilities(array);
  if (!can.unwritten) return nullptr;
  if (!can.fragments) return [](const CellBox&) { return false; };
  std::optional<std::vector<CellBox>> boxes = written_boxes(array, work);
  if (!boxes) return nullptr;
  return [boxes = std::move(*boxes), first = frame.first](const CellBox& box) {
    return std::ranges::none_of(boxes, [&](const CellBox& written) {
      for (std::size_t a = 0; a < box.first.size(); ++a) {
        const std::uint64_t from = box.first[a] + first[a], last = from + (box.count[a] - 1);
        if (last < written.first[a] || from > written.first[a] + (written.count[a] - 1)) return false;
      }
      return true;
    });
  };
}

// Borrowed from an array that the view keeps.
std::shared_ptr<const Store> store_of(const std::shared_ptr<const Array>& array) {
  const auto ask = driver_of(*array).store_of;
  return ask ? std::shared_ptr<const Store>(array, &ask(*array)) : nullptr;
}

std::optional<StoredGrid> stored_grid(const Array& array, const std::string& field) {
  const auto ask = driver_of(array).stored_grid;
  return ask ? ask(array, field) : std::nullopt;
}

// The axes of one field: those of the grid in which it is stored where it can be sent like that.
std::vector<Axis> axes_of(const Frame& frame, const std::optional<StoredGrid>& stored, std::uint64_t cell_bytes) {
  std::vector<Axis> axes = frame.axes;
  if (stored)
    for (std::size_t a = 0; a < axes.size(); ++a) axes[a].chunk = std::max<std::uint64_t>(1, stored->chunk[a]);
  else
    limit_chunks(axes, cell_bytes);
  return axes;
}

}  // namespace

Json attributes_of(const Metadata& metadata) {
  Json out = Json::object();
  for (const auto& [key, value] : metadata_for(metadata, "zarr3"))
    if (value && decode_utf8(key)) out[key] = parse_json(value->data, key);
  out.erase("_ARRAY_DIMENSIONS");
  return out;
}

Node array_node(const std::shared_ptr<const Array>& array, const NodeOptions& options) {
  const Schema& schema = array->schema();
  if (schema.sparse) return sparse_node(array, options);
  const Capabilities& can = capabilities(*array);
  const Frame frame = frame_of(*array, options);
  NodeBuilder builder(schema, options);
  CellSource like;
  like.store = store_of(array);
  like.hole = holes_of(*array, frame, options.work);
  if (can.fragments) like.state = options.state;

  const bool single = !schema.table && !can.many_fields;
  for (const Attribute& field : schema.attributes) {
    CellSource source = like;
    source.stored = stored_grid(*array, field.name);
    const std::uint64_t bytes = field.cell_size() ? field.cell_size() : 64;
    const FieldCells cells = cells_of(array, field.name, frame.first);
    if (single) {
      Node node;
      node.array =
          builder.single(field, axes_of(frame, source.stored, bytes), cells, source, attributes_of(array->metadata()));
      return node;
    }
    builder.add(field.name.empty() ? "value" : field.name, field, axes_of(frame, source.stored, bytes), cells, source);
  }
  Json attributes = attributes_of(array->metadata());
  for (std::size_t a = 0; a < frame.axes.size() && can.domains; ++a) {
    const std::uint64_t low = bits_of(schema.dimensions[a].domain.low) + frame.first[a];
    builder.add_coordinates(schema.dimensions[a], frame.axes[a], low);
  }
  for (const Label& label : schema.labels)
    builder.leave_out(label.name, "labels are asked for with label_ranges of a query");
  return builder.take(std::move(attributes));
}

}  // namespace tegula::serve
