#include "run/input_cells.h"

#include <fmt/format.h>

#include "arrow/ipc_reader.h"
#include "base/fail.h"
#include "files/text_file.h"
#include "input/arrow_input.h"
#include "input/data_input.h"
#include "model/strided.h"
#include "query/request/iso_dates.h"
#include "query/request/request.h"

namespace tegula::cli {

namespace {

const Attribute& only_attribute(const Schema& schema, const std::optional<std::string>& field) {
  if (field) {
    if (const Attribute* a = schema.attribute(field_named(*field, schema))) return *a;
    fail(ErrorKind::invalid_argument, "there is no field '{}'", *field);
  }
  if (schema.attributes.size() != 1)
    fail(ErrorKind::invalid_argument, "the array has {} fields; name the one to write with --field",
         schema.attributes.size());
  return schema.attributes[0];
}

}  // namespace

void InputFlags::describe(Verb& verb) {
  verb.option("--as", as, "npy|csv|json|arrow", "what the file is (default: by its name)")
      .option("--at", at, "T", "TileDB: time of the write, milliseconds or an ISO date (default: now)")
      .flag("--no-sync", no_sync, "do not wait until the data is on the disk (no fsync)");
}

WriteOptions InputFlags::write_options(const Globals& globals) const {
  WriteOptions options;
  options.at = parse_write_time(at);
  options.work = globals.work;
  return options;
}

const std::string& InputFlags::contents() const {
  if (!contents_) contents_ = read_text(file);
  return *contents_;
}

Batch read_cells(const InputFlags& flags, const Schema& schema) {
  const DataKind kind = data_kind(flags.file, flags.as);
  if (kind == DataKind::npy && schema.sparse)
    fail(ErrorKind::invalid_argument, "a sparse array takes cells with coordinates, from .csv, .json or .arrow");
  const std::string& text = flags.contents();
  if (kind == DataKind::csv) return read_csv(text, schema, flags.file);
  if (kind == DataKind::json) return read_json_cells(text, schema, flags.file);
  if (kind == DataKind::arrow) return fit_columns(read_arrow(bytes_of(text), flags.file), schema, flags.file);
  const NpyArray data = read_npy(bytes_of(text), flags.file);
  Batch batch;
  batch.columns.push_back(column_of_npy(data, only_attribute(schema, flags.field)));
  batch.cells = batch.columns[0].cells();
  batch.shape = data.shape;
  return batch;
}

CellsPlace place_of(const Batch& batch, const Schema& schema, const InputFlags& flags) {
  CellsPlace place;
  if (!flags.select.empty()) place.selection = parse_selection(flags.select);
  place.shape = resolve(place.selection, schema.shape()).shape();
  const std::uint64_t cells = cell_count(place.shape);
  if (batch.shape && *batch.shape != place.shape)
    fail(ErrorKind::invalid_argument, "the file has the shape ({}), the selection ({})", fmt::join(*batch.shape, ", "),
         fmt::join(place.shape, ", "));
  if (batch.cells != cells)
    fail(ErrorKind::invalid_argument, "the file has {} cells, the selection {}", batch.cells, cells);
  return place;
}

void write_cells(Array& array, const Batch& batch, const InputFlags& flags, const WriteOptions& options) {
  if (array.schema().sparse) return array.write(batch, options);
  const CellsPlace place = place_of(batch, array.schema(), flags);
  const Column& first = batch.columns.at(0);
  if (batch.columns.size() == 1 && !first.var() && !first.nullable)
    return array.write(place.selection, first.name,
                       {first.data.data(), place.shape, contiguous_strides(place.shape, first.cell_size())}, options);
  array.write(place.selection, batch, options);
}

}  // namespace tegula::cli
