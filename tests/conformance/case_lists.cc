#include "case_lists.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

namespace tegula::conformance {

namespace {

// Fields of each line, with two spaces between them; comments left out.
std::vector<std::vector<std::string>> read_list(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  if (!in) throw Error(ErrorKind::not_found, fmt::format("there is no '{}'", file.string()));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = fields.size() == 2 ? std::string::npos : line.find("  ", at);
      fields.push_back(line.substr(at, end == std::string::npos ? end : end - at));
      at = end == std::string::npos ? end : end + 2;
    }
    rows.push_back(std::move(fields));
  }
  return rows;
}

}  // namespace

CaseLists::CaseLists(const std::filesystem::path& folder) {
  for (const auto& row : read_list(folder / "expected_failures.txt")) failures.insert(row[0]);
  for (const auto& row : read_list(folder / "quirks.txt")) quirks.insert(row[0]);
  for (const auto& row : read_list(folder / "expected_errors.txt")) errors[row.at(0)] = {row.at(1), row.at(2)};
}

std::optional<std::string> CaseLists::wrong_error(const std::string& name, const std::string& check,
                                                  const Error& error) const {
  auto found = errors.find(name + ":" + check);
  if (found == errors.end()) found = errors.find(name);
  const std::string_view what = error.what();
  if (found == errors.end()) return fmt::format("no line in expected_errors.txt for: {}", what);
  const ExpectedError& expected = found->second;
  if (tegula::name(error.kind()) == expected.kind && what.find(expected.part) != what.npos) return std::nullopt;
  return fmt::format("expected '{}: ... {}', found '{}'", expected.kind, expected.part, what);
}

}  // namespace tegula::conformance
