// Reads the part of FlatBuffers that Arrow files need. Every position comes from the file, so every one is
// checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/cursor.h"

namespace tegula {

// A buffer that holds tables. Borrows the bytes.
class FlatView {
 public:
  FlatView(ByteView bytes, std::string name, std::uint64_t base) : bytes_(bytes), name_(std::move(name)), base_(base) {}

  template <Scalar T>
  T read(std::uint64_t at) const {
    return cursor(at).read<T>();
  }
  // A cursor that stands at a position.
  Cursor cursor(std::uint64_t at) const {
    Cursor in(bytes_, name_, base_);
    in.seek(at, "a reference of a FlatBuffer");
    return in;
  }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  ByteView bytes_;
  std::string name_;
  std::uint64_t base_;
};

// A table in the buffer. Members that are not stored have their default.
class FlatTable {
 public:
  static FlatTable root(const FlatView& view) { return FlatTable(view, view.read<std::uint32_t>(0)); }

  template <Scalar T>
  T number(unsigned slot, T otherwise = {}) const {
    const std::uint64_t at = place(slot);
    return at ? view_->read<T>(at) : otherwise;
  }
  bool has(unsigned slot) const { return place(slot) != 0; }
  std::optional<FlatTable> table(unsigned slot) const;
  std::string text(unsigned slot) const;

  // A list of items of `item` bytes; the cursor stands at the first. Empty when it is not stored.
  struct List {
    std::uint64_t count = 0;
    std::uint64_t at = 0;
  };
  List list(unsigned slot, std::uint64_t item) const;
  // The table that item i of a list of references leads to.
  FlatTable item(const List& list, std::uint64_t i) const;
  Cursor cursor(const List& list) const { return view_->cursor(list.at); }

 private:
  FlatTable(const FlatView& view, std::uint64_t at);
  std::uint64_t place(unsigned slot) const;  // 0: not stored
  std::uint64_t follow(std::uint64_t at) const { return at + view_->read<std::uint32_t>(at); }

  const FlatView* view_;
  std::uint64_t at_;
  std::uint64_t slots_;       // where the list of slots is
  std::uint16_t slot_bytes_;  // its size
};

}  // namespace tegula
