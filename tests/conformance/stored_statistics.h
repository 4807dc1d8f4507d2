// Aggregates of the corpus: from stored statistics, and from cells.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tegula/array.h"

namespace tegula::conformance {

// Asks a TileDB array for every aggregate of every attribute twice: as it is answered, perhaps from statistics that the
// library that wrote the tiles stored, and with a condition that every cell meets and no statistic decides. Conditions
// on numbers are asked twice, too, once in a form that no statistic decides. Says where the two differ.
std::vector<std::string> wrong_statistics(const Array& array, unsigned threads, std::size_t& checks);

}  // namespace tegula::conformance
