// What is known about cases of the corpus: lists beside this file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tegula/error.h"

namespace tegula::conformance {

// The error that a damaged case, or a check that must fail, is about.
struct ExpectedError {
  std::string kind, part;  // of Error; part of its message
};

struct CaseLists {
  std::set<std::string> failures;               // expected_failures.txt: must not read as recorded
  std::set<std::string> quirks;                 // quirks.txt: need not
  std::map<std::string, ExpectedError> errors;  // expected_errors.txt: by "case" or "case:check"

  explicit CaseLists(const std::filesystem::path& folder);
  // What is wrong with an error of a check of a case, or nothing.
  std::optional<std::string> wrong_error(const std::string& name, const std::string& check, const Error& error) const;
};

}  // namespace tegula::conformance
