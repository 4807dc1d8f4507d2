#include "file_writer.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/fail.h"

namespace tegula::cli {

FileWriter::FileWriter(std::string path)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.part", path_, getpid())) {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (!file_) failed("cannot make");
}

FileWriter::~FileWriter() {
  if (!file_) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void FileWriter::write(ByteView bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failed("cannot write");
  size_ += bytes.size();
}

void FileWriter::patch(std::uint64_t offset, std::string_view text) {
  const bool done = std::fseek(file_, static_cast<long>(offset), SEEK_SET) == 0 &&
                    std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
                    std::fseek(file_, 0, SEEK_END) == 0;
  if (!done) failed("cannot write");
}

void FileWriter::commit() {
  const bool flushed = std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
  if (!flushed) failed("cannot write");
  std::fclose(file_);
  file_ = nullptr;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) failed("cannot finish");
}

void FileWriter::failed(const char* what) const {
  fail(errno == EACCES || errno == EPERM ? ErrorKind::permission : ErrorKind::io, "{} '{}': {}", what, path_,
       std::generic_category().message(errno));
}

}  // namespace tegula::cli
