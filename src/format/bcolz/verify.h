// What is wrong with a carray or ctable, and what of it can be put right.
#pragma once

#include <vector>

#include "format/bcolz/snapshot.h"
#include "tegula/array.h"

namespace tegula::bcolz {

// Decodes every chunk; returns problems instead of throwing them.
std::vector<Problem> verify(const Snapshot& snapshot, const Work& work);

// See include/tegula/bcolz.h.
std::vector<Problem> repair(const Snapshot& snapshot, const Work& work);

}  // namespace tegula::bcolz
