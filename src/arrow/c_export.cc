#include "arrow/c_export.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "arrow/arrow_types.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/utf8.h"

namespace tegula::arrow {

namespace {

// A struct releases its children, except those that a consumer has moved out of it.
template <class T>
void release_children(T* self) {
  for (std::int64_t i = 0; i < self->n_children; ++i)
    if (self->children[i]->release) self->children[i]->release(self->children[i]);
  if (self->dictionary && self->dictionary->release) self->dictionary->release(self->dictionary);
}

template <class T>
struct Family {
  std::vector<Owned<T>> children;
  Owned<T> dictionary;
  std::vector<T*> pointers;

  void attach(T& self) {
    for (const Owned<T>& child : children) pointers.push_back(child.get());
    self.n_children = static_cast<std::int64_t>(pointers.size());
    self.children = pointers.data();
    self.dictionary = dictionary.get();
  }
};

struct SchemaNode : Family<ArrowSchema> {
  std::string format, name;
};

struct ArrayNode : Family<ArrowArray> {
  std::shared_ptr<const Batch> owner;
  std::vector<Bytes> made;  // buffers that are not shared with the batch
  std::vector<const void*> buffers;
  const void* keep(Bytes bytes) {
    // Consumers expect an address even for an empty buffer.
    if (bytes.empty()) bytes.resize(8, std::byte{0});
    made.push_back(std::move(bytes));
    return made.back().data();
  }
};

template <class T, class Node>
void release(T* self) {
  release_children(self);
  delete static_cast<Node*>(self->private_data);
  self->release = nullptr;
}

Owned<ArrowSchema> finish(std::unique_ptr<SchemaNode> node, std::int64_t flags) {
  Owned<ArrowSchema> out(new ArrowSchema{});
  node->attach(*out);
  out->format = node->format.c_str();
  out->name = node->name.c_str();
  out->flags = flags;
  out->release = release<ArrowSchema, SchemaNode>;
  out->private_data = node.release();
  return out;
}

Owned<ArrowArray> finish(std::unique_ptr<ArrayNode> node, std::uint64_t length, std::uint64_t nulls) {
  Owned<ArrowArray> out(new ArrowArray{});
  node->attach(*out);
  out->length = static_cast<std::int64_t>(length);
  out->null_count = static_cast<std::int64_t>(nulls);
  out->n_buffers = static_cast<std::int64_t>(node->buffers.size());
  out->buffers = node->buffers.data();
  out->release = release<ArrowArray, ArrayNode>;
  out->private_data = node.release();
  return out;
}

Owned<ArrowSchema> schema_of(const Column& column, const Schema& schema) {
  auto node = std::make_unique<SchemaNode>();
  const ArrowType type = arrow_type(column, schema);
  node->format = type.format;
  node->name = column.name.empty() ? "value" : column.name;
  std::int64_t flags = column.nullable || (column.type.is_date() && column.values_per_cell == 1) ? kArrowNullable : 0;
  if (type.layout == Layout::list || type.layout == Layout::fixed_list) {
    auto item = std::make_unique<SchemaNode>();
    item->format = value_type(column.type).format;
    item->name = "item";
    node->children.push_back(finish(std::move(item), kArrowNullable));
  }
  if (type.layout == Layout::dictionary) {
    const Enumeration& enumeration = *enumeration_of(column, schema);
    node->dictionary = schema_of(values_of(enumeration), Schema{});
    if (enumeration.ordered) flags |= kArrowOrdered;
  }
  return finish(std::move(node), flags);
}

template <class Set>
Bytes bitmap(std::uint64_t count, const Set& set) {
  Bytes bits((count + 7) / 8);
  std::fill(bits.begin(), bits.end(), std::byte{0});
  for (std::uint64_t i = 0; i < count; ++i)
    if (set(i)) bits[i / 8] |= static_cast<std::byte>(1u << (i % 8));
  return bits;
}

constexpr std::int64_t kNat = std::numeric_limits<std::int64_t>::min();

std::int64_t tick(const Column& column, std::uint64_t i) {
  const std::byte* at = column.data.data() + i * sizeof(std::int64_t);
  return column.type.big_endian ? load_be<std::int64_t>(at) : load_le<std::int64_t>(at);
}

// Days since 1970 of the first day of a month, in the proleptic Gregorian calendar.
std::int64_t days_of_month(std::int64_t months) {
  const std::int64_t shifted = months + 1970 * 12 - 2;  // years begin in March, so that leap days end them
  const std::int64_t year = shifted >= 0 ? shifted / 12 : (shifted - 11) / 12, month = shifted - year * 12;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 - 719468;
}

[[noreturn]] void beyond(const Column& column) {
  fail(ErrorKind::unsupported, "a date of '{}', {}, lies beyond what Arrow's dates hold", column.name,
       display_name(column.type));
}

Bytes days(const Column& column, std::uint64_t cells) {
  Bytes out(cells * sizeof(std::int32_t));
  const std::int64_t scale = column.type.unit == TimeUnit::year ? 12 : 1;
  constexpr std::int64_t kMost = 6'000'000'000;  // months or days; more does not fit and could overflow below
  for (std::uint64_t i = 0; i < cells; ++i) {
    std::int64_t value = tick(column, i);
    if (value == kNat) value = 0;
    if (value > kMost / scale || value < -kMost / scale) beyond(column);
    if (column.type.unit != TimeUnit::day) value = days_of_month(value * scale);
    const auto day = static_cast<std::int32_t>(value);
    if (day != value) beyond(column);
    std::memcpy(out.data() + i * sizeof day, &day, sizeof day);
  }
  return out;
}

Bytes seconds(const Column& column, std::uint64_t cells) {
  Bytes out(cells * sizeof(std::int64_t));
  constexpr std::int64_t kSeconds[] = {604800, 86400, 3600, 60};
  const std::int64_t scale = kSeconds[static_cast<int>(column.type.unit) - static_cast<int>(TimeUnit::week)];
  for (std::uint64_t i = 0; i < cells; ++i) {
    const std::int64_t value = tick(column, i);
    std::int64_t scaled = 0;
    if (value != kNat && __builtin_mul_overflow(value, scale, &scaled)) beyond(column);
    std::memcpy(out.data() + i * sizeof scaled, &scaled, sizeof scaled);
  }
  return out;
}

bool must_swap(const Datatype& type) {
  return type.big_endian && type.size > 1 && (type.is_integer() || type.is_float() || type.is_date());
}

// The buffer of fixed-size values: that of the batch when Arrow stores them the same way.
const void* values(ArrayNode& node, const Column& column, Layout layout, std::uint64_t count) {
  if (layout == Layout::days) return node.keep(days(column, count));
  if (layout == Layout::seconds) return node.keep(seconds(column, count));
  if (layout == Layout::bits)
    return node.keep(bitmap(count, [&](std::uint64_t i) { return column.data[i] != std::byte{0}; }));
  if (column.data.empty()) return node.keep({});
  if (!must_swap(column.type)) return column.data.data();
  Bytes swapped = column.data;
  for (std::size_t at = 0; at + column.type.size <= swapped.size(); at += column.type.size)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at),
                 swapped.begin() + static_cast<std::ptrdiff_t>(at + column.type.size));
  return node.keep(std::move(swapped));
}

