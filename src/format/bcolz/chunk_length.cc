#include <algorithm>
#include <cmath>

#include "tegula/bcolz.h"

namespace tegula::bcolz {

std::uint64_t chunk_length(std::uint64_t expected_rows, std::uint64_t row_bytes) {
  const double megabytes =
      std::clamp(static_cast<double>(expected_rows) * static_cast<double>(row_bytes) / 0x1p20, 1e-4, 1e4);
  const int zone = static_cast<int>(std::log10(megabytes));  // towards zero, as bcolz rounds: 0.2 MB and 5 MB are alike
  const std::uint64_t bytes = std::uint64_t{4096} << (zone + 6);
  return std::max<std::uint64_t>(1, bytes / std::max<std::uint64_t>(1, row_bytes));
}

}  // namespace tegula::bcolz
