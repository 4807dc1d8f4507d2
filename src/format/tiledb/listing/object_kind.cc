#include "format/tiledb/listing/object_kind.h"

#include "format/tiledb/disk/names.h"

namespace tegula::tiledb {

ObjectKind probe(const std::vector<Entry>& listing) {
  ObjectKind kind = ObjectKind::none;
  for (const Entry& entry : listing) {
    if (entry.folder ? entry.name == kSchemaFolder : entry.name == kOldSchemaFile) return ObjectKind::array;
    if (entry.folder ? entry.name == kGroupFolder : entry.name == kGroupFile) kind = ObjectKind::group;
  }
  return kind;
}

ObjectKind probe(const Store& store) {
  if (!store.hints().lists) return ObjectKind::none;
  // By name: the folder of another format may have a file for each of a million chunks.
  const auto holds = [&](std::string_view folder) { return !store.list(folder).empty(); };
  if (holds(kSchemaFolder) || store.has(kOldSchemaFile)) return ObjectKind::array;
  if (holds(kGroupFolder) || store.has(kGroupFile)) return ObjectKind::group;
  return ObjectKind::none;
}

}  // namespace tegula::tiledb
