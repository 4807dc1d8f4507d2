#include "store/open/open_store.h"

#include "base/fail.h"
#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "store/zip/archive_uri.h"
#include "store/zip/zip_store.h"

namespace tegula {

std::shared_ptr<Store> open_store(const std::string& uri, const StoreOptions& options) {
  if (const std::optional<ArchiveUri> archive = archive_uri(uri)) {
    StoreOptions around = options;
    around.follow_links = true;  // the archive was named, whatever it is a link to
    return open_zip_store(open_store(archive->folder, around), archive->name, archive->inner);
  }
  constexpr std::string_view kFile = "file://";
  constexpr std::string_view kMemory = "mem://";
  if (uri.starts_with(kMemory)) return open_memory_store(uri.substr(kMemory.size()));
  if (uri.starts_with(kFile)) return open_file_store(uri.substr(kFile.size()), options);
  if (const std::size_t scheme = uri.find("://"); scheme != std::string::npos && uri.find('/') > scheme)
    fail(ErrorKind::unsupported, "'{}': only plain paths, zip archives, file:// and mem:// can be opened", uri);
  return open_file_store(uri, options);
}

}  // namespace tegula
