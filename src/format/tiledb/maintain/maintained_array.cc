#include "format/tiledb/maintain/maintained_array.h"

#include "format/tiledb/disk/versions.h"

namespace tegula::tiledb {

std::string vacuum_line(const Store& store, std::string_view key, std::uint32_t version) {
  return relative_vacuum_paths(version) ? "/" + std::string(key) : store.uri(key);
}

ArrayContents open_now(const MaintainedArray& array) {
  OpenOptions newest = array.options;
  newest.at = {0, UINT64_MAX};
  ArrayContents contents = open_contents(array.store, newest, false);
  contents.window = {0, now_ms()};
  contents.entries = visible_fragments(contents.listing, contents.window, contents.schema->sparse);
  return contents;
}

}  // namespace tegula::tiledb
