#include "convert/arrow_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/flat_view.h"

namespace tegula {

namespace {

// Members of Arrow's unions MessageHeader and Type.
enum Header : std::uint8_t { kSchema = 1, kDictionary = 2, kRecordBatch = 3 };
enum Kind : std::uint8_t {
  kInt = 2,
  kFloat = 3,
  kBinary = 4,
  kUtf8 = 5,
  kBool = 6,
  kTimestamp = 10,
  kList = 12,
  kFixedBinary = 15,
  kFixedList = 16,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeUtf8 = 20,
  kLargeList = 21
};

// How a column is laid out in a record batch.
struct Layout {
  Column like;        // without cells
  bool wide = false;  // offsets of 8 bytes
  bool list = false;  // values are a child, with a node and a validity of its own
  bool bits = false;  // booleans
};

[[noreturn]] void refuse(const std::string& field, std::string_view what) {
  fail(ErrorKind::unsupported, "field '{}': {}", field, what);
}

// The type of single values: numbers, booleans, dates, bytes of a fixed size.
Datatype single_type(const FlatTable& field, std::uint8_t kind, const std::string& name) {
  const std::optional<FlatTable> type = field.table(3);
  if (!type) refuse(name, "its type is not described");
  constexpr TypeId kSigned[] = {TypeId::int8, TypeId::int16, TypeId::int32, TypeId::int64};
  constexpr TypeId kUnsigned[] = {TypeId::uint8, TypeId::uint16, TypeId::uint32, TypeId::uint64};
  constexpr TypeId kReal[] = {TypeId::float16, TypeId::float32, TypeId::float64};
  switch (kind) {
    case kInt: {
      const std::int32_t bits = type->number<std::int32_t>(0);
      const std::size_t i = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 4;
      if (i == 4) refuse(name, fmt::format("integers of {} bits", bits));
      return type->number<std::uint8_t>(1) ? kSigned[i] : kUnsigned[i];
    }
    case kFloat: {
      const auto precision = type->number<std::int16_t>(0);
      if (precision < 0 || precision > 2) refuse(name, fmt::format("floats of precision {}", precision));
      return kReal[precision];
    }
    case kBool:
      return TypeId::boolean;
    case kTimestamp:
    case kDuration: {
      const auto unit = type->number<std::int16_t>(0, kind == kDuration ? 1 : 0);
      if (unit < 0 || unit > 3) refuse(name, fmt::format("times of unit {}", unit));
      Datatype out(kind == kTimestamp ? TypeId::datetime : TypeId::timedelta);
      out.unit = static_cast<TimeUnit>(static_cast<int>(TimeUnit::second) + unit);
      return out;
    }
    case kFixedBinary: {
      const auto width = type->number<std::int32_t>(0);
      if (width <= 0 || width > 1 << 20) refuse(name, fmt::format("binary values of {} bytes", width));
      return Datatype(TypeId::raw, static_cast<std::uint32_t>(width));
    }
    default:
      refuse(name,
             fmt::format("Arrow type {} is not one of numbers, booleans, times, text, binary and lists of them", kind));
  }
}

Layout layout_of(const FlatTable& field, const std::string& name) {
  Layout out;
  out.like.name = name;
  out.like.nullable = field.number<std::uint8_t>(1) != 0;
  const auto kind = field.number<std::uint8_t>(2);
  if (field.has(4)) refuse(name, "dictionaries are not read; write the values themselves");
  out.wide = kind == kLargeBinary || kind == kLargeUtf8 || kind == kLargeList;
  if (kind == kUtf8 || kind == kLargeUtf8 || kind == kBinary || kind == kLargeBinary) {
    out.like.type = kind == kUtf8 || kind == kLargeUtf8 ? TypeId::utf8 : TypeId::blob;
    out.like.values_per_cell = kVar;
  } else if (kind == kList || kind == kLargeList || kind == kFixedList) {
    const FlatTable::List children = field.list(5, 4);
    if (children.count != 1) refuse(name, fmt::format("a list of {} children", children.count));
    const FlatTable child = field.item(children, 0);
    if (child.has(4)) refuse(name, "dictionaries are not read; write the values themselves");
    out.like.type = single_type(child, child.number<std::uint8_t>(2), name);
    out.like.values_per_cell = kVar;
    if (kind == kFixedList) {
      const std::optional<FlatTable> type = field.table(3);
      const std::int32_t size = type ? type->number<std::int32_t>(0) : 0;
      if (size <= 0 || size > 1 << 20) refuse(name, fmt::format("lists of {} values", size));
      out.like.values_per_cell = static_cast<std::uint32_t>(size);
    }
    out.list = true;
  } else {
    out.like.type = single_type(field, kind, name);
  }
  out.bits = out.like.type.id == TypeId::boolean;
  if (out.like.var()) out.like.offsets.push_back(0);
  return out;
}

std::vector<Layout> layouts_of(const FlatTable& schema, std::uint64_t metadata_bytes) {
  if (schema.number<std::int16_t>(0) != 0) fail(ErrorKind::unsupported, "the file is big-endian");
  const FlatTable::List fields = schema.list(1, 4);
  std::vector<Layout> out;
  std::uint64_t names = 0;
  for (std::uint64_t i = 0; i < fields.count; ++i) {
    const FlatTable field = schema.item(fields, i);
    const std::string name = field.text(0);
    // Damaged references may all lead to the same long text.
    if ((names += name.size()) > metadata_bytes)
      fail(ErrorKind::corrupt, "the names of the fields are longer than the schema that holds them");
    out.push_back(layout_of(field, name));
  }
  return out;
}

// The buffers of one record batch, taken in order.
class Body {
 public:
  Body(const FlatTable& batch, ByteView bytes, const std::string& name, std::uint64_t base)
      : bytes_(bytes),
        name_(name),
        base_(base),
        nodes_(batch.cursor(batch.list(1, 16))),
        node_count_(batch.list(1, 16).count),
        buffers_(batch.cursor(batch.list(2, 16))),
        buffer_count_(batch.list(2, 16).count) {}

