#include "store/file/descriptor.h"

#include <cstring>

#include "base/fail.h"

namespace tegula {

void fail_system(int error, std::string_view doing, std::string_view path) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      fail(ErrorKind::permission, "{} '{}': {}", doing, path, std::strerror(error));
    case ENOSPC:
    case EDQUOT:
      fail(ErrorKind::io, "{} '{}': {}; free some space and try again", doing, path, std::strerror(error));
    case ELOOP:
    case EXDEV:
      fail(ErrorKind::permission, "{} '{}': a link in it leads outside of the array or in circles", doing, path);
    case ENAMETOOLONG:
      fail(ErrorKind::invalid_argument, "{} '{}': the name is too long for this file system", doing, path);
    default:
      fail(ErrorKind::io, "{} '{}': {}", doing, path, std::strerror(error));
  }
}

void write_at(int fd, std::uint64_t offset, ByteView bytes, std::string_view path) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = retry(
        [&] { return ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done)); });
    if (n < 0) fail_system(errno, "writing", path);
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace tegula
