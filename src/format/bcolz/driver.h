// bcolz 0.x, 1.x and bcolz-zipline: carrays and ctables. docs/format/bcolz.md describes the files.
#pragma once

#include "format/driver.h"

namespace tegula::bcolz {

// Threads may share handles. Writes through one handle are made one after the other, and a read sees the array as it
// was before or after each of them.
extern const Driver kBcolzDriver;

}  // namespace tegula::bcolz
