// `tegula create`, `write` and `append`: from .npy, .csv, .json and Arrow.
#include <fmt/format.h>

#include "app/verbs.h"
#include "arrow/ipc_reader.h"
#include "base/fail.h"
#include "files/text_file.h"
#include "format/registry/registry.h"
#include "input/arrow_input.h"
#include "input/data_input.h"
#include "model/strided.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "query/request/request.h"
#include "run/opening.h"
#include "run/rehearsal.h"
#include "schema/schema_input.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, file, as, select, at, new_key, key_file;
  std::optional<std::string> field;
  std::optional<std::uint64_t> format_version;
  SchemaFlags schema;
  OpenFlags open;
  bool overwrite = false, no_sync = false, dry_run = false;

  // The file, read once: stdin has no second time.
  const std::string& contents() const {
    if (!contents_) contents_ = read_text(file);
    return *contents_;
  }

 private:
  mutable std::optional<std::string> contents_;
};

WriteOptions write_options(const Flags& flags, const Globals& globals) {
  WriteOptions options;
  options.at = parse_write_time(flags.at);
  options.work = globals.work;
  return options;
}

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

// What the file holds, as the array takes it. `shape` is that of a .npy file.
Batch read_cells(const Flags& flags, const Schema& schema) {
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

// Where the cells of a batch go in a dense array: a selection, or the whole of it.
struct Place {
  Selection selection;
  std::vector<std::uint64_t> shape;
};

Place place_of(const Batch& batch, const Schema& schema, const Flags& flags) {
  Place place;
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

void write_cells(Array& array, const Batch& batch, const Flags& flags, const WriteOptions& options) {
  if (array.schema().sparse) return array.write(batch, options);
  const Place place = place_of(batch, array.schema(), flags);
  const Column& first = batch.columns.at(0);
  if (batch.columns.size() == 1 && !first.var() && !first.nullable)
    return array.write(place.selection, first.name,
                       {first.data.data(), place.shape, contiguous_strides(place.shape, first.cell_size())}, options);
  array.write(place.selection, batch, options);
}

// The file's cells, as an array of that schema will take them: one that does not fit must cost neither what is there
// nor leave an empty array.
Batch cells_for(const Flags& flags, Schema schema, const CreateOptions& options, const WriteOptions& writing) {
  Batch cells;
  // Cells outside of a sparse array's domain are found while they are written, which need not take long.
  if (schema.sparse)
    for (Attribute& attribute : schema.attributes) attribute.filters.clear();
  rehearse_new(flags.uri, schema, options, [&](Array& rehearsed) {
    cells = read_cells(flags, rehearsed.schema());
    if (schema.sparse)
      rehearsed.write(cells, writing);
    else if (!schema.table)
      place_of(cells, rehearsed.schema(), flags);
  });
  return cells;
}

int create_array(const Flags& flags, const Globals& globals) {
  std::optional<NpyArray> data;
  if (!flags.file.empty() && data_kind(flags.file, flags.as) == DataKind::npy) {
    const std::string& bytes = flags.contents();
    data = read_npy(bytes_of(bytes), flags.file);
  }
  SchemaFlags wanted = flags.schema;
  if (!flags.file.empty() && data_kind(flags.file, flags.as) == DataKind::arrow)
    schema_like(wanted, read_arrow(bytes_of(flags.contents()), flags.file));
  Schema schema = wanted.schema(data);
  // Before version 6 TileDB has the fill values of its types and no others.
  if (flags.format_version.value_or(6) < 6 && wanted.fill.empty() && wanted.schema_file.empty())
    for (Attribute& attribute : schema.attributes) attribute.fill.clear();
  if (flags.dry_run) {
    print(fmt::format("would make {}\n", what_it_is(schema)));
    return kOk;
  }
  CreateOptions options;
  if (flags.format_version) options.format_version = static_cast<std::uint32_t>(*flags.format_version);
  options.key = encryption_key(flags.new_key, flags.key_file);
  if (!options.key.empty() && !capabilities(schema.format).encryption)
    fail(ErrorKind::invalid_argument, "--key: only {} arrays are encrypted, and this is to be a {}",
         formats_with(&Capabilities::encryption), what_it_is(schema));
  options.at = parse_write_time(flags.at);
  options.overwrite = flags.overwrite;
  options.sync = !flags.no_sync;
  options.work = globals.work;
  const WriteOptions writing = write_options(flags, globals);
  const Batch cells = flags.file.empty() ? Batch{} : cells_for(flags, schema, options, writing);
  const std::shared_ptr<Array> array = create(store_of(flags.uri, globals, options.sync), schema, options);
  if (!flags.file.empty() && schema.table)
    array->append(cells, writing);
  else if (!flags.file.empty())
    write_cells(*array, cells, flags, writing);
  if (!globals.quiet) print(fmt::format("{}: {}\n", flags.uri, what_it_is(array->schema())));
  return kOk;
}

int write_array(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.no_sync);
  if (array->schema().table)
    fail(ErrorKind::invalid_argument, "a table grows by rows: `tegula append {} {}`", flags.uri, flags.file);
  write_cells(*array, read_cells(flags, array->schema()), flags, write_options(flags, globals));
  return kOk;
}

int append_rows(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.no_sync);
  array->append(read_cells(flags, array->schema()), write_options(flags, globals));
  return kOk;
}

