#include "serve/view/node_builder.h"

#include <algorithm>

#include "base/endian.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "base/product.h"
#include "base/utf8.h"
#include "query/columns/field.h"
#include "query/request/value_text.h"

namespace tegula::serve {

namespace {

constexpr std::uint64_t kMostChunkBytes = 4 << 20;
constexpr std::uint64_t kMostCoordinates = 1 << 20;  // xarray reads all of them when it opens a group
constexpr std::size_t kMostListedValues = 4096;

Schema schema_over(const std::vector<Axis>& axes, Attribute attribute) {
  Schema schema;
  for (const Axis& axis : axes) {
    Dimension dimension;
    dimension.name = axis.name;
    dimension.type = Datatype(TypeId::uint64);
    if (axis.extent) dimension.domain = {std::uint64_t{0}, axis.extent - 1};
    dimension.tile = std::max<std::uint64_t>(1, axis.chunk);
    schema.dimensions.push_back(std::move(dimension));
  }
  schema.attributes = {std::move(attribute)};
  return schema;
}

std::vector<Axis> with_inner(std::vector<Axis> axes, const std::string& name, const ServedType& type) {
  for (std::size_t i = 0; i < type.inner.size(); ++i)
    axes.push_back({fmt::format("{}_axis_{}", name.empty() ? "cell" : name, i), type.inner[i],
                    std::max<std::uint64_t>(1, type.inner[i])});
  return axes;
}

// The part of a box along the axes that all fields share.
CellBox outer(const CellBox& box, std::size_t axes) {
  return {{box.first.begin(), box.first.begin() + static_cast<std::ptrdiff_t>(axes)},
          {box.count.begin(), box.count.begin() + static_cast<std::ptrdiff_t>(axes)}};
}

CellSource typed(const FieldCells& cells, const Attribute& field, const ServedType& type, std::size_t axes,
                 const CellSource& like) {
  CellSource source = like;
  source.cells = [cells, field, type, axes](const CellBox& box, const Work& work) {
    Column column = cells(outer(box, axes), work);
    to_served(column, field, type);
    return column;
  };
  if (!type.fill_spelled) source.hole = nullptr;
  if (like.hole && type.fill_spelled)
    source.hole = [hole = like.hole, axes](const CellBox& box) { return hole(outer(box, axes)); };
  return source;
}

bool usable_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string("/\0", 2)) == name.npos &&
         name != "zarr.json" && !name.starts_with(".z") && decode_utf8(name);
}

std::string shown(const std::string& name) { return decode_utf8(name) ? name : hex_of(bytes_of(name)); }

Column column_of(const Enumeration& enumeration) {
  Column column;
  column.type = enumeration.type;
  column.values_per_cell = enumeration.values_per_cell;
  column.data = enumeration.data;
  if (column.var()) {
    column.offsets.assign(enumeration.offsets.begin(), enumeration.offsets.end());
    column.offsets.push_back(enumeration.data.size());
  }
  return column;
}

}  // namespace

void limit_chunks(std::vector<Axis>& axes, std::uint64_t cell_bytes) {
  const auto bytes = [&] {
    std::uint64_t product = std::max<std::uint64_t>(1, cell_bytes);
    for (const Axis& axis : axes) product = saturated_product(product, axis.chunk);
    return product;
  };
  for (Axis& axis : axes)
    while (axis.chunk > 1 && bytes() > kMostChunkBytes) axis.chunk = (axis.chunk + 1) / 2;
}

void NodeBuilder::add_array(const std::string& name, const Schema& schema, Json attributes, CellSource source) {
  if (!usable_name(name)) {
    leave_out(shown(name), "the name cannot be a part of a URL");
    return;
  }
  if (node_.fields.contains(name)) {
    leave_out(name, "another array has this name");
    return;
  }
  node_.fields[name] =
      std::make_shared<ServedArray>(options_.version, schema, std::move(attributes), std::move(source));
}