  // Cells of the next column or child.
  std::uint64_t node() {
    if (node_count_-- == 0) nodes_.fail("the record batch has fewer columns than the schema");
    const auto length = nodes_.read<std::int64_t>();
    nodes_.skip(8);
    if (length < 0) nodes_.fail("a column of {} cells", length);
    return static_cast<std::uint64_t>(length);
  }
  ByteView buffer() {
    if (buffer_count_-- == 0) buffers_.fail("the record batch has fewer buffers than the schema asks for");
    const auto offset = buffers_.read<std::int64_t>(), length = buffers_.read<std::int64_t>();
    if (offset < 0 || length < 0) buffers_.fail("a buffer of {} bytes at {}", length, offset);
    // Buffers do not overlap, so together they are no larger than the body: nothing is copied more than once.
    if ((taken_ += static_cast<std::uint64_t>(length)) > bytes_.size())
      buffers_.fail("the buffers are longer than the {} bytes of the record batch", bytes_.size());
    Cursor in(bytes_, name_, base_);
    in.seek(static_cast<std::uint64_t>(offset), "a buffer of a record batch");
    return in.bytes(static_cast<std::uint64_t>(length), "a buffer of a record batch");
  }
  ByteView buffer(std::uint64_t items, std::uint64_t size, std::string_view what) {
    const ByteView all = buffer();
    if (items > all.size() / size)
      fail(ErrorKind::corrupt, "{}: {} for {} items of {} bytes in a buffer of {}", name_, what, items, size,
           all.size());
    return all.first(items * size);
  }
  const std::string& name() const { return name_; }

 private:
  ByteView bytes_;
  const std::string& name_;
  std::uint64_t base_;
  Cursor nodes_;
  std::uint64_t node_count_;
  Cursor buffers_;
  std::uint64_t buffer_count_;
  std::uint64_t taken_ = 0;
};

bool bit(ByteView bits, std::uint64_t i) { return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8)) & 1; }

// Called when the cells are there, whose buffers bound their number.
void add_validity(Column& column, ByteView bits, std::uint64_t cells, const std::string& name) {
  if (!bits.empty() && cells > bits.size() * 8)
    fail(ErrorKind::corrupt, "{}: a validity of {} bytes for {} cells of '{}'", name, bits.size(), cells, column.name);
  const bool nulls = !bits.empty();
  if (!column.nullable) {
    for (std::uint64_t i = 0; nulls && i < cells; ++i)
      if (!bit(bits, i)) fail(ErrorKind::corrupt, "{}: '{}' has a null although its field has none", name, column.name);
    return;
  }
  const std::size_t before = column.validity.size();
  column.validity.resize(before + cells);
  for (std::uint64_t i = 0; i < cells; ++i) column.validity[before + i] = std::byte{!nulls || bit(bits, i)};
}

void add_values(Column& column, Body& body, const Layout& layout, std::uint64_t first, std::uint64_t values) {
  const std::string& field = layout.like.name;
  if (layout.bits) {
    const ByteView bits = body.buffer();
    if (first + values > bits.size() * 8)
      fail(ErrorKind::corrupt, "{}: {} booleans of '{}' in {} bytes", body.name(), first + values, field, bits.size());
    for (std::uint64_t i = first; i < first + values; ++i) column.data.push_back(std::byte{bit(bits, i)});
    return;
  }
  const std::uint64_t size = column.type.full_size();
  const ByteView data = body.buffer(first + values, size, field).subspan(first * size);
  column.data.insert(column.data.end(), data.begin(), data.end());
}

// Offsets of this batch, from the first value on; checked to rise.
std::vector<std::uint64_t> offsets_of(Body& body, const Layout& layout, std::uint64_t cells) {
  // An empty column may have no offsets at all.
  const std::uint64_t size = layout.wide ? 8 : 4;
  const ByteView data = body.buffer();
  std::vector<std::uint64_t> out;
  if (cells == 0) return {0};
  if (cells >= data.size() / size)
    fail(ErrorKind::corrupt, "{}: offsets of {} cells of '{}' in {} bytes", body.name(), cells, layout.like.name,
         data.size());
  for (std::uint64_t i = 0; i <= cells; ++i) {
    const std::byte* at = data.data() + i * size;
    const std::int64_t offset = layout.wide ? load_le<std::int64_t>(at) : load_le<std::int32_t>(at);
    if (offset < 0 || (i && static_cast<std::uint64_t>(offset) < out.back()))
      fail(ErrorKind::corrupt, "{}: offset {} of '{}' is {}, before the one in front of it", body.name(), i,
           layout.like.name, offset);
    out.push_back(static_cast<std::uint64_t>(offset));
  }
  return out;
}

