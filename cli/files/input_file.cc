#include "files/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/fail.h"
#include "files/spool.h"

namespace tegula::cli {

namespace {

[[noreturn]] void failed(const char* what, const std::string& path) {
  const ErrorKind kind = errno == ENOENT                     ? ErrorKind::not_found
                         : errno == EACCES || errno == EPERM ? ErrorKind::permission
                                                             : ErrorKind::io;
  fail(kind, "{} '{}': {}", what, path, std::generic_category().message(errno));
}

}  // namespace

InputFile::InputFile(std::string path, const Work& work) : path_(std::move(path)) {
  descriptor_ = path_ == "-" ? dup(STDIN_FILENO) : open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) failed("cannot read", path_);
  try {
    struct stat about{};
    if (fstat(descriptor_, &about) != 0) failed("cannot read", path_);
    if (S_ISDIR(about.st_mode)) fail(ErrorKind::invalid_argument, "'{}' is a folder, not a file of cells", path_);
    if (S_ISREG(about.st_mode))
      size_ = static_cast<std::uint64_t>(about.st_size);
    else
      copy_pipe(work);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::copy_pipe(const Work& work) {
  copy_ = system_scratch();
  Bytes block(1 << 18);
  for (;;) {
    work.check();
    // A signal ends poll(), which read() would not notice. One that came just before it shows a little later.
    pollfd wait{descriptor_, POLLIN, 0};
    const int ready = poll(&wait, 1, 200);
    if (ready < 0 && errno != EINTR) failed("cannot read", path_);
    if (ready <= 0) continue;
    const ssize_t n = ::read(descriptor_, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) failed("cannot read", path_);
    if (n == 0) return;
    copy_->write(size_, ByteView(block).first(static_cast<std::size_t>(n)));
    size_ += static_cast<std::uint64_t>(n);
  }
}

void InputFile::read(std::uint64_t offset, MutableBytes into) const {
  if (copy_) {
    if (!into.empty()) copy_->read(offset, into);
    return;
  }
  while (!into.empty()) {
    const ssize_t n = pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) failed("cannot read", path_);
    if (n == 0) fail(ErrorKind::io, "'{}' ends at byte {}; it has become shorter while it was read", path_, offset);
    into = into.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

Bytes InputFile::piece(std::uint64_t offset, std::uint64_t most) const {
  Bytes out(std::min(most, size_ - std::min(offset, size_)));
  read(offset, out);
  return out;
}

}  // namespace tegula::cli
