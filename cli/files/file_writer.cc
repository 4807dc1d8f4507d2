#include "files/file_writer.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/fail.h"

namespace tegula::cli {

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  std::error_code unknown;
  const std::filesystem::path there = std::filesystem::canonical(path_, unknown);
  // A link stays a link, and a device or pipe is written to, never replaced.
  if (!unknown && std::filesystem::is_symlink(path_, unknown)) path_ = there.string();
  replaces_ = !std::filesystem::exists(path_, unknown) || std::filesystem::is_regular_file(path_, unknown);
  temporary_ = fmt::format("{}.{}.part", path_, getpid());
  file_ = replaces_ ? std::fopen(temporary_.c_str(), "wb") : std::tmpfile();
  if (!file_) failed("cannot make");
}

FileWriter::~FileWriter() {
  if (!file_) return;
  std::fclose(file_);
  if (replaces_) std::remove(temporary_.c_str());
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
  if (!replaces_) return copy_to_device();
  const bool flushed = std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
  if (!flushed) failed("cannot write");
  std::fclose(file_);
  file_ = nullptr;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) failed("cannot finish");
}

void FileWriter::copy_to_device() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> device(std::fopen(path_.c_str(), "wb"), std::fclose);
  if (!device || std::fseek(file_, 0, SEEK_SET) != 0) failed("cannot write");
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file_))
    if (std::fwrite(block, 1, n, device.get()) != n) failed("cannot write");
  if (std::ferror(file_) || std::fflush(device.get()) != 0) failed("cannot write");
}

void FileWriter::failed(const char* what) const {
  fail(errno == EACCES || errno == EPERM ? ErrorKind::permission : ErrorKind::io, "{} '{}': {}", what, path_,
       std::generic_category().message(errno));
}

}  // namespace tegula::cli
