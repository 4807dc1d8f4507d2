// bcolz 0.x, 1.x and bcolz-zipline: carrays and ctables. docs/format/bcolz.md describes the files.
#pragma once

#include "format/driver.h"

namespace tegula::bcolz {

// Handles may be shared by reading threads; writes through one handle take turns, and a read sees the array as it was
// before or after each of them. A reference from schema() is good until the next write through the handle.
extern const Driver kBcolzDriver;

}  // namespace tegula::bcolz
