#include "format/tiledb/write/metadata_write.h"

#include <vector>

#include "base/fail.h"
#include "format/tiledb/read/metadata.h"

namespace tegula::tiledb {

void put_metadata(Store& store, const std::map<std::string, std::optional<MetaValue>>& changes, std::uint32_t version,
                  const Key& key, std::uint64_t time) {
  if (changes.empty()) return;
  std::vector<MetadataEntry> entries;
  for (const auto& [name, value] : changes) {
    if (name.empty()) fail(ErrorKind::invalid_argument, "a metadata key cannot be empty");
    entries.push_back({name, value});
  }
  Bytes payload, file;
  encode_metadata(entries, payload);
  encode_generic_tile(payload, version, key, file);
  store.put(join(kMetadataFolder, make_timed_name(time, time, make_ordered_uuid(), 0)), file);
}

}  // namespace tegula::tiledb
