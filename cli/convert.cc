// `tegula convert`: any array into any format.
#include "convert/convert.h"

#include <charconv>

#include "base/fail.h"
#include "convert/compare.h"
#include "convert/filters.h"
#include "numbers_text.h"
#include "opening.h"
#include "output.h"
#include "schema_text.h"
#include "verbs.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string from, to, to_format, tile, filters;
  std::optional<std::string> field;
  std::optional<std::uint64_t> format_version;
  OpenFlags open;
  std::string new_key;
  bool lossy = false, overwrite = false, verify = false, dry_run = false;
};

int run(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> source = open_array(flags.from, flags.open, globals);
  ConvertOptions options;
  options.target.format = flags.to_format == "zarr" ? "zarr3" : flags.to_format;
  options.target.field = flags.field;
  options.target.chunks = parse_extents(flags.tile, "--tile");
  const std::string format = options.target.format.empty() ? source->schema().format : options.target.format;
  if (!flags.filters.empty()) options.target.filters = parse_filters(flags.filters, format);
  if (flags.format_version) options.create.format_version = static_cast<std::uint32_t>(*flags.format_version);
  options.create.key = encryption_key(flags.new_key, "");
  options.create.overwrite = flags.overwrite;
  options.create.work = globals.work;
  options.lossy = flags.lossy;
  const Target target = plan_target(*source, options.target);
  if (flags.dry_run) {
    print(fmt::format("would make {}\n", what_it_is(target.schema)));
    for (const std::string& loss : target.losses) print("would lose " + loss + "\n");
    return target.losses.empty() || flags.lossy ? kOk : kProblems;
  }
  const std::shared_ptr<Array> made = convert(*source, store_of(flags.to, globals), options, globals.work);
  if (!globals.quiet)
    for (const std::string& loss : target.losses) std::fprintf(stderr, "lost: %s\n", loss.c_str());
  if (flags.verify) {
    OpenFlags reopen;
    reopen.key = flags.new_key;
    const Comparison report = compare(*source, *open_array(flags.to, reopen, globals), globals.work);
    if (!report.same() && target.losses.empty())
      fail(ErrorKind::corrupt, "the copy differs in {} of {} values; `tegula diff` shows them", report.different,
           report.cells);
    if (!globals.quiet)
      print(fmt::format("{}: {}, {} values compared, {} differ\n", flags.to, what_it_is(made->schema()), report.cells,
                        report.different));
  } else if (!globals.quiet) {
    print(fmt::format("{}: {}\n", flags.to, what_it_is(made->schema())));
  }
  return kOk;
}

}  // namespace

void describe_convert(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("from", flags->from, "the array").argument("to", flags->to, "where the copy goes; must not exist");
  verb.option("--to", flags->to_format, "FORMAT", "tiledb, bcolz, zarr0 .. zarr3, zarr (default: as the source)")
      .option("--format-version", flags->format_version, "N", "TileDB format version to write")
      .option("--field", flags->field, "NAME", "copy only this field")
      .option("--tile", flags->tile, "N,M", "tile or chunk extents (default: as the source)")
      .option("--filters", flags->filters, "LIST", "'byteshuffle,zstd:5', 'blosc:lz4:5:shuffle', 'none'")
      .flag("--lossy", flags->lossy, "go on when the target cannot hold everything")
      .flag("--verify", flags->verify, "read the copy back and compare")
      .flag("--overwrite", flags->overwrite, "replace what is there")
      .flag("--dry-run", flags->dry_run, "say what would be made and lost");
  flags->open.describe(verb);
  verb.option("--new-key", flags->new_key, "HEX", "encrypt the copy (TileDB)")
      .examples(
          "  tegula convert table.bcolz table.tdb --to tiledb --verify\n  tegula convert temps temps.zarr --to zarr3 "
          "--tile 100,100\n  tegula convert temps finer --tile 16,16 --filters zstd:9")
      .run([flags, &globals] { return run(*flags, globals); });
}

}  // namespace tegula::cli
