// Results as an Arrow IPC file.
#include <algorithm>
#include <limits>

#include "arrow/arrow_codes.h"
#include "arrow/flat_builder.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "files/file_writer.h"
#include "output/output.h"
#include "query/columns/gather.h"

namespace tegula::cli {

namespace {

using Place = FlatBuilder::Place;

using enum arrow::Type;
using enum arrow::MessageHeader;
constexpr std::uint64_t kVersion5 = 4;

bool utf8_type(TypeId id) {
  return id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt || id == TypeId::unicode;
}
bool unit_type(TypeId id) { return id >= TypeId::character && id <= TypeId::wkt; }
bool texty(const Column& column) {
  return unit_type(column.type.id) || column.type.id == TypeId::bytes || column.type.id == TypeId::unicode;
}

// Arrow's unit of a date type: seconds, ms, us, ns; no value for others, which stay tick counts.
std::optional<std::uint64_t> arrow_unit(const Datatype& type) {
  if (!type.is_date() || type.unit_count != 1 || type.unit < TimeUnit::second || type.unit > TimeUnit::ns)
    return std::nullopt;
  return static_cast<std::uint64_t>(type.unit) - static_cast<std::uint64_t>(TimeUnit::second);
}

// A column of single values of `type`: how it is described and laid out.
struct Described {
  std::uint8_t id;
  Place type;
};

Described describe(FlatBuilder& flat, const Datatype& type) {
  const auto table = [&](std::initializer_list<FlatBuilder::Slot> slots) {
    return flat.table(std::span(slots.begin(), slots.size()));
  };
  if (const auto unit = arrow_unit(type))
    return {type.id == TypeId::datetime ? kTimestamp : kDuration, table({FlatBuilder::i16(0, *unit)})};
  if (type.id == TypeId::boolean) return {kBool, table({})};
  if (type.is_float()) return {kFloat, table({FlatBuilder::i16(0, type.size == 2 ? 0 : type.size == 4 ? 1 : 2)})};
  if (type.is_integer() || type.is_date())
    return {kInt, table({FlatBuilder::i32(0, type.size * 8), FlatBuilder::u8(1, type.is_signed() || type.is_date())})};
  return {kFixedBinary, table({FlatBuilder::i32(0, type.full_size())})};
}

Place field(FlatBuilder& flat, const std::string& name, bool nullable, Described described,
            std::span<const Place> children) {
  const Place list = flat.references(children), text = flat.text(name);
  const FlatBuilder::Slot slots[] = {FlatBuilder::to(0, text), FlatBuilder::to(3, described.type),
                                     FlatBuilder::to(5, list), FlatBuilder::u8(1, nullable),
                                     FlatBuilder::u8(2, described.id)};
  return flat.table(slots);
}

Place field_of(FlatBuilder& flat, const Column& column) {
  const std::string name = column.name.empty() ? "value" : column.name;
  const bool nullable = column.nullable || column.type.is_date();
  if (texty(column))
    return field(flat, name, nullable, {utf8_type(column.type.id) ? kLargeUtf8 : kLargeBinary, flat.table({})}, {});
  if (column.values_per_cell == 1) return field(flat, name, nullable, describe(flat, column.type), {});
  const Place item = field(flat, "item", false, describe(flat, column.type), {});
  const FlatBuilder::Slot size[] = {FlatBuilder::i32(0, column.values_per_cell)};
  const Described list = column.var() ? Described{kLargeList, flat.table({})} : Described{kFixedList, flat.table(size)};
  return field(flat, name, nullable, list, std::span(&item, 1));
}

// Buffers and nodes of one record batch.
struct Body {
  Bytes bytes;
  std::vector<std::uint64_t> nodes, buffers;  // pairs: length and null count; offset and length

  void add(ByteView data) {
    buffers.push_back(bytes.size());
    buffers.push_back(data.size());
    ByteWriter out(bytes);
    out.bytes(data);
    out.zeros((8 - bytes.size() % 8) % 8);
  }
};

Bytes bitmap(std::uint64_t count, const auto& set) {
  Bytes bits((count + 7) / 8);
  std::fill(bits.begin(), bits.end(), std::byte{0});
  for (std::uint64_t i = 0; i < count; ++i)
    if (set(i)) bits[i / 8] |= static_cast<std::byte>(1u << (i % 8));
  return bits;
}

bool is_null(const Column& column, std::uint64_t i) {
  if (!column.valid(i)) return true;
  if (!column.type.is_date() || column.values_per_cell != 1) return false;
  const std::byte* at = column.cell(i).data();
  return (column.type.big_endian ? load_be<std::int64_t>(at) : load_le<std::int64_t>(at)) ==
         std::numeric_limits<std::int64_t>::min();
}

// Little-endian values; booleans as bits.
void add_values(Body& body, const Datatype& type, ByteView data) {
  if (type.id == TypeId::boolean)
    return body.add(bitmap(data.size(), [&](std::uint64_t i) { return data[i] != std::byte{0}; }));
  if (!type.big_endian || !(type.is_integer() || type.is_float() || type.is_date())) return body.add(data);
  Bytes swapped = copy_of(data);
  for (std::size_t at = 0; at + type.size <= swapped.size(); at += type.size)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at),
                 swapped.begin() + static_cast<std::ptrdiff_t>(at + type.size));
  body.add(swapped);
}

