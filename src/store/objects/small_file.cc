#include "store/objects/small_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/fail.h"

namespace tegula::objects {

namespace {

constexpr std::size_t kLargest = 1 << 20;

}  // namespace

std::optional<std::string> small_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail(errno == EACCES ? ErrorKind::permission : ErrorKind::io, "{}: {}", path, std::strerror(errno));
  }
  std::string text(kLargest + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get())) fail(ErrorKind::io, "{}: it cannot be read", path);
  if (text.size() > kLargest) fail(ErrorKind::invalid_argument, "{}: larger than 1 MiB", path);
  return text;
}

}  // namespace tegula::objects
