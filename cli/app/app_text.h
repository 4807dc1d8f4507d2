// Texts that are generated from the options, so that they are always up to date.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tegula::cli {

// The completion script of bash or zsh.
std::string completion_script(const CLI::App& app, bool zsh);
// tegula.1: every verb with its options and examples.
std::string man_page(const CLI::App& app);

}  // namespace tegula::cli
