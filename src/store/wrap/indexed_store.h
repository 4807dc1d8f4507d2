// Listings for stores that have none, from an index that lies beside the files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tegula {

// Where the index of a folder is. It begins as the names of unfinished files do, so that no format takes it for its
// own.
inline constexpr std::string_view kIndexKey = ".tegula-index.json";

// {"tegula_index": 1, "files": [[NAME, SIZE], ...], "sha256": HEX}: every file below the root but unfinished ones,
// sorted by name. The hash is of the lines "NAME\nSIZE\n".
struct FileIndex {
  std::string document;
  std::uint64_t files = 0, bytes = 0;
};
FileIndex index_files(const Store& store);

// The store with the listings of the index; reads go to the store. Throws corrupt when the document is damaged.
//
// An index that is older than the files shows when one of them is read: one that the index names is absent, one that it
// does not name is there, or one that is read whole or from its end has another size. That is Error(corrupt), which
// says to make the index anew. Files that were added later, and that nobody asks for by name, are not seen.
std::shared_ptr<Store> indexed_store(std::shared_ptr<Store> store, ByteView document);

// The store itself when it lists its files or has no index, else with its index. One request at most.
std::shared_ptr<Store> with_index(std::shared_ptr<Store> store);

}  // namespace tegula
