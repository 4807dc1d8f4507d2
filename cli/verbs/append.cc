// `tegula append`: rows from a file at the end of an array or table.
#include "app/verbs.h"
#include "run/input_cells.h"
#include "run/opening.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  InputFlags input;
  OpenFlags open;
};

int append(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals, !flags.input.no_sync);
  const InputFile file = flags.input.open(globals.work);
  append_rows(*array, {file, flags.input, flags.input.write_options(globals), {}});
  return kOk;
}

}  // namespace

void describe_append(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a bcolz or zarr array or table")
      .argument("file", flags->input.file, ".npy, .csv, .json or .arrow; - is stdin");
  verb.option("--field", flags->input.field, "NAME", "the field of a .npy file");
  flags->input.describe(verb);
  verb.examples("  tegula append people.bcolz more.csv\n  tegula append temps.zarr day3.npy").run([flags, &globals] {
    return append(*flags, globals);
  });
}

}  // namespace tegula::cli
