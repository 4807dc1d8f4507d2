// Copies of arrays: what `convert` and `rechunk` have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/command.h"
#include "run/opening.h"

namespace tegula::cli {

struct CopyFlags {
  std::string from, to, to_format, tile, filters;
  std::optional<std::string> field;
  std::optional<std::uint64_t> format_version;
  OpenFlags open;
  std::string new_key;
  bool lossy = false, overwrite = false, verify = false, dry_run = false;

  void describe(Verb& verb);
};

// Returns the exit code.
int copy_array(const CopyFlags& flags, const Globals& globals);

}  // namespace tegula::cli