void add_cells(Column& column, Body& body, const Layout& layout, std::uint64_t cells) {
  const std::uint64_t length = body.node();
  if (length != cells)
    fail(ErrorKind::corrupt, "{}: '{}' has {} cells in a batch of {}", body.name(), column.name, length, cells);
  const ByteView validity = body.buffer();
  std::uint64_t first = 0, values = cells;
  if (column.var()) {
    const std::vector<std::uint64_t> offsets = offsets_of(body, layout, cells);
    const std::uint64_t size = layout.list ? column.type.full_size() : 1, before = column.data.size();
    first = offsets.front();
    values = offsets.back() - first;
    if (values > std::numeric_limits<std::uint64_t>::max() / 2 / size)
      fail(ErrorKind::corrupt, "{}: '{}' has {} values", body.name(), column.name, values);
    for (std::size_t i = 1; i < offsets.size(); ++i) column.offsets.push_back(before + (offsets[i] - first) * size);
  } else if (layout.list) {
    if (cells > std::numeric_limits<std::uint64_t>::max() / column.values_per_cell)
      fail(ErrorKind::corrupt, "{}: '{}' has {} cells", body.name(), column.name, cells);
    values = cells * column.values_per_cell;
  }
  if (layout.list) {
    if (const std::uint64_t items = body.node(); items < first + values)
      fail(ErrorKind::corrupt, "{}: '{}' has {} values, its lists want {}", body.name(), column.name, items,
           first + values);
    Column child;
    child.name = column.name;
    const ByteView bits = body.buffer();
    add_values(column, body, layout, first, values);
    add_validity(child, bits, first + values, body.name());
  } else {
    add_values(column, body, layout, first, values);
  }
  add_validity(column, validity, cells, body.name());
}

class Reader {
 public:
  Reader(ByteView file, const std::string& name) : in_(file, name), name_(name) {}

  Batch read() {
    constexpr std::string_view kMagic("ARROW1\0\0", 8);
    if (text_of(in_.rest()).starts_with(kMagic)) in_.skip(kMagic.size());
    while (message()) {
    }
    if (!known_) in_.fail("no Arrow schema");
    return std::move(out_);
  }

 private:
  // False at the end.
  bool message() {
    if (in_.done()) return false;
    std::uint32_t length = in_.read<std::uint32_t>();
    if (length == 0xFFFFFFFF) length = in_.read<std::uint32_t>();  // as every writer since 2019 does
    if (length == 0) return false;
    const std::uint64_t at = in_.offset();
    const FlatView view(in_.bytes(length, "a message"), name_, at);
    const FlatTable table = FlatTable::root(view);
    const auto body_length = table.number<std::int64_t>(3);
    if (body_length < 0) in_.fail("a message with a body of {} bytes", body_length);
    const std::uint64_t base = in_.offset();
    const ByteView body = in_.bytes(static_cast<std::uint64_t>(body_length), "the body of a message");
    const std::optional<FlatTable> header = table.table(2);
    if (!header) in_.fail("a message without a header");
    switch (table.number<std::uint8_t>(1)) {
      case kSchema:
        if (known_) in_.fail("a second schema");
        layouts_ = layouts_of(*header, length);
        for (const Layout& layout : layouts_) out_.columns.push_back(layout.like);
        known_ = true;
        break;
      case kRecordBatch:
        add(*header, body, base);
        break;
      case kDictionary:
        fail(ErrorKind::unsupported, "{}: dictionaries are not read; write the values themselves", name_);
      default:
        fail(ErrorKind::unsupported, "{}: a message of kind {} at byte {}", name_, table.number<std::uint8_t>(1), at);
    }
    return true;
  }

  void add(const FlatTable& batch, ByteView bytes, std::uint64_t base) {
    if (!known_) in_.fail("a record batch before the schema");
    if (batch.has(3)) fail(ErrorKind::unsupported, "{}: compressed buffers; write the file without compression", name_);
    const auto cells = batch.number<std::int64_t>(0);
    if (cells < 0) in_.fail("a record batch of {} rows", cells);
    Body body(batch, bytes, name_, base);
    for (std::size_t i = 0; i < layouts_.size(); ++i)
      add_cells(out_.columns[i], body, layouts_[i], static_cast<std::uint64_t>(cells));
    out_.cells += static_cast<std::uint64_t>(cells);
  }

  Cursor in_;
  std::string name_;
  bool known_ = false;
  std::vector<Layout> layouts_;
  Batch out_;
};

}  // namespace

Batch read_arrow(ByteView file, const std::string& name) { return Reader(file, name).read(); }

}  // namespace tegula
