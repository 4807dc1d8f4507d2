// `tegula create`: a new array, empty or from a file.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "app/verbs.h"
#include "base/fail.h"
#include "convert/resume_note.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "input/arrow_input.h"
#include "input/data_input.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "run/input_cells.h"
#include "run/opening.h"
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

// What a creation that failed leaves behind goes again: the same command then works once the reason is gone.
class Leftovers {
 public:
  Leftovers(std::shared_ptr<Store> store, std::string uri) : store_(std::move(store)), uri_(std::move(uri)) {
    std::error_code unknown;
    folder_ = std::filesystem::exists(uri_, unknown);
    for (Entry& entry : store_->list("")) before_.insert(std::move(entry.name));
  }
  bool had(std::string_view name) const { return before_.contains(name); }
  void remove() const noexcept {
    try {
      for (const Entry& entry : store_->list("")) {
        if (before_.contains(entry.name)) continue;
        if (entry.folder)
          store_->remove_tree(entry.name);
        else
          store_->remove(entry.name);
      }
      std::error_code unknown;
      if (!folder_) std::filesystem::remove(uri_, unknown);  // only when it is empty
    } catch (const std::exception&) {
      // What made the creation fail may forbid removals as well.
    }
  }

 private:
  const std::shared_ptr<Store> store_;
  const std::string uri_;
  bool folder_ = false;
  std::set<std::string, std::less<>> before_;
};

int create_array(const Flags& flags, const Globals& globals) {
  std::unique_ptr<const InputFile> file;
  if (!flags.input.file.empty()) file.reset(new InputFile(flags.input.open(globals.work)));
  std::optional<NpyHeader> data;
  SchemaFlags wanted = flags.schema;
  if (file && data_kind(flags.input.file, flags.input.as) == DataKind::npy) data = read_npy_header(*file);
  if (file && data_kind(flags.input.file, flags.input.as) == DataKind::arrow) schema_like(wanted, *file, globals.work);
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
  const auto input = [&] { return CellInput{*file, flags.input, flags.input.write_options(globals), options.key}; };
  const TargetStore target = target_of(flags.uri, globals, flags.overwrite, options.sync);
  // What is there stays until the new array is whole, with its cells.
  std::unique_ptr<Replacement> replacement;
  if (flags.overwrite && is_replaceable(*target.store)) {
    replacement = begin_replacement(target.store);
    replacement->clear();
    options.overwrite = false;
  }
  const std::shared_ptr<Store> store = replacement ? replacement->store() : target.store;
  const Leftovers leftovers(store, flags.uri);
  try {
    const std::shared_ptr<Array> array = create(store, schema, options);
    if (file) store_cells(*array, input(), store.get(), store);
    if (file || leftovers.had(kConversionKey)) remove_note(*store);
    const std::string what = what_it_is(array->schema());
    if (replacement) replacement->take_place(globals.work);
    target.finish(globals.work);
    if (!globals.quiet) print(fmt::format("{}: {}\n", flags.uri, what));
  } catch (...) {
    if (replacement)
      replacement->discard();
    else
      leftovers.remove();
    throw;
  }
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
