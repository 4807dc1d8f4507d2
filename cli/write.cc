// `tegula create`, `write` and `append`: from .npy, .csv, .json and Arrow.
#include <fmt/format.h>

#include "arrow_input.h"
#include "base/fail.h"
#include "convert/arrow_reader.h"
#include "data_input.h"
#include "format/open.h"
#include "iso_dates.h"
#include "model/strided.h"
#include "opening.h"
#include "output.h"
#include "schema_input.h"
#include "schema_text.h"
#include "verbs.h"

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
    if (const Attribute* a = schema.attribute(*field)) return *a;
    fail(ErrorKind::invalid_argument, "there is no field '{}'", *field);
  }
  if (schema.attributes.size() != 1)
    fail(ErrorKind::invalid_argument, "the array has {} fields; name the one to write with --field",
         schema.attributes.size());
  return schema.attributes[0];
}

// The cells of a selection, or of the whole array.
void write_dense(Array& array, const Column& column, const std::optional<std::vector<std::uint64_t>>& shape,
                 const Flags& flags, const WriteOptions& options) {
  const Selection selection = flags.select.empty() ? Selection{} : parse_selection(flags.select);
  const std::vector<std::uint64_t> target = resolve(selection, array.schema().shape()).shape();
  const std::uint64_t cells = cell_count(target);
  if (shape && *shape != target)
    fail(ErrorKind::invalid_argument, "the file has the shape ({}), the selection ({})", fmt::join(*shape, ", "),
         fmt::join(target, ", "));
  if (column.cells() != cells)
    fail(ErrorKind::invalid_argument, "the file has {} cells, the selection {}", column.cells(), cells);
  array.write(selection, column.name, {column.data.data(), target, contiguous_strides(target, column.cell_size())},
              options);
}

Batch read_cells(const Flags& flags, DataKind kind, const Schema& schema) {
  const std::string& text = flags.contents();
  if (kind == DataKind::arrow) return fit_columns(read_arrow(bytes_of(text), flags.file), schema, flags.file);
  return kind == DataKind::csv ? read_csv(text, schema, flags.file) : read_json_cells(text, schema, flags.file);
}

void write_file(Array& array, const Flags& flags, const Globals& globals) {
  const Schema& schema = array.schema();
  const WriteOptions options = write_options(flags, globals);
  const DataKind kind = data_kind(flags.file, flags.as);
  if (schema.table)
    fail(ErrorKind::invalid_argument, "a table grows by rows: `tegula append {} {}`", flags.uri, flags.file);
  if (kind == DataKind::npy) {
    if (schema.sparse)
      fail(ErrorKind::invalid_argument, "a sparse array takes cells with coordinates, from .csv, .json or .arrow");
    const std::string& bytes = flags.contents();
    const NpyArray data = read_npy(bytes_of(bytes), flags.file);
    return write_dense(array, column_of_npy(data, only_attribute(schema, flags.field)), data.shape, flags, options);
  }
  const Batch batch = read_cells(flags, kind, schema);
  if (schema.sparse) return array.write(batch, options);
  const Column& first = batch.columns.at(0);
  if (batch.columns.size() == 1 && !first.var() && !first.nullable)
    return write_dense(array, first, std::nullopt, flags, options);
  const Selection selection = flags.select.empty() ? Selection{} : parse_selection(flags.select);
  const std::uint64_t cells = resolve(selection, schema.shape()).cells();
  if (batch.cells != cells)
    fail(ErrorKind::invalid_argument, "the file has {} cells, the selection {}", batch.cells, cells);
  array.write(selection, batch, options);
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
  options.at = parse_write_time(flags.at);
  options.overwrite = flags.overwrite;
  options.sync = !flags.no_sync;
  options.work = globals.work;
  const std::shared_ptr<Array> array = create(store_of(flags.uri, globals, options.sync), schema, options);
  if (!flags.file.empty()) {
    if (schema.table)
      array->append(read_cells(flags, data_kind(flags.file, flags.as), array->schema()), write_options(flags, globals));
    else
      write_file(*array, flags, globals);
  }
  if (!globals.quiet) print(fmt::format("{}: {}\n", flags.uri, what_it_is(array->schema())));
  return kOk;
}

int write_array(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.no_sync);
  write_file(*array, flags, globals);
  return kOk;
}

int append_rows(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.no_sync);
  const Schema& schema = array->schema();
  const DataKind kind = data_kind(flags.file, flags.as);
  Batch batch;
  if (kind == DataKind::npy) {
    const std::string& bytes = flags.contents();
    const NpyArray data = read_npy(bytes_of(bytes), flags.file);
    batch.columns.push_back(column_of_npy(data, only_attribute(schema, flags.field)));
    batch.cells = batch.columns[0].cells();
    batch.shape = data.shape;
  } else {
    batch = read_cells(flags, kind, schema);
  }
  array->append(batch, write_options(flags, globals));
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
