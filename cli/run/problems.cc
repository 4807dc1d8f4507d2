#include "run/problems.h"

#include <algorithm>

#include "convert/resume_note.h"
#include "tegula/error.h"

namespace tegula::cli {

namespace {

const char* severity_text(const Problem& problem) {
  return problem.severity == Problem::Severity::damage ? "damage" : "note";
}

}  // namespace

std::vector<Problem> verify_all(const Array& array, const Store& store, const Work& work) {
  std::vector<Problem> problems = array.verify(work);
  std::optional<ResumeNote> note;
  try {
    note = read_note(store);
  } catch (const Error& error) {
    // Servers deny names that are not there, and the array itself has been verified.
    if (error.kind() != ErrorKind::permission) throw;
    problems.push_back({Problem::Severity::note, std::string(kConversionKey),
                        "whether this is an unfinished conversion cannot be seen: the server denies that name", ""});
  }
  if (!note) return problems;
  std::erase_if(problems, [](const Problem& problem) { return problem.file == kConversionKey; });
  problems.insert(problems.begin(), {Problem::Severity::damage, std::string(kConversionKey),
                                     fmt::format("an unfinished conversion from {}", note->source),
                                     "the same `tegula convert` continues it; with --overwrite it starts again"});
  return problems;
}

std::size_t damage_count(const std::vector<Problem>& problems) {
  return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Problem::Severity::damage;
  }));
}

std::string problem_lines(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) {
    out += fmt::format("{}: {}: {}\n", severity_text(problem), problem.file, problem.text);
    if (!problem.remedy.empty()) out += fmt::format("  {}\n", problem.remedy);
  }
  return out;
}

void write_problems(JsonWriter& json, const std::vector<Problem>& problems) {
  json.begin('[');
  for (const Problem& problem : problems) {
    json.begin('{').key("severity").text(severity_text(problem)).key("file").text(problem.file);
    json.key("text").text(problem.text).key("remedy").text(problem.remedy).end('}');
  }
  json.end(']');
}

}  // namespace tegula::cli
