// Key-value metadata of arrays and groups.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
#include "tegula/array.h"
#include "tegula/work.h"

namespace tegula::tiledb {

struct MetadataEntry {
  std::string key;
  std::optional<MetaValue> value;  // none: a deletion
};

// The payload of a generic tile.
std::vector<MetadataEntry> decode_metadata(Cursor in);
void encode_metadata(std::span<const MetadataEntry> entries, Bytes& out);

// The metadata that is visible in a window of time: one listing and one read per file.
Metadata read_metadata(const Store& store, const Key& key, const TimeWindow& window, const Work& work = {});
// The metadata in these files, oldest first; later entries replace earlier ones.
Metadata read_metadata(const Store& store, const Key& key, std::span<const std::string> files, const Work& work);

// The files of a folder that lie inside the window and were not vacuumed, as keys below the store: oldest first, equal
// times by name. Leaves out ".tmp" and ".vac".
std::vector<std::string> timed_files(const Store& store, std::string_view folder, const TimeWindow& window);

}  // namespace tegula::tiledb
