// Where the files of a store are, and whether they have changed.
#pragma once

#include <cstdint>

#include "store/store.h"

namespace tegula {

// Is one the same folder as the other, or inside it, however the two were named: by a link, as file://, relative?
bool overlap(const Store& a, const Store& b);

// Is it the same folder?
bool same_place(const Store& a, const Store& b);

// Another number after any change below the root of the store: of names, sizes, or states of files. Files of unfinished
// writes do not count. Of a store that does not list its files it is always the same.
std::uint64_t fingerprint(const Store& store);

}  // namespace tegula
