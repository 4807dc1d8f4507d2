// `tegula write`: writes cells from a file into an existing array.
#include "app/verbs.h"
#include "base/fail.h"
#include "run/input_cells.h"
#include "run/opening.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  InputFlags input;
  OpenFlags open;
};

int write_array(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.input.no_sync);
  if (array->schema().table)
    fail(ErrorKind::invalid_argument, "a table grows by rows: `tegula append {} {}`", flags.uri, flags.input.file);
  const InputFile file = flags.input.open(globals.work);
  store_cells(*array, {file, flags.input, flags.input.write_options(globals), flags.open.options(globals).key}, nullptr,
              store_of(flags.uri, globals, false));
  return kOk;
}

}  // namespace

void describe_write(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array")
      .argument("file", flags->input.file, ".npy, .csv, .json or .arrow; - is stdin");
  verb.option("-s,--select", flags->input.select, "TEXT",
              "where to write in a dense array: '[2:5, ::2]' (default: everywhere)")
      .option("--field", flags->input.field, "NAME", "the field of a .npy file");
  flags->input.describe(verb);
  flags->open.describe_key(verb);
  verb.examples("  tegula write temps.zarr day2.npy --select '[1]'\n  tegula write points more.csv --at 2024-05-31")
      .run([flags, &globals] { return write_array(*flags, globals); });
}

}  // namespace tegula::cli
