// What verify and repair find, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tegula/array.h"
#include "text/json_writer.h"

namespace tegula::cli {

// verify(), and whether the array is an unfinished conversion.
std::vector<Problem> verify_all(const Array& array, const Store& store, const Work& work);

std::size_t damage_count(const std::vector<Problem>& problems);
// One line on each, and one on what can be done about it where something can.
std::string problem_lines(const std::vector<Problem>& problems);
// A list of {"severity", "file", "text", "remedy"}.
void write_problems(JsonWriter& json, const std::vector<Problem>& problems);

}  // namespace tegula::cli
