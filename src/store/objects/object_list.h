// Listing the objects of a bucket.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/objects/bucket.h"
#include "store/store.h"

namespace tegula::objects {

// Files and folders directly below `prefix`, which is a whole key or empty, sorted by name.
std::vector<Entry> list_level(Bucket& bucket, const std::string& prefix);

// Every object below `prefix`, sorted by key, or the first `most`. Keys are those behind `root` and its slash.
Listing list_flat(Bucket& bucket, const std::string& root, const std::string& prefix, std::size_t most);

// Removes every object below the prefix, those that only show a folder ("a/") and those of which listings do not tell
// too.
void remove_below(Bucket& bucket, const std::string& prefix);

}  // namespace tegula::objects
