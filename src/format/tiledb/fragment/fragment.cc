#include "format/tiledb/fragment/fragment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/context.h"
#include "base/fail.h"
#include "base/product.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint8_t kUint8Code = 6, kUint64Code = 10;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const std::string& fragment) {
  const std::optional<std::uint64_t> product = checked_product(a, b);
  if (!product) fail(ErrorKind::corrupt, "fragment {}: {} times {} is too large a size", fragment, a, b);
  return *product;
}

// The space tiles that a range covers, counted from the start of the domain, and the cells of one.
struct TileSpan {
  std::uint64_t first = 0, last = 0, cells = 0;
};

TileSpan tile_span(const SchemaDimension& dimension, const Range& range, const std::string& fragment) {
  Bytes bounds;
  value_to_bytes(dimension.type, range.low, bounds);
  value_to_bytes(dimension.type, range.high, bounds);
  return with_number(dimension.type, [&]<class T>(T) -> TileSpan {
    if constexpr (std::is_floating_point_v<T>) {
      fail(ErrorKind::corrupt, "fragment {}: dense, but dimension '{}' is of floats", fragment, dimension.name);
    } else {
      const T low = load_le<T>(dimension.domain.data()), high = load_le<T>(dimension.domain.data() + sizeof(T));
      const T first = load_le<T>(bounds.data()), last = load_le<T>(bounds.data() + sizeof(T));
      if (first < low || last > high || first > last)
        fail(ErrorKind::corrupt, "fragment {}: covers [{}, {}] of dimension '{}', which has the domain [{}, {}]",
             fragment, first, last, dimension.name, low, high);
      const auto distance = [](T from, T to) {
        return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
      };
      if (dimension.extent.empty()) return {0, 0, distance(low, high) + 1};
      const std::uint64_t extent = static_cast<std::uint64_t>(load_le<T>(dimension.extent.data()));
      return {distance(low, first) / extent, distance(low, last) / extent, extent};
    }
  });
}

}  // namespace

Fragment::Fragment(const ArrayFiles& files, const FragmentEntry& entry)
    : files_(files), entry_(entry), metadata_(files, join(entry.folder, kFragmentMetadataFile)) {}

std::shared_ptr<const Fragment> Fragment::open(const ArrayFiles& files, const FragmentEntry& entry,
                                               const SchemaFinder& schema_of, std::optional<ByteView> footer) {
  return open(files, entry, schema_of, footer, *files.store);
}

void Fragment::plan_footer(const FragmentEntry& entry, Wants& wants) {
  FragmentMetadata::plan_footer(join(entry.folder, kFragmentMetadataFile), entry.time.version, wants);
}

std::shared_ptr<const Fragment> Fragment::open(const ArrayFiles& files, const FragmentEntry& entry,
                                               const SchemaFinder& schema_of, std::optional<ByteView> footer,
                                               const Store& from) {
  std::shared_ptr<Fragment> fragment(new Fragment(files, entry));
  if (footer) {
    fragment->metadata_.take_footer(*footer, schema_of);
  } else {
    fragment->metadata_.read_footer(entry.time.version, schema_of, from);
  }
  fragment->schema_ = fragment->metadata_.schema();
  if (fragment->footer().no_domain) {
    fragment->tiles_ = 0;
  } else if (fragment->dense()) {
    fragment->set_box();
  } else {
    fragment->tiles_ = fragment->footer().sparse_tiles;
    if (fragment->footer().last_tile_cells > fragment->schema_->capacity)
      fail(ErrorKind::corrupt, "fragment {}: {} cells in the last tile, the capacity is {}", entry.name,
           fragment->footer().last_tile_cells, fragment->schema_->capacity);
    // Each tile takes at least 8 bytes of its file, which bounds what a damaged count can ask for.
    multiply(fragment->tiles_, fragment->schema_->capacity, entry.name);
  }
  fragment->metadata_.set_tiles(fragment->tiles_);
  fragment->fields_ = stored_fields(
      *fragment->schema_, {fragment->version(), fragment->dense(), fragment->has_timestamps(), fragment->has_deletes()},
      entry.folder);
  return fragment;
}

void Fragment::set_box() {
  tiles_ = 1;
  dense_cells_ = 1;
  for (std::size_t d = 0; d < schema_->dimensions.size(); ++d) {
    const TileSpan span = tile_span(schema_->dimensions[d], footer().domain[d], entry_.name);
    box_.first.push_back(span.first);
    box_.count.push_back(span.last - span.first + 1);
    tiles_ = multiply(tiles_, box_.count.back(), entry_.name);
    dense_cells_ = multiply(dense_cells_, span.cells, entry_.name);
  }
}

