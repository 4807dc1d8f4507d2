#include "arrow/ipc_reader.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "arrow/arrow_codes.h"
#include "arrow/arrow_layout.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "base/fail.h"
#include "codec/compress/lz4_frame.h"
#include "codec/compress/zstd_stream.h"
#include "query/columns/gather.h"
#include "query/language/literal.h"

namespace tegula {

namespace {

using enum arrow::MessageHeader;

// The most bytes that one byte of a file may become through compression and dictionaries: a damaged file can claim any
// size.
constexpr std::uint64_t kMostGain = 65536;

// The buffers of one record batch, taken in order.
class Body {
 public:
  Body(const FlatTable& batch, ByteView bytes, const std::string& name, std::uint64_t base, std::uint64_t limit)
      : limit_(limit),
        bytes_(bytes),
        name_(name),
        base_(base),
        nodes_(batch.cursor(batch.list(1, 16))),
        node_count_(batch.list(1, 16).count),
        buffers_(batch.cursor(batch.list(2, 16))),
        buffer_count_(batch.list(2, 16).count) {
    const std::optional<FlatTable> compression = batch.table(3);
    if (!compression) return;
    const auto codec = compression->number<std::int8_t>(0);
    if (codec != 0 && codec != 1) fail(ErrorKind::unsupported, "{}: buffers compressed by codec {}", name, codec);
    decode_ = codec == 0 ? codec::lz4_frame_decode_stream : codec::zstd_decode_stream;
  }

  // Cells of the next column or child.
  std::uint64_t node() {
    if (node_count_-- == 0) nodes_.fail("the record batch has fewer columns than the schema");
    const auto length = nodes_.read<std::int64_t>();
    nodes_.skip(8);
    if (length < 0) nodes_.fail("a column of {} cells", length);
    return static_cast<std::uint64_t>(length);
  }
  // The bytes live as long as the body.
  ByteView buffer() {
    const ByteView stored = stored_buffer();
    if (!decode_ || stored.empty()) return stored;
    Cursor in(stored, name_, base_);
    const auto length = in.read<std::int64_t>();
    if (length == -1) return in.rest();
    if (length < 0 || static_cast<std::uint64_t>(length) > limit_)
      in.fail("a buffer of {} bytes, compressed to {}", length, in.remaining());
    limit_ -= static_cast<std::uint64_t>(length);
    Bytes& raw = decoded_.emplace_back();
    if (length > 0) decode_(in.rest(), raw, static_cast<std::uint64_t>(length));
    if (raw.size() != static_cast<std::uint64_t>(length))
      in.fail("a compressed buffer of {} bytes, expected {}", raw.size(), length);
    return raw;
  }
  ByteView buffer(std::uint64_t items, std::uint64_t size, std::string_view what) {
    const ByteView all = buffer();
    if (items > all.size() / size)
      fail(ErrorKind::corrupt, "{}: {} for {} items of {} bytes in a buffer of {}", name_, what, items, size,
           all.size());
    return all.first(items * size);
  }
  const std::string& name() const { return name_; }
  // The decompressed bytes of all buffers.
  std::uint64_t decoded() const {
    std::uint64_t bytes = 0;
    for (const Bytes& raw : decoded_) bytes += raw.size();
    return bytes;
  }