std::shared_ptr<const ServedArray> NodeBuilder::single(const Attribute& field, const std::vector<Axis>& axes,
                                                       const FieldCells& cells, const CellSource& like,
                                                       Json attributes) const {
  const ServedType type = served_type(field);
  for (const auto& [key, value] : type.attributes.items())
    if (!attributes.contains(key)) attributes[key] = value;
  return std::make_shared<ServedArray>(options_.version,
                                       schema_over(with_inner(axes, options_.name, type), type.attribute),
                                       std::move(attributes), typed(cells, field, type, axes.size(), like));
}

void NodeBuilder::add(const std::string& name, const Attribute& field, const std::vector<Axis>& axes,
                      const FieldCells& cells, const CellSource& like) {
  try {
    const ServedType type = served_type(field);
    Json attributes = type.attributes;
    const Enumeration* enumeration = field.enumeration.empty() ? nullptr : schema_.enumeration(field.enumeration);
    if (enumeration) {
      attributes["enumeration"] = {{"name", shown(enumeration->name)}, {"ordered", enumeration->ordered}};
      if (enumeration->count() <= kMostListedValues) {
        std::string values = "[";
        const Column column = column_of(*enumeration);
        for (std::size_t i = 0; i < column.cells(); ++i) {
          if (i) values += ',';
          append_json_cell(values, column, i, Dialect::common);
        }
        attributes["enumeration"]["values"] = parse_json(bytes_of(values + "]"), field.enumeration);
      }
    }
    add_array(name, schema_over(with_inner(axes, name, type), type.attribute), std::move(attributes),
              typed(cells, field, type, axes.size(), like));
    if (field.nullable) add_valid(name, field, axes, cells, like);
    if (enumeration) add_values(name, *enumeration);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    leave_out(shown(name), std::string(error_message(error)));
  }
}

void NodeBuilder::add_valid(const std::string& name, const Attribute& field, const std::vector<Axis>& axes,
                            const FieldCells& cells, const CellSource& like) {
  Attribute valid;
  valid.type = Datatype(TypeId::boolean);
  valid.fill.assign(1, std::byte{field.fill_valid});
  CellSource source = like;
  source.stored.reset();
  source.cells = [cells](const CellBox& box, const Work& work) {
    Column column = cells(box, work);
    Column out;
    out.type = Datatype(TypeId::boolean);
    out.data = std::move(column.validity);
    for (std::byte& b : out.data) b = std::byte{b != std::byte{0}};
    return out;
  };
  add_array(name + "__valid", schema_over(axes, valid), {{"description", "false where " + name + " is null"}},
            std::move(source));
}

void NodeBuilder::add_values(const std::string& name, const Enumeration& enumeration) {
  Attribute field;
  field.name = name + "__values";
  field.type = enumeration.type;
  field.values_per_cell = enumeration.values_per_cell;
  auto column = std::make_shared<const Column>(column_of(enumeration));
  const std::uint64_t count = enumeration.count();
  CellSource like;
  like.state = options_.state;
  add(
      field.name, field, {{field.name, count, std::max<std::uint64_t>(1, count)}},
      [column](const CellBox&, const Work&) { return *column; }, like);
}

void NodeBuilder::add_coordinates(const Dimension& dimension, const Axis& axis, std::uint64_t low) {
  if (axis.extent > kMostCoordinates || node_.fields.contains(axis.name)) return;
  const Attribute field = attribute_of(dimension);
  const std::size_t size = field.type.size;
  CellSource like;
  like.state = options_.state;
  Axis all = axis;
  all.chunk = std::max<std::uint64_t>(1, axis.extent);
  add(
      axis.name, field, {all},
      [field, size, low](const CellBox& box, const Work&) {
        Column column;
        column.type = field.type;
        column.data.resize(box.count[0] * size);
        for (std::uint64_t i = 0; i < box.count[0]; ++i) {
          std::byte number[8];
          store_le(number, low + box.first[0] + i);
          std::copy_n(number, size, column.data.data() + i * size);
        }
        return column;
      },
      like);
}

Node NodeBuilder::take(Json attributes) {
  node_.attributes = std::move(attributes);
  if (!left_out_.empty()) node_.attributes[kNotServed] = left_out_;
  return std::move(node_);
}

}  // namespace tegula::serve
