// Results as numpy files.
#include <zlib.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "files/file_writer.h"
#include "files/npy.h"
#include "output/output.h"
#include "query/columns/gather.h"

namespace tegula::cli {

namespace {

bool has_nulls(const Column& column, std::uint64_t cells) {
  for (std::uint64_t i = 0; i < cells; ++i)
    if (!column.valid(i)) return true;
  return false;
}

std::vector<std::uint64_t> shape_of(const Batch& batch) {
  return batch.shape ? *batch.shape : std::vector<std::uint64_t>{batch.cells};
}

class NpyOutput final : public Output {
 public:
  explicit NpyOutput(const std::string& path) : file_(path) {}

  void add(const Batch& batch) override {
    if (batch.columns.size() != 1)
      fail(ErrorKind::invalid_argument,
           "--npy takes one field, the result has {}; choose one with --fields or use --npz", batch.columns.size());
    const Column& column = batch.columns[0];
    if (has_nulls(column, batch.cells))
      fail(ErrorKind::unsupported, "field '{}' has null cells, which --npy cannot hold; use --npz", column.name);
    if (column.var()) {
      if (first_)
        rest_ = batch;
      else
        append(rest_, batch);
    } else {
      stream(batch);
    }
    first_ = false;
  }

  void finish() override {
    if (!rest_.columns.empty()) {
      const NpyArray array = npy_of(rest_.columns[0], rest_.cells, shape_of(rest_));
      file_.write(npy_header(array.type, array.shape));
      file_.write(ByteView(array.data));
    } else if (!first_) {
      file_.patch(0, npy_header(type_, shape_, true));
    }
    file_.commit();
  }

 private:
  // Blocks come along the first axis, so the extents of the others are known with the first one.
  void stream(const Batch& batch) {
    NpyArray array = npy_of(batch.columns[0], batch.cells, shape_of(batch));
    if (first_) {
      type_ = array.type;
      shape_ = array.shape;
      file_.write(npy_header(type_, shape_, true));
    } else if (!shape_.empty() && array.shape.size() == shape_.size()) {
      shape_[0] += array.shape[0];
    } else {
      fail(ErrorKind::unsupported, "the result comes in pieces that do not fit together; use --npz");
    }
    file_.write(ByteView(array.data));
  }

  FileWriter file_;
  bool first_ = true;
  Batch rest_;
  Datatype type_;
  std::vector<std::uint64_t> shape_;
};

// A zip archive of stored entries, with 64-bit sizes throughout (what numpy writes too).
class ZipWriter {
 public:
  explicit ZipWriter(FileWriter& file) : file_(file) {}

  void add(const std::string& name, std::string_view head, ByteView body) {
    Entry entry{name, file_.size(), head.size() + body.size(), 0};
    entry.crc = static_cast<std::uint32_t>(crc32_z(crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size()),
                                                   reinterpret_cast<const Bytef*>(body.data()), body.size()));
    Bytes out;
    ByteWriter w(out);
    w.put<std::uint32_t>(0x04034b50);
    common(w, entry, 20);
    w.text(name);
    extra(w, entry, 16);
    file_.write(ByteView(out));
    file_.write(head);
    file_.write(body);
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
  explicit NpzOutput(const std::string& path) : file_(path) {}
  void add(const Batch& batch) override {
    if (first_)
      all_ = batch;
    else
      append(all_, batch);
    first_ = false;
  }
  void finish() override {
    ZipWriter zip(file_);
    for (const Column& column : all_.columns) {
      const std::string name = column.name.empty() ? "value" : column.name;
      const NpyArray array = npy_of(column, all_.cells, shape_of(all_));
      zip.add(name + ".npy", npy_header(array.type, array.shape), array.data);
      if (column.nullable)
        zip.add(name + ".valid.npy", npy_header(Datatype(TypeId::boolean), shape_of(all_)), column.validity);
    }
    zip.finish();
    file_.commit();
  }

 private:
  FileWriter file_;
  Batch all_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Output> npy_output(const std::string& path) { return std::make_unique<NpyOutput>(path); }
std::unique_ptr<Output> npz_output(const std::string& path) { return std::make_unique<NpzOutput>(path); }

}  // namespace tegula::cli
