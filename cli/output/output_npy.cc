// Results as numpy files.
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/cursor.h"
#include "base/fail.h"
#include "files/file_writer.h"
#include "files/npy.h"
#include "files/npy_column.h"
#include "output/output.h"
#include "query/columns/gather.h"

namespace tegula::cli {

namespace {

bool has_nulls(const Column& column, std::uint64_t cells) {
  for (std::uint64_t i = 0; i < cells; ++i)
    if (!column.valid(i)) return true;
  return false;
}

constexpr std::uint64_t kCellsAtOnce = 1 << 15;

// Cells and shape of what came so far.
void count(Batch& all, const Batch& batch, bool first) {
  Batch frame;
  frame.cells = batch.cells;
  frame.shape = batch.shape;
  if (first)
    all = std::move(frame);
  else
    append(all, frame);
}

std::vector<std::uint64_t> shape_of(const Batch& batch) {
  return batch.shape ? *batch.shape : std::vector<std::uint64_t>{batch.cells};
}

void add_all(NpyColumn& to, const Column& column, std::uint64_t cells) {
  for (std::uint64_t at = 0; at < cells; at += kCellsAtOnce) to.add(column, at, std::min(kCellsAtOnce, cells - at));
}

class NpyOutput final : public Output {
 public:
  explicit NpyOutput(const std::string& path)
      : file_(path), space_(std::make_shared<SpoolSpace>([path] { return scratch_beside(path); })) {}

  void add(const Batch& batch) override {
    if (batch.columns.size() != 1)
      fail(ErrorKind::invalid_argument,
           "--npy takes one field, the result has {}; choose one with --fields or use --npz", batch.columns.size());
    const Column& column = batch.columns[0];
    if (has_nulls(column, batch.cells))
      fail(ErrorKind::unsupported, "field '{}' has null cells, which --npy cannot hold; use --npz", column.name);
    if (column.var()) {
      if (!text_) text_.emplace(column, space_);
      count(all_, batch, first_);
      add_all(*text_, column, batch.cells);
    } else {
      stream(batch);
    }
    first_ = false;
  }

  void finish() override {
    if (text_) {
      file_.write(text_->header(shape_of(all_)));
      text_->each([&](ByteView piece) { file_.write(piece); });
    } else if (!first_) {
      file_.patch(0, npy_header(type_, shape_, true));
    }
    file_.commit();
  }

 private:
  // Blocks come along the first axis, so the extents of the others are known with the first one.
  void stream(const Batch& batch) {
    const NpyLayout layout = npy_layout(batch.columns[0]).value();
    std::vector<std::uint64_t> shape = shape_of(batch);
    shape.insert(shape.end(), layout.shape.begin(), layout.shape.end());
    if (first_) {
      type_ = layout.type;
      shape_ = shape;
      file_.write(npy_header(type_, shape_, true));
    } else if (!shape_.empty() && shape.size() == shape_.size()) {
      shape_[0] += shape[0];
    } else {
      fail(ErrorKind::unsupported, "the result comes in pieces that do not fit together; use --npz");
    }
    file_.write(ByteView(batch.columns[0].data));
  }

  FileWriter file_;
  const std::shared_ptr<SpoolSpace> space_;
  bool first_ = true;
  std::optional<NpyColumn> text_;  // its longest cell is known at the end
  Batch all_;
  Datatype type_;
  std::vector<std::uint64_t> shape_;
};

// A zip archive of stored entries, with 64-bit sizes throughout (what numpy writes too).
class ZipWriter {
 public:
  explicit ZipWriter(FileWriter& file) : file_(file) {}

  // Goes through the body twice: its checksum comes before it.
  void add(const std::string& name, std::string_view head, const NpyColumn& body) {
    Entry entry{name, file_.size(), head.size() + body.bytes(), 0};
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
    body.each([&](ByteView piece) { crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size()); });
    entry.crc = static_cast<std::uint32_t>(crc);
    Bytes out;
    ByteWriter w(out);
    w.put<std::uint32_t>(0x04034b50);
    common(w, entry, 20);
    w.text(name);
    extra(w, entry, 16);
    file_.write(ByteView(out));
    file_.write(head);
    body.each([&](ByteView piece) { file_.write(piece); });
    entries_.push_back(std::move(entry));
  }

