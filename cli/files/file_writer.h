// A file that appears only when it is complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "tegula/bytes.h"

namespace tegula::cli {

// Writes a temporary file beside `path` and renames it at commit(); without commit() nothing is left. A device or pipe
// gets the bytes at commit(). Throws Error(io).
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(ByteView bytes);
  void write(std::string_view text) { write(bytes_of(text)); }
  // Overwrites earlier bytes.
  void patch(std::uint64_t offset, std::string_view text);
  std::uint64_t size() const { return size_; }
  void commit();

 private:
  void copy_to_device();
  [[noreturn]] void failed(const char* what) const;
  std::string path_, temporary_;
  bool replaces_ = true;
  std::FILE* file_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace tegula::cli
