#include "format/tiledb/fragment/missing_file.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/listing/array_listing.h"

namespace tegula::tiledb {

void fail_missing(const Store& store, std::string_view key) {
  const std::string_view folder = key.substr(0, std::min(key.rfind('/'), key.size()));
  const std::vector<FragmentEntry> committed = list_array(store).fragments;
  if (std::ranges::find(committed, folder, &FragmentEntry::folder) == committed.end())
    fail(ErrorKind::not_found,
         "{}: the fragment was vacuumed or deleted since this handle of the array was opened: open the array again",
         store.describe(folder));
  fail(ErrorKind::corrupt, "{}: missing, although the fragment is committed", store.describe(key));
}

}  // namespace tegula::tiledb
