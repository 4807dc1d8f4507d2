#include "store/open/target_store.h"

#include "base/fail.h"
#include "store/open/open_store.h"
#include "store/open/shown_uri.h"
#include "store/zip/archive_uri.h"
#include "store/zip/zip_writer.h"

namespace tegula {

void TargetStore::finish(const Work& work) const {
  if (archive) archive->finish(work);
}

TargetStore open_target(const std::string& uri, const StoreOptions& options, bool overwrite) {
  const std::optional<ArchiveUri> archive = new_archive_uri(uri);
  if (!archive) return {open_store(uri, options), nullptr};
  if (archive->inner)
    fail(ErrorKind::unsupported, "'{}': archives are written whole; name the archive alone", shown_uri(uri));
  StoreOptions around = options;
  around.follow_links = true;
  const std::shared_ptr<Store> store = open_store(archive->folder, around);
  if (!overwrite && store->has(archive->name))
    fail(ErrorKind::invalid_argument, "'{}' exists already; it can be overwritten", store->describe(archive->name));
  const std::shared_ptr<ZipWriter> writer = zip_writer(store, archive->name);
  return {writer, writer};
}

}  // namespace tegula
