// What a reader sees of an array, as text that can be compared.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/registry/registry.h"
#include "tegula/array.h"

namespace tegula::testing {

inline std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

// One line a cell.
inline std::vector<std::string> cell_lines(const Batch& batch) {
  std::vector<std::string> lines(batch.cells);
  for (const Column& column : batch.columns)
    for (std::size_t i = 0; i < batch.cells; ++i)
      lines[i] += fmt::format("{}={} ", column.name, column.valid(i) ? hex(column.cell(i)) : "null");
  return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The answer to a query; the lines of a sparse array are sorted.
inline std::string answer_text(const Array& array, const Query& query = {}) {
  std::vector<std::string> lines = cell_lines(collect(*array.query(query)));
  if (array.schema().sparse) std::sort(lines.begin(), lines.end());
  return joined(lines);
}

inline std::string metadata_text(const Metadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) text += fmt::format("{}={}\n", key, hex(value.data));
  return text;
}

inline std::string schema_line(const Schema& schema) {
  std::string text = schema.format;
  for (const std::uint64_t extent : schema.shape()) text += fmt::format(" {}", extent);
  for (const Attribute& attribute : schema.attributes) text += " " + attribute.name;
  return text + "\n";
}

// Everything at once: shape, fields, cells, metadata.
inline std::string state_text(const Array& array, const Work& work = {}) {
  Query query;
  query.work = work;
  return schema_line(array.schema()) + answer_text(array, query) + metadata_text(array.metadata());
}
inline std::string state_text(const std::shared_ptr<Store>& store) { return state_text(*open(store)); }

inline std::string problems_text(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems)
    text += fmt::format("{} {}: {}\n", problem.severity == Problem::Severity::damage ? "damage" : "note", problem.file,
                        problem.text);
  return text;
}

// Files and folders of one store into another.
inline void copy_store(const Store& from, Store& to, const std::string& prefix = "") {
  for (const Entry& entry : from.list(prefix)) {
    const std::string key = join(prefix, entry.name);
    if (entry.folder) {
      to.make_folder(key);
      copy_store(from, to, key);
    } else if (const std::optional<Bytes> bytes = from.get(key)) {
      to.put(key, *bytes);
    }
  }
}

}  // namespace tegula::testing
