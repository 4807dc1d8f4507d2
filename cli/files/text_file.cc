#include "files/text_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/fail.h"

namespace tegula::cli {

std::string read_text(const std::string& path) {
  struct Close {
    void operator()(std::FILE* f) const {
      if (f && f != stdin) std::fclose(f);
    }
  };
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file)
    fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "cannot read '{}': {}", path,
         std::generic_category().message(errno));
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) text.append(block, n);
  if (std::ferror(file.get()))
    fail(ErrorKind::io, "reading '{}' failed: {}", path, std::generic_category().message(errno));
  return text;
}

}  // namespace tegula::cli
