// `tegula create`: a new array, empty or from a file.
#include <fmt/format.h>

#include "app/verbs.h"
#include "arrow/ipc_reader.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "input/arrow_input.h"
#include "input/data_input.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "run/input_cells.h"
#include "run/opening.h"
#include "run/rehearsal.h"
#include "schema/schema_input.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, new_key, key_file;
  std::optional<std::uint64_t> format_version;
  SchemaFlags schema;
  InputFlags input;
  bool overwrite = false, dry_run = false;
};

// Reads the cells of the file and checks that an array with that schema takes them: a file that does not fit must
// neither replace what is there nor leave an empty array.
Batch cells_for(const Flags& flags, Schema schema, const CreateOptions& options, const WriteOptions& writing) {
  Batch cells;
  // Cells outside the domain of a sparse array are found by writing them; without filters that is quick.
  if (schema.sparse)
    for (Attribute& attribute : schema.attributes) attribute.filters.clear();
  rehearse_new(flags.uri, schema, options, [&](Array& rehearsed) {
    cells = read_cells(flags.input, rehearsed.schema());
    if (schema.sparse)
      rehearsed.write(cells, writing);
    else if (!schema.table)
      place_of(cells, rehearsed.schema(), flags.input);
  });
  return cells;
}

int create_array(const Flags& flags, const Globals& globals) {
  std::optional<NpyArray> data;
  if (!flags.input.file.empty() && data_kind(flags.input.file, flags.input.as) == DataKind::npy) {
    const std::string& bytes = flags.input.contents();
    data = read_npy(bytes_of(bytes), flags.input.file);
  }
  SchemaFlags wanted = flags.schema;
  if (!flags.input.file.empty() && data_kind(flags.input.file, flags.input.as) == DataKind::arrow)
    schema_like(wanted, read_arrow(bytes_of(flags.input.contents()), flags.input.file));
  Schema schema = wanted.schema(data);
  // Before version 6 TileDB has fixed fill values for each type.
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
  options.at = parse_write_time(flags.input.at);
  options.overwrite = flags.overwrite;
  options.sync = !flags.input.no_sync;
  options.work = globals.work;
  const WriteOptions writing = flags.input.write_options(globals);
  const Batch cells = flags.input.file.empty() ? Batch{} : cells_for(flags, schema, options, writing);
  const TargetStore target = target_of(flags.uri, globals, flags.overwrite, options.sync);
  const std::shared_ptr<Array> array = create(target.store, schema, options);
  if (!flags.input.file.empty() && schema.table)
    array->append(cells, writing);
  else if (!flags.input.file.empty())
    write_cells(*array, cells, flags.input, writing);
  target.finish(globals.work);
  if (!globals.quiet) print(fmt::format("{}: {}\n", flags.uri, what_it_is(array->schema())));
  return kOk;
}

}  // namespace

void describe_create(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "where the array goes")
      .optional_argument("file", flags->input.file, "cells to write: .npy, .csv, .json, .arrow; - is stdin");
  flags->schema.describe(verb);
  flags->input.describe(verb);
  verb.option("--format-version", flags->format_version, "N", "TileDB format version to write")
      .option("--key", flags->new_key, "HEX", "encrypt (TileDB): 64 hexadecimal digits")
      .option("--key-file", flags->key_file, "FILE", "the same from a file")
      .flag("--overwrite", flags->overwrite, "replace what is there")
      .flag("--dry-run", flags->dry_run, "show what would be created, and change nothing")
      .examples(
          "  tegula create temps.zarr temps.npy --format zarr3 --tile 100,100\n"
          "  tegula create points --format tiledb --sparse -d x:float64:0:100:10 -d y:float64:0:100:10 -a mag:float32\n"
          "  tegula create people.bcolz people.csv --format bcolz --table -a name:S20 -a age:int32\n"
          "  tegula info old --json | tegula create new --schema -")
      .run([flags, &globals] { return create_array(*flags, globals); });
}

}  // namespace tegula::cli
