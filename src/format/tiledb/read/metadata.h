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

// What __meta says in a window of time: one listing and one read per file.
Metadata read_metadata(const Store& store, const Key& key, const TimeWindow& window, const Work& work = {});
// What these files say together, oldest first.
Metadata read_metadata(const Store& store, const Key& key, std::span<const std::string> files, const Work& work);

// Names without ".tmp" and ".vac" that lie inside the window and are not vacuumed, oldest first; equal times by name.
// Keys below the store.
std::vector<std::string> timed_files(const Store& store, std::string_view folder, const TimeWindow& window);

}  // namespace tegula::tiledb