 private:
  ByteView stored_buffer() {
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

  std::uint64_t limit_;  // of what is decoded
  void (*decode_)(ByteView in, Bytes& out, std::uint64_t limit) = nullptr;
  std::deque<Bytes> decoded_;
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

// Called after the cells were read, so that their number is known to be real.
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

void add_values(Column& column, Body& body, const ArrowLayout& layout, std::uint64_t first, std::uint64_t values) {
  const std::string& field = layout.like.name;
  if (layout.bits) {
    const ByteView bits = body.buffer();
    if (first + values > bits.size() * 8)
      fail(ErrorKind::corrupt, "{}: {} booleans of '{}' in {} bytes", body.name(), first + values, field, bits.size());
    for (std::uint64_t i = first; i < first + values; ++i) column.data.push_back(std::byte{bit(bits, i)});
    return;
  }
  if (layout.days) {
    const ByteView days = body.buffer(values, 4, field);
    const std::size_t before = column.data.size();
    column.data.resize(before + values * 8);
    for (std::uint64_t i = 0; i < values; ++i)
      store_le(column.data.data() + before + i * 8, std::int64_t{load_le<std::int32_t>(days.data() + i * 4)});
    return;
  }
  const std::uint64_t size = column.type.full_size();
  const ByteView data = body.buffer(first + values, size, field).subspan(first * size);
  column.data.insert(column.data.end(), data.begin(), data.end());
}

// Offsets of this batch, relative to its first value; throws unless they rise.
std::vector<std::uint64_t> offsets_of(Body& body, const ArrowLayout& layout, std::uint64_t cells) {
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
      fail(ErrorKind::corrupt, "{}: offset {} of '{}' is {}, less than the one before it", body.name(), i,
           layout.like.name, offset);
    out.push_back(static_cast<std::uint64_t>(offset));
  }
  return out;
}

void add_cells(Column& column, Body& body, const ArrowLayout& layout, std::uint64_t cells) {
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

// Replaces indices by the values of a dictionary. Returns the bytes of those values.
std::uint64_t add_indexed(Column& column, Body& body, const ArrowLayout& layout, const Column& values,
                          std::uint64_t cells, std::uint64_t limit) {
  const std::uint64_t length = body.node();
  if (length != cells)
    fail(ErrorKind::corrupt, "{}: '{}' has {} cells in a batch of {}", body.name(), column.name, length, cells);
  const ByteView validity = body.buffer();
  const Datatype& type = layout.dictionary->index;
  const ByteView data = body.buffer(cells, type.size, column.name);
  if (!validity.empty() && cells > validity.size() * 8)
    fail(ErrorKind::corrupt, "{}: a validity of {} bytes for {} cells of '{}'", body.name(), validity.size(), cells,
         column.name);
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const bool there = validity.empty() || bit(validity, i);
    const Int128 index = there ? load_integer(type, data.data() + i * type.size) : 0;
    if (there && (index < 0 || index >= static_cast<Int128>(values.cells())))
      fail(ErrorKind::corrupt, "{}: '{}' has index {} in a dictionary of {}", body.name(), column.name,
           static_cast<std::int64_t>(index), values.cells());
    const ByteView cell = there ? values.cell(static_cast<std::size_t>(index)) : ByteView{};
    bytes += there ? cell.size() : column.cell_size();
    if (bytes > limit)
      fail(ErrorKind::unsupported, "{}: '{}' takes more than {} bytes without its dictionary", body.name(), column.name,
           limit);
    column.data.insert(column.data.end(), cell.begin(), cell.end());
    if (!there) column.data.resize(column.data.size() + column.cell_size(), std::byte{0});
    if (column.var()) column.offsets.push_back(column.data.size());
  }
  add_validity(column, validity, cells, body.name());
  return bytes;
}

}  // namespace

class ArrowReader::State {
 public:
  State(Read read, std::uint64_t size, std::string name)
      : read_(std::move(read)),
        size_(size),
        name_(std::move(name)),
        left_(size > UINT64_MAX / kMostGain ? UINT64_MAX : size * kMostGain) {
    Bytes start(std::min<std::uint64_t>(size_, arrow::kMagic.size()));
    read_(0, start);
    if (text_of(start) == arrow::kMagic) at_ = arrow::kMagic.size();
    while (!known_ && message()) {
    }
    if (!known_) fail_here("no Arrow schema");
  }

  const Batch& like() const { return like_; }

  std::optional<Batch> next() {
    while (!ready_ && message()) {
    }
    return std::exchange(ready_, std::nullopt);
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(ErrorKind::corrupt, "{}: at byte {}: {}", name_, at_, what);
  }

  // The next bytes of the file.
  Bytes take(std::uint64_t length, const char* what) {
    if (length > size_ - at_)
      fail_here(fmt::format("{} of {} bytes, and the file has {} more", what, length, size_ - at_));
    Bytes out(length);
    read_(at_, out);
    at_ += length;
    return out;
  }
  std::uint32_t take_number() { return load_le<std::uint32_t>(take(4, "the length of a message").data()); }

