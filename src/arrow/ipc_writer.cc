#include "arrow/ipc_writer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "arrow/arrow_codes.h"
#include "arrow/c_export.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "query/columns/gather.h"

namespace tegula::arrow {

namespace {

using Place = FlatBuilder::Place;

constexpr std::uint64_t kVersion5 = 4;

struct Described {
  std::uint8_t id;
  Place type;
};

std::uint64_t number_behind(std::string_view format, std::size_t at) {
  std::uint64_t number = 0;
  std::from_chars(format.data() + at, format.data() + format.size(), number);
  return number;
}

// Bytes of a value; 0 for bits.
std::uint64_t width_of(std::string_view format) {
  switch (format[0]) {
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
    case 'e':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    case 'w':
      return number_behind(format, 2);
    case 'b':
      return 0;
    default:
      return format == "tdD" ? 4 : 8;
  }
}

// The types of a format string that c_export.cc makes.
Described describe(FlatBuilder& flat, std::string_view format) {
  const auto table = [&](std::initializer_list<FlatBuilder::Slot> slots) {
    return flat.table(std::span(slots.begin(), slots.size()));
  };
  constexpr std::string_view kSigned = "csil", kUnsigned = "CSIL", kFloats = "efg", kUnits = "smun";
  if (format == "b") return {kBool, table({})};
  if (format == "U") return {kLargeUtf8, table({})};
  if (format == "Z") return {kLargeBinary, table({})};
  if (format == "+L") return {kLargeList, table({})};
  if (format.starts_with("+w:")) return {kFixedList, table({FlatBuilder::i32(0, number_behind(format, 3))})};
  if (format.starts_with("w:")) return {kFixedBinary, table({FlatBuilder::i32(0, number_behind(format, 2))})};
  if (format == "tdD") return {kDate, table({FlatBuilder::i16(0, 0)})};
  if (format.starts_with("ts") || format.starts_with("tD"))
    return {format[1] == 's' ? kTimestamp : kDuration, table({FlatBuilder::i16(0, kUnits.find(format[2]))})};
  if (const std::size_t precision = kFloats.find(format); precision != std::string_view::npos)
    return {kFloat, table({FlatBuilder::i16(0, precision)})};
  if (kSigned.find(format) == std::string_view::npos && kUnsigned.find(format) == std::string_view::npos)
    fail(ErrorKind::unsupported, "Arrow files are not written with columns of the format '{}'", format);
  const bool is_signed = kSigned.find(format) != std::string_view::npos;
  return {kInt, table({FlatBuilder::i32(0, width_of(format) * 8), FlatBuilder::u8(1, is_signed)})};
}

// `dictionary` is the number of the next one.
Place field(FlatBuilder& flat, const ArrowSchema& column, std::int64_t& dictionary) {
  std::vector<Place> children;
  for (std::int64_t i = 0; i < column.n_children; ++i) children.push_back(field(flat, *column.children[i], dictionary));
  const Described described = describe(flat, column.dictionary ? column.dictionary->format : column.format);
  std::optional<Place> encoding;
  if (column.dictionary) {
    const Place index = describe(flat, column.format).type;
    const FlatBuilder::Slot slots[] = {FlatBuilder::i64(0, static_cast<std::uint64_t>(dictionary++)),
                                       FlatBuilder::to(1, index),
                                       FlatBuilder::u8(2, (column.flags & kArrowOrdered) != 0)};
    encoding = flat.table(slots);
  }
  const Place list = flat.references(children), text = flat.text(column.name);
  std::vector<FlatBuilder::Slot> slots = {FlatBuilder::to(0, text), FlatBuilder::to(3, described.type)};
  if (encoding) slots.push_back(FlatBuilder::to(4, *encoding));
  slots.push_back(FlatBuilder::to(5, list));
  slots.push_back(FlatBuilder::u8(1, (column.flags & kArrowNullable) != 0));
  slots.push_back(FlatBuilder::u8(2, described.id));
  return flat.table(slots);
}

Place schema_table(FlatBuilder& flat, const ArrowSchema& columns) {
  std::vector<Place> fields;
  std::int64_t dictionary = 0;
  for (std::int64_t i = 0; i < columns.n_children; ++i) fields.push_back(field(flat, *columns.children[i], dictionary));
  const FlatBuilder::Slot slots[] = {FlatBuilder::to(1, flat.references(fields)), FlatBuilder::i16(0, 0)};
  return flat.table(slots);
}

// Buffers and nodes of one record batch.
struct Body {
  Bytes bytes;
  std::vector<std::uint64_t> nodes, buffers;  // pairs: length and null count; offset and length

  void add(const void* data, std::uint64_t size) {
    buffers.push_back(bytes.size());
    buffers.push_back(size);
    ByteWriter out(bytes);
    if (size > 0) out.bytes({static_cast<const std::byte*>(data), size});
    out.zeros((8 - bytes.size() % 8) % 8);
  }

