// Finding and repairing damage of a carray or ctable.
#pragma once

#include <vector>

#include "format/bcolz/snapshot.h"
#include "tegula/array.h"

namespace tegula::bcolz {

// Decodes every chunk; returns what is wrong instead of throwing.
std::vector<Problem> verify(const Snapshot& snapshot, const Work& work);

// See include/tegula/bcolz.h.
std::vector<Problem> repair(const Snapshot& snapshot, const Work& work);

}  // namespace tegula::bcolz
