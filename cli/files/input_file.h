// A file that is read piece by piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "store/store.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::cli {

// Reads from any place and in any order. What has no places, standard input ("-") or a pipe, is copied to temporary
// space first. Throws not_found, permission or io.
class InputFile {
 public:
  // `work` is asked whether to stop while a pipe is waited for.
  InputFile(std::string path, const Work& work);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Fills `into`; throws io when the file has become shorter.
  void read(std::uint64_t offset, MutableBytes into) const;
  // The bytes from `offset` on, at most `most` of them.
  Bytes piece(std::uint64_t offset, std::uint64_t most) const;

 private:
  void copy_pipe(const Work& work);
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::unique_ptr<Scratch> copy_;  // of a pipe
};

}  // namespace tegula::cli
