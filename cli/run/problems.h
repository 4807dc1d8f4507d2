// What verify and repair find, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tegula/array.h"
#include "text/json_writer.h"

namespace tegula::cli {

// Array::verify(), and a problem when the array is an unfinished conversion; a note when the store does not say.
std::vector<Problem> verify_all(const Array& array, const Store& store, const Work& work);

std::size_t damage_count(const std::vector<Problem>& problems);
// One line for each, and one for what can be done about it, if anything.
std::string problem_lines(const std::vector<Problem>& problems);
// A list of {"severity", "file", "text", "remedy"}.
void write_problems(JsonWriter& json, const std::vector<Problem>& problems);

}  // namespace tegula::cli