std::string cell_text(const Column& column, std::uint64_t i) {
  const ByteView cell = column.cell(i);
  std::string text;
  if (column.type.id == TypeId::unicode) {
    for (std::size_t at = 0; at + 4 <= cell.size(); at += 4)
      append_utf8(text, column.type.big_endian ? load_be<std::uint32_t>(cell.data() + at)
                                               : load_le<std::uint32_t>(cell.data() + at));
  } else {
    text = text_of(cell);
  }
  if (column.type.id == TypeId::unicode || column.type.id == TypeId::bytes)
    while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

void add_offsets(Body& body, std::span<const std::uint64_t> offsets) { body.add(std::as_bytes(offsets)); }

void add_column(Body& body, const Column& column, std::uint64_t cells) {
  std::uint64_t nulls = 0;
  for (std::uint64_t i = 0; i < cells; ++i) nulls += is_null(column, i);
  body.nodes.insert(body.nodes.end(), {cells, nulls});
  body.add(nulls ? bitmap(cells, [&](std::uint64_t i) { return !is_null(column, i); }) : Bytes());
  if (texty(column)) {
    std::vector<std::uint64_t> offsets{0};
    std::string all;
    for (std::uint64_t i = 0; i < cells; ++i) {
      if (column.valid(i)) all += cell_text(column, i);
      offsets.push_back(all.size());
    }
    add_offsets(body, offsets);
    return body.add(bytes_of(all));
  }
  if (column.values_per_cell == 1) return add_values(body, column.type, column.data);
  const std::uint64_t size = std::max<std::uint64_t>(1, column.type.full_size());
  if (column.var()) {
    std::vector<std::uint64_t> offsets(column.offsets.begin(), column.offsets.end());
    for (std::uint64_t& offset : offsets) offset /= size;
    add_offsets(body, offsets);
  }
  body.nodes.insert(body.nodes.end(), {column.data.size() / size, 0});
  body.add(ByteView());
  add_values(body, column.type, column.data);
}

Place schema_table(FlatBuilder& flat, const Batch& batch) {
  std::vector<Place> fields;
  for (const Column& column : batch.columns) fields.push_back(field_of(flat, column));
  const FlatBuilder::Slot slots[] = {FlatBuilder::to(1, flat.references(fields)), FlatBuilder::i16(0, 0)};
  return flat.table(slots);
}

class ArrowOutput final : public Output {
 public:
  explicit ArrowOutput(const std::string& path) : file_(path) { file_.write(arrow::kMagic); }

  void add(const Batch& batch) override {
    if (!started_) {
      like_.columns.reserve(batch.columns.size());
      for (const Column& column : batch.columns) like_.columns.push_back(empty_like(column));
      FlatBuilder flat;
      message(flat, kSchema, schema_table(flat, like_), {});
      started_ = true;
    }
    Body body;
    for (const Column& column : batch.columns) add_column(body, column, batch.cells);
    FlatBuilder flat;
    const Place buffers = flat.structs(body.buffers, static_cast<std::uint32_t>(body.buffers.size() / 2));
    const Place nodes = flat.structs(body.nodes, static_cast<std::uint32_t>(body.nodes.size() / 2));
    const FlatBuilder::Slot slots[] = {FlatBuilder::i64(0, batch.cells), FlatBuilder::to(1, nodes),
                                       FlatBuilder::to(2, buffers)};
    const std::uint64_t at = file_.size();
    const std::uint64_t head = message(flat, kRecordBatch, flat.table(slots), body.bytes);
    blocks_.insert(blocks_.end(), {at, head, body.bytes.size()});
  }

  void finish() override {
    FlatBuilder empty;
    if (!started_) message(empty, kSchema, schema_table(empty, like_), {});
    file_.write(std::string_view("\xFF\xFF\xFF\xFF\0\0\0\0", 8));
    FlatBuilder flat;
    const Place batches = flat.structs(blocks_, static_cast<std::uint32_t>(blocks_.size() / 3));
    const Place dictionaries = flat.structs({}, 0);
    const Place schema = schema_table(flat, like_);
    const FlatBuilder::Slot slots[] = {FlatBuilder::to(1, schema), FlatBuilder::to(2, dictionaries),
                                       FlatBuilder::to(3, batches), FlatBuilder::i16(0, kVersion5)};
    const std::string footer = flat.finish(flat.table(slots));
    file_.write(footer);
    Bytes tail;
    ByteWriter(tail).put<std::uint32_t>(static_cast<std::uint32_t>(footer.size()));
    file_.write(ByteView(tail));
    file_.write(arrow::kMagic.substr(0, 6));
    file_.commit();
  }

 private:
  // Returns the length of what precedes the body.
  std::uint64_t message(FlatBuilder& flat, arrow::MessageHeader kind, Place header, ByteView body) {
    const FlatBuilder::Slot slots[] = {FlatBuilder::i64(3, body.size()), FlatBuilder::to(2, header),
                                       FlatBuilder::i16(0, kVersion5), FlatBuilder::u8(1, kind)};
    const std::string metadata = flat.finish(flat.table(slots));
    Bytes prefix;
    ByteWriter out(prefix);
    out.put<std::uint32_t>(0xFFFFFFFF);
    out.put<std::uint32_t>(static_cast<std::uint32_t>(metadata.size()));
    file_.write(ByteView(prefix));
    file_.write(metadata);
    file_.write(body);
    return prefix.size() + metadata.size();
  }

  FileWriter file_;
  Batch like_;
  bool started_ = false;
  std::vector<std::uint64_t> blocks_;  // offset, length of the head, length of the body
};

}  // namespace

std::unique_ptr<Output> arrow_output(const std::string& path) { return std::make_unique<ArrowOutput>(path); }

}  // namespace tegula::cli
