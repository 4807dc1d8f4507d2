// Integers wide enough to compare and sum any two 64-bit ones.
#pragma once

namespace tegula {

// Holds every int64 and uint64, and the sum, difference or product of any two of them.
__extension__ typedef __int128 Int128;

}  // namespace tegula