std::vector<StoredField> stored_fields(const ArraySchema& schema, const FragmentShape& shape, std::string_view folder) {
  std::vector<StoredField> fields;
  const std::size_t coords = schema.attributes.size();
  const auto add = [&](StoredField field, const std::string& file) {
    field.base = fmt::format("{}/{}", folder, file);  // an unnamed attribute has the file ".tdb"
    fields.push_back(std::move(field));
  };
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    const SchemaAttribute& attribute = schema.attributes[i];
    StoredField field;
    field.name = attribute.name;
    field.index = field.slot = i;
    field.type_code = attribute.type_code;
    field.type = attribute.type;
    field.values_per_cell = attribute.values_per_cell;
    field.nullable = attribute.nullable;
    add(std::move(field), attribute_file(shape.version, attribute.name, i));
  }
  if (shape.dense) return fields;
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i) {
    const SchemaDimension& dimension = schema.dimensions[i];
    StoredField field;
    field.name = dimension.name;
    field.kind = FieldKind::dimension;
    field.index = i;
    field.in_coords = !one_file_per_dimension(shape.version);
    field.slot = field.in_coords ? coords : coords + 1 + i;
    field.type_code = dimension.type_code;
    field.type = dimension.type;
    field.values_per_cell = dimension.values_per_cell;
    const bool in_coords = field.in_coords;
    add(std::move(field), in_coords ? std::string(kCoordsField) : dimension_file(shape.version, dimension.name, i));
  }
  std::size_t slot = coords + 1 + schema.dimensions.size();
  const auto add_special = [&](FieldKind kind, std::string_view name, const std::string& file) {
    StoredField field;
    field.name = name;
    field.kind = kind;
    field.slot = slot++;
    field.type_code = kUint64Code;
    field.type = TypeId::uint64;
    add(std::move(field), file);
  };
  if (shape.timestamps) add_special(FieldKind::timestamps, kTimestampsField, "t");
  if (shape.deletes) {
    add_special(FieldKind::delete_times, kDeleteTimesField, "dt");
    add_special(FieldKind::delete_condition, kDeleteConditionField, "dci");
  }
  return fields;
}

std::uint64_t Fragment::cells(std::uint64_t tile) const {
  if (dense()) return dense_cells_;
  return tile + 1 < tiles_ ? schema_->capacity : footer().last_tile_cells;
}

std::uint64_t Fragment::total_cells() const {
  if (tiles_ == 0) return 0;
  if (dense()) return multiply(tiles_, dense_cells_, entry_.name);
  return (tiles_ - 1) * schema_->capacity + footer().last_tile_cells;
}

const StoredField* Fragment::field(std::string_view name) const {
  for (const StoredField& field : fields_)
    if (field.name == name && (field.kind == FieldKind::attribute || field.kind == FieldKind::dimension)) return &field;
  return nullptr;
}

const StoredField* Fragment::special(FieldKind kind) const {
  for (const StoredField& field : fields_)
    if (field.kind == kind) return &field;
  return nullptr;
}

namespace {

bool lossy(const ArraySchema& schema, const StoredField& field) {
  if (field.kind != FieldKind::attribute) return false;
  const std::vector<FilterStep>& steps = schema.attributes[field.index].filters.steps;
  return std::any_of(steps.begin(), steps.end(), [](const FilterStep& step) {
    return step.type == FilterType::scale_float || step.type == FilterType::webp;
  });
}

}  // namespace

Fragment::Trust Fragment::trust(const StoredField& field) const {
  if (!has_tile_statistics(version()) || field.in_coords) return {};
  if (dense() && !padding_free_statistics(version())) return {};
  Trust trust{true, true, true};
  // Statistics are those of the values before the filters; a lossy filter gives back others.
  if (lossy(schema(), field)) trust.extremes = trust.sums = false;
  // An ordered dense write may store the extremes and null counts of another tile or attribute (libtiledb up to 2.30).
  if (field.var() && dense()) trust.extremes = trust.null_counts = false;
  if (dense() && field.nullable && field.type.is_text() && version() < 21) trust = {};
  // Among text and cells of several values, nulls are counted only for those that have extremes; for others the ordered
  // dense writer of libtiledb stores other numbers.
  if ((field.values_per_cell != 1 || field.type.is_text()) && field.type.id != TypeId::character &&
      field.type.id != TypeId::ascii)
    trust.null_counts = false;
  return trust;
}