  // False at the end.
  bool message() {
    if (at_ == size_ || ended_) return false;
    std::uint32_t length = take_number();
    if (length == 0xFFFFFFFF) length = take_number();  // as every writer since 2019 does
    if (length == 0) ended_ = true;
    if (ended_) return false;
    const std::uint64_t at = at_;
    const Bytes head = take(length, "a message");
    const FlatView view(head, name_, at);
    const FlatTable table = FlatTable::root(view);
    const auto body_length = table.number<std::int64_t>(3);
    if (body_length < 0) fail_here(fmt::format("a message with a body of {} bytes", body_length));
    const std::uint64_t base = at_;
    const Bytes body = take(static_cast<std::uint64_t>(body_length), "the body of a message");
    const std::optional<FlatTable> header = table.table(2);
    if (!header) fail_here("a message without a header");
    switch (table.number<std::uint8_t>(1)) {
      case kSchema:
        if (known_) fail_here("a second schema");
        layouts_ = arrow_layouts(*header, length);
        for (const ArrowLayout& layout : layouts_) like_.columns.push_back(layout.like);
        known_ = true;
        break;
      case kRecordBatch:
        add(*header, body, base);
        break;
      case kDictionary:
        add_dictionary(*header, body, base);
        break;
      default:
        fail(ErrorKind::unsupported, "{}: a message of kind {} at byte {}", name_, table.number<std::uint8_t>(1), at);
    }
    return true;
  }

  void add(const FlatTable& batch, ByteView bytes, std::uint64_t base) {
    if (!known_) fail_here("a record batch before the schema");
    const std::uint64_t cells = cells_of(batch);
    Batch out = like_;
    Body body(batch, bytes, name_, base, left_);
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      if (!layouts_[i].dictionary) {
        add_cells(out.columns[i], body, layouts_[i], cells);
        continue;
      }
      const auto found = dictionaries_.find(layouts_[i].dictionary->id);
      if (found == dictionaries_.end()) fail_here(fmt::format("no dictionary for '{}'", layouts_[i].like.name));
      left_ -= add_indexed(out.columns[i], body, layouts_[i], found->second, cells, left_);
    }
    left_ -= std::min(left_, body.decoded());
    out.cells = cells;
    ready_ = std::move(out);
  }

  // Replaces a dictionary, or adds to it.
  void add_dictionary(const FlatTable& header, ByteView bytes, std::uint64_t base) {
    const auto id = header.number<std::int64_t>(0);
    const auto layout = std::find_if(layouts_.begin(), layouts_.end(),
                                     [&](const ArrowLayout& l) { return l.dictionary && l.dictionary->id == id; });
    const std::optional<FlatTable> batch = header.table(1);
    if (layout == layouts_.end() || !batch)
      fail_here(fmt::format("dictionary {} belongs to no field, or has no values", id));
    Column values = layout->like;
    values.nullable = true;
    Body body(*batch, bytes, name_, base, left_);
    add_cells(values, body, *layout, cells_of(*batch));
    left_ -= std::min(left_, body.decoded());
    if (std::find(values.validity.begin(), values.validity.end(), std::byte{0}) != values.validity.end())
      fail(ErrorKind::unsupported, "{}: the dictionary of '{}' holds a null", name_, values.name);
    values.nullable = false;
    values.validity.clear();
    const auto [known, fresh] = dictionaries_.try_emplace(id, values);
    if (fresh) return;
    if (header.number<std::uint8_t>(2))
      append(known->second, values);
    else
      known->second = std::move(values);
  }

  std::uint64_t cells_of(const FlatTable& batch) const {
    const auto cells = batch.number<std::int64_t>(0);
    if (cells < 0) fail_here(fmt::format("a record batch of {} rows", cells));
    return static_cast<std::uint64_t>(cells);
  }

  const Read read_;
  const std::uint64_t size_;
  const std::string name_;
  std::uint64_t at_ = 0;  // of the next message
  bool known_ = false, ended_ = false;
  std::uint64_t left_;  // bytes that may still be decompressed or copied from dictionaries
  std::vector<ArrowLayout> layouts_;
  std::map<std::int64_t, Column> dictionaries_;
  Batch like_;
  std::optional<Batch> ready_;  // the record batch that was read last
};

ArrowReader::ArrowReader(Read read, std::uint64_t size, std::string name)
    : state_(std::make_unique<State>(std::move(read), size, std::move(name))) {}
ArrowReader::~ArrowReader() = default;
const Batch& ArrowReader::like() const { return state_->like(); }
std::optional<Batch> ArrowReader::next() { return state_->next(); }

Batch read_arrow(ByteView file, const std::string& name) {
  const auto read = [&](std::uint64_t offset, MutableBytes into) {
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  };
  ArrowReader reader(read, file.size(), name);
  Batch all = reader.like();
  while (const std::optional<Batch> batch = reader.next()) append(all, *batch);
  return all;
}

}  // namespace tegula
