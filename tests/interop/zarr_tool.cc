// Writes zarr arrays for zarr_interop.py: zarr_tool JOBS.json, a list of
// {"path", "format", "dtype", "shape", "chunks", "filters": [{"name", "options"}], "order", "fill" (hex), "data"
// (file)}. Text ("dtype": "text") has its cells in "cells" instead of "data". Each array is written by two overlapping
// selections, the second after it was opened again, so that chunks are changed in part.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/fail.h"
#include "base/json.h"
#include "format/zarr/driver.h"
#include "model/strided.h"
#include "store/open/open_store.h"
#include "tegula/tegula.h"

namespace {

using namespace tegula;

Bytes read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) fail(ErrorKind::not_found, "no file '{}'", name);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return copy_of(bytes_of(text));
}

Value value_of(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return dump_json(json);
}

Schema schema_of(const Json& job, bool text) {
  Schema schema;
  schema.format = job.at("format").get<std::string>();
  for (std::size_t a = 0; a < job.at("shape").size(); ++a) {
    Dimension dimension;
    dimension.name = "dim_" + std::to_string(a);
    dimension.type = Datatype(TypeId::uint64);
    const auto n = job["shape"][a].get<std::uint64_t>();
    if (n) dimension.domain = {std::uint64_t{0}, n - 1};
    dimension.tile = job.at("chunks")[a].get<std::uint64_t>();
    schema.dimensions.push_back(dimension);
  }
  Attribute attribute;
  attribute.type = text ? Datatype(TypeId::utf8) : datatype_from_numpy(job.at("dtype").get<std::string>());
  attribute.values_per_cell = text ? kVar : 1;
  const std::string fill = job.value("fill", "");
  for (std::size_t i = 0; i + 1 < fill.size(); i += 2)
    attribute.fill.push_back(static_cast<std::byte>(std::stoi(fill.substr(i, 2), nullptr, 16)));
  for (const Json& filter : job.at("filters")) {
    Filter one{filter.at("name").get<std::string>(), {}};
    if (filter.contains("options"))
      for (const auto& [key, value] : filter["options"].items()) one.options.emplace_back(key, value_of(value));
    attribute.filters.push_back(one);
  }
  schema.attributes.push_back(attribute);
  schema.cell_order = job.value("order", "C") == "F" ? Order::col : Order::row;
  return schema;
}

void write_rows(Array& array, const Bytes& data, const std::vector<std::uint64_t>& shape, std::uint64_t from,
                std::uint64_t to) {
  const std::size_t item = array.schema().attributes[0].type.full_size();
  const auto strides = contiguous_strides(shape, item);
  Selection selection;
  std::vector<std::uint64_t> part = shape;
  const std::byte* start = data.data();
  if (!shape.empty()) {
    selection.axes.emplace_back(Slice{static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)});
    part[0] = to - from;
    start += static_cast<std::int64_t>(from) * strides[0];
  }
  array.write(selection, "", {start, part, strides});
}

void run(const Json& job) {
  const bool text = job.at("dtype") == "text";
  auto open = [&] { return open_store(job.at("path").get<std::string>()); };
  CreateOptions options;
  options.overwrite = true;
  auto array = zarr::kZarrDriver.create(open(), schema_of(job, text), options);
  const auto shape = job.at("shape").get<std::vector<std::uint64_t>>();
  if (text) {
    Batch batch;
    Column column;
    column.type = Datatype(TypeId::utf8);
    column.values_per_cell = kVar;
    column.offsets.push_back(0);
    for (const Json& cell : job.at("cells")) {
      const auto& value = cell.get_ref<const std::string&>();
      const ByteView bytes = bytes_of(value);
      column.data.insert(column.data.end(), bytes.begin(), bytes.end());
      column.offsets.push_back(column.data.size());
    }
    batch.cells = column.cells();
    batch.columns.push_back(std::move(column));
    array->write(batch);
    return;
  }
  const Bytes data = read_file(job.at("data").get<std::string>());
  const std::uint64_t rows = shape.empty() ? 1 : shape[0];
  write_rows(*array, data, shape, 0, shape.empty() ? 1 : (rows + 1) / 2);
  if (rows > 1) write_rows(*zarr::kZarrDriver.open(open(), {}), data, shape, rows / 3, rows);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: zarr_tool JOBS.json\n"), 2;
  int failures = 0;
  try {
    const Json jobs = parse_json(read_file(arguments[1]), arguments[1]);
    for (const Json& job : jobs) {
      try {
        run(job);
      } catch (const Error& error) {
        std::printf("%s: %s\n", job.value("path", "").c_str(), error.what());
        ++failures;
      }
    }
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
  return failures != 0;
}