void describe_file(Verb& verb, Flags& flags) {
  verb.option("--as", flags.as, "npy|csv|json|arrow", "what the file is (default: by its name)")
      .option("--at", flags.at, "T", "TileDB: time of the write, milliseconds or an ISO date (default: now)")
      .flag("--no-sync", flags.no_sync, "do not wait until the disk has it");
}

void describe_encryption(Verb& verb, Flags& flags) { flags.open.describe_key(verb); }

}  // namespace

void describe_create(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "where the array goes")
      .optional_argument("file", flags->file, "data to put in: .npy, .csv, .json, .arrow; - is stdin");
  flags->schema.describe(verb);
  describe_file(verb, *flags);
  verb.option("--format-version", flags->format_version, "N", "TileDB format version to write")
      .option("--key", flags->new_key, "HEX", "encrypt (TileDB): 64 hexadecimal digits")
      .option("--key-file", flags->key_file, "FILE", "the same from a file")
      .flag("--overwrite", flags->overwrite, "replace what is there")
      .flag("--dry-run", flags->dry_run, "say what would be made")
      .examples(
          "  tegula create temps.zarr temps.npy --format zarr3 --tile 100,100\n"
          "  tegula create points --format tiledb --sparse -d x:float64:0:100:10 -d y:float64:0:100:10 -a mag:float32\n"
          "  tegula create people.bcolz people.csv --format bcolz --table -a name:S20 -a age:int32\n"
          "  tegula info old --json | tegula create new --schema -")
      .run([flags, &globals] { return create_array(*flags, globals); });
}

void describe_write(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array")
      .argument("file", flags->file, ".npy, .csv, .json or .arrow; - is stdin");
  verb.option("-s,--select", flags->select, "TEXT",
              "where a dense array takes the values: '[2:5, ::2]' (default: everywhere)")
      .option("--field", flags->field, "NAME", "the field of a .npy file");
  describe_file(verb, *flags);
  describe_encryption(verb, *flags);
  verb.examples("  tegula write temps.zarr day2.npy --select '[1]'\n  tegula write points more.csv --at 2024-05-31")
      .run([flags, &globals] { return write_array(*flags, globals); });
}

void describe_append(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a bcolz or zarr array or table")
      .argument("file", flags->file, ".npy, .csv, .json or .arrow; - is stdin");
  verb.option("--field", flags->field, "NAME", "the field of a .npy file");
  describe_file(verb, *flags);
  verb.examples("  tegula append people.bcolz more.csv\n  tegula append temps.zarr day3.npy").run([flags, &globals] {
    return append_rows(*flags, globals);
  });
}

}  // namespace tegula::cli
