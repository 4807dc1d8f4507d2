// Worlds: an array, the actors that use it, and the model that says which answers are right.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::simulation {

// An answer that the model does not allow, or an array that cannot be read any more.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a run was like, so that a simulation in which nothing happens is noticed.
struct Tally {
  std::uint64_t steps = 0, writes = 0, answers = 0, failures = 0, crashes = 0;
  Tally& operator+=(const Tally& other);
};

struct World {
  std::string_view name;
  // Throws Broken. `trace` takes a line for each call, or is null.
  Tally (*run)(std::uint64_t seed, std::vector<std::string>* trace);
};

std::vector<World> tiledb_worlds();
std::vector<World> chunk_worlds();  // zarr and bcolz

}  // namespace tegula::simulation