std::optional<Fragment::Extremes> Fragment::extremes(const StoredField& field, std::uint64_t tile) const {
  const Trust known = trust(field);
  if (!known.extremes) return std::nullopt;
  if (field.type.is_float()) {
    // libtiledb forgets the values before a NaN. A NaN shows in the sum, unless the sum had reached its limit before.
    const std::span<const std::uint64_t> all = sums(field.slot);
    if (!known.sums || tile >= all.size()) return std::nullopt;
    if (!(std::fabs(std::bit_cast<double>(all[tile])) < std::numeric_limits<double>::max())) return std::nullopt;
  }
  const TileExtremes &low = mins(field.slot), &high = maxs(field.slot);
  if (!low.present() || !high.present()) return std::nullopt;
  return Extremes{low.at(tile), high.at(tile)};
}

FilterPlan field_plan(const ArraySchema& schema, const StoredField& field, Fragment::Data data,
                      const FilterVersions& versions, const Key& key) {
  FilterInput input{.type_code = field.type_code,
                    .chained = chains_filter_types(versions.writer),
                    .dates = filters_dates(versions.version)};
  input.cell_size = field.var() ? field.type.size : field.cell_size();
  const Pipeline none;
  const Pipeline* pipeline = &schema.coords;
  if (data == Fragment::Data::validity) {
    pipeline = &schema.validity;
    input.type_code = kUint8Code;
    input.cell_size = 1;
  } else if (field.var() && data == Fragment::Data::fixed) {
    pipeline = &schema.offsets;
    input.type_code = kUint64Code;
    input.cell_size = 8;
  } else if (field.kind == FieldKind::attribute) {
    pipeline = &schema.attributes[field.index].filters;
  } else if (field.in_coords) {
    input.cell_size = schema.dimensions.size() * field.type.size;
  } else if (field.kind == FieldKind::dimension) {
    // A dimension of an old schema has no filters of its own, and libraries from 2.17 on do not fall back to the
    // coordinates'.
    const bool unfiltered = !schema_has_typed_dimensions(schema.version) && chains_filter_types(versions.writer);
    pipeline = unfiltered ? &none : &schema.dimension_filters(field.index);
  }
  return make_plan(*pipeline, input, key);
}

const FilterPlan& Fragment::plan(const StoredField& field, Data data) const {
  {
    const std::lock_guard lock(plans_mutex_);
    if (const auto found = plans_.find({field.slot, data}); found != plans_.end()) return *found->second;
  }
  const Context doing([&] { return fmt::format("fragment {}, field '{}'", entry_.name, field.name); });
  auto plan = std::make_unique<const FilterPlan>(
      field_plan(*schema_, field, data, {.version = version(), .writer = writer_version()}, files_.key));
  const std::lock_guard lock(plans_mutex_);
  return *plans_.try_emplace({field.slot, data}, std::move(plan)).first->second;
}

std::string Fragment::file(const StoredField& field, Data data) const {
  return data == Data::var ? field.var_file() : data == Data::validity ? field.validity_file() : field.file();
}

Fragment::Extent Fragment::stored(const StoredField& field, Data data, std::uint64_t tile) const {
  const FooterSlot& slot = footer().slots[field.slot];
  const FragmentPart part = data == Data::var        ? FragmentPart::var_offsets
                            : data == Data::validity ? FragmentPart::validity_offsets
                                                     : FragmentPart::tile_offsets;
  const std::uint64_t size = data == Data::var        ? slot.var_file_size
                             : data == Data::validity ? slot.validity_file_size
                                                      : slot.file_size;
  const std::span<const std::uint64_t> offsets = metadata_.numbers(part, field.slot);
  if (tile >= offsets.size())
    fail(ErrorKind::invalid_argument, "fragment {}: tile {} of {}", entry_.name, tile, offsets.size());
  const Extent extent{offsets[tile], tile + 1 < offsets.size() ? offsets[tile + 1] : size};
  if (extent.begin > extent.end || extent.end > size)
    fail(ErrorKind::corrupt, "{}: tile {} lies at bytes {} to {}, the fragment's metadata says the file has {}",
         files_.store->describe(file(field, data)), tile, extent.begin, extent.end, size);
  return extent;
}

std::uint64_t Fragment::raw_bytes(const StoredField& field, Data data, std::uint64_t tile) const {
  const std::uint64_t n = cells(tile);
  if (data == Data::validity) return n;
  if (data == Data::fixed) return multiply(n, field.var() ? 8 : field.cell_size(), entry_.name);
  const std::span<const std::uint64_t> sizes = metadata_.numbers(FragmentPart::var_sizes, field.slot);
  if (tile >= sizes.size())
    fail(ErrorKind::invalid_argument, "fragment {}: tile {} of {}", entry_.name, tile, sizes.size());
  return sizes[tile];
}

}  // namespace tegula::tiledb