  void finish() {
    Bytes out;
    ByteWriter w(out);
    const std::uint64_t start = file_.size();
    for (const Entry& entry : entries_) {
      w.put<std::uint32_t>(0x02014b50);
      w.put<std::uint16_t>(kVersion);
      common(w, entry, 28);
      w.zeros(10);  // comment, disk, attributes
      w.put<std::uint32_t>(UINT32_MAX);
      w.text(entry.name);
      extra(w, entry, 24);
    }
    const std::uint64_t size = w.size(), end = start + size;
    w.put<std::uint32_t>(0x06064b50);
    w.put<std::uint64_t>(44);
    w.put<std::uint16_t>(kVersion);
    w.put<std::uint16_t>(kVersion);
    w.zeros(8);
    w.put<std::uint64_t>(entries_.size());
    w.put<std::uint64_t>(entries_.size());
    w.put<std::uint64_t>(size);
    w.put<std::uint64_t>(start);
    w.put<std::uint32_t>(0x07064b50);
    w.zeros(4);
    w.put<std::uint64_t>(end);
    w.put<std::uint32_t>(1);
    w.put<std::uint32_t>(0x06054b50);
    w.zeros(4);
    for (int i = 0; i < 2; ++i) w.put<std::uint16_t>(UINT16_MAX);
    for (int i = 0; i < 2; ++i) w.put<std::uint32_t>(UINT32_MAX);
    w.zeros(2);
    file_.write(ByteView(out));
  }

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset, size;
    std::uint32_t crc;
  };
  static constexpr std::uint16_t kVersion = 45;

  // From "version needed" to the length of the extra field. The date is 1980-01-01, so that equal data gives equal
  // files.
  static void common(ByteWriter& w, const Entry& entry, std::uint16_t extra_size) {
    w.put<std::uint16_t>(kVersion);
    w.put<std::uint16_t>(0x0800);
    w.zeros(4);
    w.put<std::uint16_t>(0x0021);
    w.put<std::uint32_t>(entry.crc);
    w.put<std::uint32_t>(UINT32_MAX);
    w.put<std::uint32_t>(UINT32_MAX);
    w.put<std::uint16_t>(static_cast<std::uint16_t>(entry.name.size()));
    w.put<std::uint16_t>(extra_size);
  }
  static void extra(ByteWriter& w, const Entry& entry, std::uint16_t size) {
    w.put<std::uint16_t>(1);
    w.put<std::uint16_t>(size);
    w.put<std::uint64_t>(entry.size);
    w.put<std::uint64_t>(entry.size);
    if (size > 16) w.put<std::uint64_t>(entry.offset);
  }

  FileWriter& file_;
  std::vector<Entry> entries_;
};

class NpzOutput final : public Output {
 public:
  explicit NpzOutput(const std::string& path)
      : file_(path), space_(std::make_shared<SpoolSpace>([path] { return scratch_beside(path); })) {}

  void add(const Batch& batch) override {
    for (std::size_t c = 0; c < batch.columns.size(); ++c) {
      const Column& column = batch.columns[c];
      const Column validity = flags_of(column);
      if (first_) entries_.push_back({column.name.empty() ? "value" : column.name, NpyColumn(column, space_), {}});
      if (first_ && column.nullable) entries_[c].valid.emplace(validity, space_);
      add_all(entries_[c].cells, column, batch.cells);
      if (column.nullable) add_all(*entries_[c].valid, validity, batch.cells);
    }
    count(all_, batch, first_);
    first_ = false;
  }

  void finish() override {
    ZipWriter zip(file_);
    for (const Entry& entry : entries_) {
      zip.add(entry.name + ".npy", entry.cells.header(shape_of(all_)), entry.cells);
      if (entry.valid) zip.add(entry.name + ".valid.npy", entry.valid->header(shape_of(all_)), *entry.valid);
    }
    zip.finish();
    file_.commit();
  }

 private:
  struct Entry {
    std::string name;
    NpyColumn cells;
    std::optional<NpyColumn> valid;
  };

  static Column flags_of(const Column& column) {
    Column flags;
    flags.name = column.name;
    flags.type = TypeId::boolean;
    flags.data = column.validity;
    return flags;
  }

  FileWriter file_;
  const std::shared_ptr<SpoolSpace> space_;
  std::vector<Entry> entries_;
  Batch all_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Output> npy_output(const std::string& path) { return std::make_unique<NpyOutput>(path); }
std::unique_ptr<Output> npz_output(const std::string& path) { return std::make_unique<NpzOutput>(path); }

}  // namespace tegula::cli
