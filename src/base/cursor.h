// The one way to read untrusted bytes, and its counterpart for writing.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "base/fail.h"
#include "tegula/bytes.h"

namespace tegula {

// Reads a value, advances, or throws Error(corrupt) with the file and the offset. Borrows the bytes.
class Cursor {
 public:
  // `name` is the file for messages; `base` the offset of `data` in it.
  explicit Cursor(ByteView data, std::string name, std::uint64_t base = 0)
      : data_(data), name_(std::move(name)), base_(base) {}

  template <Scalar T>
  T read() {
    return load_le<T>(take(sizeof(T), "a number").data());
  }
  template <Scalar T>
  T read_be() {
    return load_be<T>(take(sizeof(T), "a number").data());
  }
  // A view into the data, valid as long as that is.
  ByteView bytes(std::uint64_t n, std::string_view what = "bytes") { return take(n, what); }
  std::string string(std::uint64_t n, std::string_view what = "text") { return std::string(text_of(take(n, what))); }
  void skip(std::uint64_t n, std::string_view what = "bytes") { take(n, what); }

  // Checks a count read from the file, of items of at least `item_size` bytes each that follow. Throws when they do not
  // fit in what is left, so that damaged data cannot size an allocation.
  template <std::unsigned_integral T>
  std::uint64_t count(std::uint64_t item_size, std::string_view what) {
    const std::uint64_t n = read<T>();
    check_count(n, item_size, what);
    return n;
  }
  void check_count(std::uint64_t n, std::uint64_t item_size, std::string_view what) const;

  std::uint64_t position() const noexcept { return at_; }        // in the data
  std::uint64_t offset() const noexcept { return base_ + at_; }  // in the file
  std::uint64_t remaining() const noexcept { return data_.size() - at_; }
  bool done() const noexcept { return at_ == data_.size(); }
  ByteView rest() const noexcept { return data_.subspan(at_); }
  void seek(std::uint64_t position, std::string_view what = "position");
  const std::string& name() const noexcept { return name_; }

  // A cursor over the next n bytes, which this one skips.
  Cursor sub(std::uint64_t n, std::string_view what) {
    const std::uint64_t from = offset();
    return Cursor(take(n, what), name_, from);
  }
  void expect_end(std::string_view what) const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_at(offset(), fmt::vformat(format, fmt::make_format_args(args...)));
  }
  [[noreturn]] void fail_at(std::uint64_t offset, const std::string& message) const;

 private:
  ByteView take(std::uint64_t n, std::string_view what) {
    if (n > remaining()) [[unlikely]]
      too_short(n, what);
    const ByteView view = data_.subspan(at_, n);
    at_ += n;
    return view;
  }
  [[noreturn]] void too_short(std::uint64_t n, std::string_view what) const;

  ByteView data_;
  std::string name_;
  std::uint64_t base_;
  std::uint64_t at_ = 0;
};

// Appends to a buffer.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <Scalar T>
  void put(T value) {
    const std::size_t at = grow(sizeof(T));
    store_le<T>(out_.data() + at, value);
  }
  template <Scalar T>
  void put_be(T value) {
    const std::size_t at = grow(sizeof(T));
    store_be<T>(out_.data() + at, value);
  }
  void bytes(ByteView data) { out_.insert(out_.end(), data.begin(), data.end()); }
  void text(std::string_view data) { bytes(bytes_of(data)); }
  void zeros(std::size_t n) { out_.insert(out_.end(), n, std::byte{0}); }
  // Overwrites an earlier value, e.g. a length known only later.
  template <Scalar T>
  void patch(std::size_t at, T value) {
    store_le<T>(out_.data() + at, value);
  }
  std::size_t size() const noexcept { return out_.size(); }

 private:
  std::size_t grow(std::size_t n) {
    const std::size_t at = out_.size();
    out_.resize(at + n);
    return at;
  }
  Bytes& out_;
};

}  // namespace tegula
