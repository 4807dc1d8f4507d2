// simulation [--world NAME] [--seed N | --seeds COUNT]: runs worlds under seeds. Without --seeds the count comes from
// TEGULA_SIMULATION_SEEDS. A failure prints the seed; --seed runs it again, with every call of every actor.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "simulation/world.h"

namespace tegula::simulation {

Tally& Tally::operator+=(const Tally& other) {
  steps += other.steps;
  writes += other.writes;
  answers += other.answers;
  failures += other.failures;
  crashes += other.crashes;
  return *this;
}

namespace {

constexpr std::uint64_t kSeeds = 40;  // for each world

struct Options {
  std::string_view world;
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = kSeeds;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  if (const char* seeds = std::getenv("TEGULA_SIMULATION_SEEDS")) options.seeds = number(seeds).value_or(kSeeds);
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) return std::nullopt;
    const std::optional<std::uint64_t> value = number(argv[i + 1]);
    if (name == "--world")
      options.world = argv[i + 1];
    else if (name == "--seed" && value)
      options.seed = value;
    else if (name == "--seeds" && value)
      options.seeds = *value;
    else
      return std::nullopt;
  }
  return options;
}

// Returns whether the world held.
bool run(const World& world, std::uint64_t seed, bool traced, Tally& tally) {
  std::vector<std::string> trace;
  std::string broken;
  try {
    tally += world.run(seed, traced ? &trace : nullptr);
  } catch (const std::exception& error) {
    broken = error.what();
  }
  for (const std::string& line : trace) std::printf("%s\n", line.c_str());
  if (broken.empty()) return true;
  std::printf("%s, seed %llu: %s\nto see it again: test_simulation --world %s --seed %llu\n", world.name.data(),
              static_cast<unsigned long long>(seed), broken.c_str(), world.name.data(),
              static_cast<unsigned long long>(seed));
  return false;
}

int run_all(const Options& options) {
  std::vector<World> worlds = tiledb_worlds();
  for (const World& world : chunk_worlds()) worlds.push_back(world);
  bool held = true, known = false;
  for (const World& world : worlds) {
    if (!options.world.empty() && options.world != world.name) continue;
    known = true;
    Tally tally;
    std::uint64_t broken = 0;
    const std::uint64_t first = options.seed.value_or(1), last = options.seed.value_or(options.seeds);
    for (std::uint64_t seed = first; seed <= last && broken < 5; ++seed)
      broken += !run(world, seed, options.seed.has_value(), tally);
    fmt::print("{}: {} seeds, {} steps, {} writes, {} answers, {} failures, {} of them crashes\n", world.name,
               last - first + 1, tally.steps, tally.writes, tally.answers, tally.failures, tally.crashes);
    held = held && broken == 0;
  }
  if (!known) std::fprintf(stderr, "simulation: there is no world '%s'\n", std::string(options.world).c_str());
  return held && known ? 0 : 1;
}

}  // namespace
}  // namespace tegula::simulation

int main(int argc, char** argv) {
  const auto options = tegula::simulation::parse(argc, argv);
  if (!options) {
    std::fprintf(stderr, "usage: %s [--world NAME] [--seed N | --seeds COUNT]\n", argv[0]);
    return 2;
  }
  return tegula::simulation::run_all(*options);
}