  void add(const ArrowSchema& column, const ArrowArray& array) {
    const std::string_view format = column.format;
    const auto length = static_cast<std::uint64_t>(array.length);
    const std::uint64_t bits = (length + 7) / 8;
    nodes.insert(nodes.end(), {length, static_cast<std::uint64_t>(array.null_count)});
    add(array.buffers[0], array.null_count ? bits : 0);
    if (format == "U" || format == "Z" || format == "+L") {
      const auto* offsets = static_cast<const std::uint64_t*>(array.buffers[1]);
      add(offsets, (length + 1) * sizeof *offsets);
      if (format != "+L") add(array.buffers[2], offsets[length]);
    } else if (format[0] != '+') {
      add(array.buffers[1], format == "b" ? bits : length * width_of(format));
    }
    for (std::int64_t i = 0; i < array.n_children; ++i) add(*column.children[i], *array.children[i]);
  }

  Place table(FlatBuilder& flat, std::uint64_t cells) const {
    const Place places = flat.structs(buffers, static_cast<std::uint32_t>(buffers.size() / 2));
    const Place counts = flat.structs(nodes, static_cast<std::uint32_t>(nodes.size() / 2));
    const FlatBuilder::Slot slots[] = {FlatBuilder::i64(0, cells), FlatBuilder::to(1, counts),
                                       FlatBuilder::to(2, places)};
    return flat.table(slots);
  }
};

}  // namespace

IpcWriter::IpcWriter(Schema schema, Sink sink) : schema_(std::move(schema)), sink_(std::move(sink)) {
  put(bytes_of(kMagic));
}

void IpcWriter::put(ByteView bytes) {
  sink_(bytes);
  written_ += bytes.size();
}

IpcWriter::Block IpcWriter::message(FlatBuilder& flat, std::uint8_t kind, Place header, ByteView body) {
  const FlatBuilder::Slot slots[] = {FlatBuilder::i64(3, body.size()), FlatBuilder::to(2, header),
                                     FlatBuilder::i16(0, kVersion5), FlatBuilder::u8(1, kind)};
  const std::string metadata = flat.finish(flat.table(slots));
  Bytes prefix;
  ByteWriter out(prefix);
  out.put<std::uint32_t>(0xFFFFFFFF);
  out.put<std::uint32_t>(static_cast<std::uint32_t>(metadata.size()));
  const Block block{written_, prefix.size() + metadata.size(), body.size()};
  put(prefix);
  put(bytes_of(metadata));
  put(body);
  return block;
}

// The schema, and every dictionary once.
void IpcWriter::start(const ArrowSchema& columns, const ArrowArray& cells) {
  FlatBuilder flat;
  message(flat, kSchema, schema_table(flat, columns), {});
  std::uint64_t id = 0;
  for (std::int64_t i = 0; i < columns.n_children; ++i) {
    const ArrowArray* values = cells.children[i]->dictionary;
    if (!values) continue;
    Body body;
    body.add(*columns.children[i]->dictionary, *values);
    FlatBuilder head;
    const Place data = body.table(head, static_cast<std::uint64_t>(values->length));
    const FlatBuilder::Slot slots[] = {FlatBuilder::i64(0, id++), FlatBuilder::to(1, data)};
    dictionaries_.push_back(message(head, kDictionary, head.table(slots), body.bytes));
  }
  started_ = true;
}

void IpcWriter::add(const std::shared_ptr<const Batch>& batch) {
  const ArrowParts parts = export_batch(batch, schema_);
  if (!started_) {
    for (const Column& column : batch->columns) like_.columns.push_back(empty_like(column));
    start(*parts.schema, *parts.array);
  }
  Body body;
  for (std::int64_t i = 0; i < parts.array->n_children; ++i)
    body.add(*parts.schema->children[i], *parts.array->children[i]);
  FlatBuilder flat;
  const Place header = body.table(flat, batch->cells);
  batches_.push_back(message(flat, kRecordBatch, header, body.bytes));
}

void IpcWriter::finish() {
  const Owned<ArrowSchema> columns = export_schema(like_, schema_);
  FlatBuilder empty;
  if (!started_) message(empty, kSchema, schema_table(empty, *columns), {});
  put(bytes_of(std::string_view("\xFF\xFF\xFF\xFF\0\0\0\0", 8)));
  FlatBuilder flat;
  const auto places = [&](const std::vector<Block>& blocks) {
    std::vector<std::uint64_t> words;
    for (const Block& block : blocks) words.insert(words.end(), {block.at, block.head, block.body});
    return flat.structs(words, static_cast<std::uint32_t>(blocks.size()));
  };
  const Place batches = places(batches_), dictionaries = places(dictionaries_);
  const Place schema = schema_table(flat, *columns);
  const FlatBuilder::Slot slots[] = {FlatBuilder::to(1, schema), FlatBuilder::to(2, dictionaries),
                                     FlatBuilder::to(3, batches), FlatBuilder::i16(0, kVersion5)};
  const std::string footer = flat.finish(flat.table(slots));
  put(bytes_of(footer));
  Bytes tail;
  ByteWriter(tail).put<std::uint32_t>(static_cast<std::uint32_t>(footer.size()));
  put(tail);
  put(bytes_of(kMagic.substr(0, 6)));
}

}  // namespace tegula::arrow
