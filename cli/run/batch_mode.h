// Many requests in one run, for programs.
#pragma once

#include <string>

#include "app/command.h"
#include "run/opening.h"

namespace tegula::cli {

// Takes one request a line, {"uri", "query", "key", "format"} with the query document of `read --query`, and answers
// each with one line: the result, or {"error": {"kind", "message"}}. Returns 1 when a request failed.
int answer_requests(const std::string& file, const OpenFlags& flags, const Globals& globals);

}  // namespace tegula::cli