const void* keep_offsets(ArrayNode& node, const std::vector<std::uint64_t>& offsets) {
  return node.keep(copy_of(std::as_bytes(std::span(offsets))));
}

bool is_utf8(std::string_view text) {
  std::uint64_t high = 0;
  std::size_t i = 0;
  for (; i + 8 <= text.size() && !high; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + i, sizeof eight);
    high = eight & 0x8080808080808080ull;
  }
  for (; i < text.size() && !high; ++i) high = static_cast<unsigned char>(text[i]) & 0x80u;
  return !high || decode_utf8(text).has_value();
}

void check_utf8(const Column& column, ByteView bytes) {
  if (!is_utf8(text_of(bytes)))
    fail(ErrorKind::unsupported, "'{}' holds bytes that are not UTF-8, which Arrow's text has to be", column.name);
}

// numpy's S and U lose their trailing zeros, and U becomes UTF-8. TileDB's text of a fixed length is not changed.
std::string fixed_text(const Column& column, std::uint64_t i) {
  const ByteView cell = column.cell(i);
  std::string out;
  if (column.type.id == TypeId::unicode) {
    for (std::size_t at = 0; at + 4 <= cell.size(); at += 4)
      append_utf8(out, column.type.big_endian ? load_be<std::uint32_t>(cell.data() + at)
                                              : load_le<std::uint32_t>(cell.data() + at));
  } else {
    out = text_of(cell);
  }
  if (column.type.id == TypeId::unicode || column.type.id == TypeId::bytes)
    while (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

void add_text(ArrayNode& node, const Column& column, Layout layout, std::uint64_t cells) {
  if (column.var() && column.offsets.size() == cells + 1) {
    if (layout == Layout::text) check_utf8(column, column.data);
    node.buffers.push_back(column.offsets.data());
    node.buffers.push_back(column.data.empty() ? node.keep({}) : column.data.data());
    return;
  }
  std::string all;
  std::vector<std::uint64_t> offsets{0};
  for (std::uint64_t i = 0; i < cells; ++i) {
    if (column.valid(i)) all += fixed_text(column, i);
    offsets.push_back(all.size());
  }
  if (layout == Layout::text) check_utf8(column, bytes_of(all));
  node.buffers.push_back(keep_offsets(node, offsets));
  node.buffers.push_back(node.keep(copy_of(bytes_of(all))));
}

Owned<ArrowArray> array_of(const Column& column, std::uint64_t cells, const Schema& schema,
                           const std::shared_ptr<const Batch>& owner);

Owned<ArrowArray> items_of(const Column& column, const std::shared_ptr<const Batch>& owner) {
  auto node = std::make_unique<ArrayNode>();
  node->owner = owner;
  const std::uint64_t count = column.data.size() / std::max<std::uint64_t>(1, column.type.full_size());
  node->buffers.push_back(nullptr);
  node->buffers.push_back(values(*node, column, value_type(column.type).layout, count));
  return finish(std::move(node), count, 0);
}

Owned<ArrowArray> dictionary_of(const Enumeration& enumeration) {
  auto batch = std::make_shared<Batch>();
  batch->columns.push_back(values_of(enumeration));
  batch->cells = enumeration.count();
  return array_of(batch->columns[0], batch->cells, Schema{}, batch);
}

Owned<ArrowArray> array_of(const Column& column, std::uint64_t cells, const Schema& schema,
                           const std::shared_ptr<const Batch>& owner) {
  auto node = std::make_unique<ArrayNode>();
  node->owner = owner;
  node->made.reserve(4);
  const Layout layout = arrow_type(column, schema).layout;
  const bool dates = column.type.is_date() && column.values_per_cell == 1;
  const auto valid = [&](std::uint64_t i) { return column.valid(i) && !(dates && tick(column, i) == kNat); };
  std::uint64_t nulls = 0;
  if (column.nullable || dates)
    for (std::uint64_t i = 0; i < cells; ++i) nulls += !valid(i);
  node->buffers.push_back(nulls ? node->keep(bitmap(cells, valid)) : nullptr);
  switch (layout) {
    case Layout::text:
    case Layout::binary:
      add_text(*node, column, layout, cells);
      break;
    case Layout::list: {
      std::vector<std::uint64_t> offsets(column.offsets.begin(), column.offsets.end());
      for (std::uint64_t& offset : offsets) offset /= std::max<std::uint64_t>(1, column.type.full_size());
      node->buffers.push_back(keep_offsets(*node, offsets));
      node->children.push_back(items_of(column, owner));
      break;
    }
    case Layout::fixed_list:
      node->children.push_back(items_of(column, owner));
      break;
    case Layout::dictionary:
      node->dictionary = dictionary_of(*enumeration_of(column, schema));
      [[fallthrough]];
    default:
      node->buffers.push_back(values(*node, column, layout, cells));
  }
  return finish(std::move(node), cells, nulls);
}

}  // namespace

Owned<ArrowSchema> export_schema(const Batch& batch, const Schema& schema) {
  auto node = std::make_unique<SchemaNode>();
  node->format = "+s";
  for (const Column& column : batch.columns) node->children.push_back(schema_of(column, schema));
  return finish(std::move(node), 0);
}

ArrowParts export_batch(const std::shared_ptr<const Batch>& batch, const Schema& schema) {
  auto node = std::make_unique<ArrayNode>();
  node->owner = batch;
  node->buffers.push_back(nullptr);
  for (const Column& column : batch->columns) {
    const bool countable = column.var() || column.cell_size() > 0;
    if (countable && column.cells() != batch->cells)
      fail(ErrorKind::unsupported,
           "'{}' has {} cells and the other columns have {}, so they form no table; query it separately", column.name,
           column.cells(), batch->cells);
    node->children.push_back(array_of(column, batch->cells, schema, batch));
  }
  return {export_schema(*batch, schema), finish(std::move(node), batch->cells, 0)};
}

}  // namespace tegula::arrow
