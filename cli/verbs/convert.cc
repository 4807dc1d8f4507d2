// `tegula convert`: any array into any format.
#include "convert/convert.h"

#include <charconv>

#include "app/verbs.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "convert/compare.h"
#include "convert/filters.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"
#include "text/format_names.h"
#include "text/numbers_text.h"

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

constexpr const char* kBared = "the encryption: everybody can read the copy";

bool encrypted(const Array& source, const Flags& flags) {
  return capabilities(source).encryption && !(flags.open.key.empty() && flags.open.key_file.empty());
}

int announce(const Flags& flags, const Target& target, const Globals& globals) {
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.to).key("dry_run").number(true).key("losses").begin('[');
    for (const std::string& loss : target.losses) json.text(loss);
    json.end(']');
    write_schema(json, target.schema);
    print(json.end('}').line());
  } else {
    print(fmt::format("would make {}\n", what_it_is(target.schema)));
    for (const std::string& loss : target.losses) print("would lose " + loss + "\n");
  }
  return target.losses.empty() || flags.lossy ? kOk : kProblems;
}

std::string converted_json(const Flags& flags, const Converted& made, const std::optional<Comparison>& report) {
  JsonWriter json;
  json.begin('{').key("uri").text(flags.to).key("dry_run").number(false).key("resumed").number(made.resumed);
  json.key("chunks_passed").number(made.passed).key("losses").begin('[');
  for (const std::string& loss : made.losses) json.text(loss);
  json.end(']');
  if (report) json.key("compared").number(report->cells).key("different").number(report->different);
  if (report) json.key("same").number(report->same());
  write_schema(json, made.array->schema());
  return json.end('}').line();
}

void print_converted(const Flags& flags, const Converted& made, const std::optional<Comparison>& report) {
  for (const std::string& loss : made.losses) std::fprintf(stderr, "lost: %s\n", loss.c_str());
  std::string line = fmt::format("{}: {}", flags.to, what_it_is(made.array->schema()));
  if (made.resumed) line += ", went on where it had been stopped";
  const bool tiles = capabilities(*made.array).fragments;
  if (made.passed) line += fmt::format(", {} {} copied as they are", made.passed, tiles ? "tiles" : "chunks");
  if (report) line += fmt::format(", {} values compared, {} differ", report->cells, report->different);
  print(line + "\n");
  if (!report) return;
  for (const std::string& difference : report->schema) print(difference + "\n");
}

// Says when one field alone could be copied.
Target plan(const Array& source, const TargetOptions& options) {
  try {
    return plan_target(source, options);
  } catch (const Error& error) {
    TargetOptions one = options;
    if (!options.field && source.schema().attributes.size() > 1) one.field = source.schema().attributes[0].name;
    if (!one.field || options.field) throw;
    try {
      plan_target(source, one);
    } catch (const Error&) {
      one.field.reset();
    }
    if (!one.field) throw;
    fail(error.kind(), "{} with --field", message_of(error));
  }
}

int run(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> source = open_array(flags.from, flags.open, globals);
  ConvertOptions options;
  options.target.format = full_format(flags.to_format);
  options.target.field = flags.field;
  options.target.chunks = parse_extents(flags.tile, "--tile");
  const std::string format = options.target.format.empty() ? source->schema().format : options.target.format;
  if (!flags.filters.empty()) options.target.filters = parse_filters(flags.filters, format);
  if (flags.format_version) options.create.format_version = static_cast<std::uint32_t>(*flags.format_version);
  options.create.key = encryption_key(flags.new_key, "");
  options.create.overwrite = flags.overwrite;
  options.create.work = globals.work;
  options.lossy = flags.lossy;
  options.source_name = flags.from;
  if (!options.create.key.empty() && !capabilities(format).encryption)
    fail(ErrorKind::invalid_argument, "--new-key: only {} arrays are encrypted, and the copy is to be {}",
         formats_with(&Capabilities::encryption), family_text(format));
  Target target = plan(*source, options.target);
  const bool bared = encrypted(*source, flags) && options.create.key.empty();
  if (bared) target.losses.push_back(kBared);
  if (flags.dry_run) return announce(flags, target, globals);
  if (bared && !flags.lossy)
    fail(ErrorKind::unsupported,
         "the source is encrypted, the copy would not be; --new-key HEX encrypts a TileDB copy, --lossy goes on "
         "without");

  if (!flags.lossy && !target.losses.empty())
    fail(ErrorKind::unsupported, "{}\nWith --lossy the rest is copied.", losses_text(target));

  Converted made;
  try {
    made = convert(*source, store_of(flags.to, globals), options, globals.work);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled && !globals.quiet)
      std::fprintf(stderr, "%s is unfinished; the same command goes on with it\n", flags.to.c_str());
    throw;
  }
  if (bared) made.losses.push_back(kBared);
  std::optional<Comparison> report;
  if (flags.verify) {
    OpenFlags reopen;
    reopen.key = flags.new_key;
    report = compare_copy(*source, target, *open_array(flags.to, reopen, globals), globals.work);
  }
  if (globals.json)
    print(converted_json(flags, made, report));
  else if (!globals.quiet)
    print_converted(flags, made, report);
  return report && !report->same() ? kProblems : kOk;
}

}  // namespace

namespace {

// What convert and rechunk have in common.
void describe_copy(Verb& verb, const std::shared_ptr<Flags>& flags) {
  verb.argument("from", flags->from, "the array")
      .argument("to", flags->to, "where the copy goes; must not exist, unless it is unfinished");
  verb.option("--field", flags->field, "NAME", "copy only this field")
      .option("--tile", flags->tile, "N,M", "tile or chunk extents (default: as the source)")
      .option("--filters", flags->filters, "LIST", "'byteshuffle,zstd:5', 'blosc:lz4:5:shuffle', 'none'")
      .option("--format-version", flags->format_version, "N", "TileDB format version to write")
      .flag("--lossy", flags->lossy, "go on when the target cannot hold everything")
      .flag("--verify", flags->verify, "read the copy back and compare")
      .flag("--overwrite", flags->overwrite, "replace what is there")
      .flag("--dry-run", flags->dry_run, "say what would be made and lost");
  flags->open.describe(verb);
  verb.option("--new-key", flags->new_key, "HEX", "encrypt the copy (TileDB)");
}

}  // namespace

void describe_convert(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.option("--to", flags->to_format, "FORMAT", fmt::format("{}, zarr (default: as the source)", known_formats()));
  describe_copy(verb, flags);
  verb.examples(
          "  tegula convert table.bcolz table.tdb --to tiledb --verify\n"
          "  tegula convert temps temps.zarr --to zarr3 --tile 100,100")
      .run([flags, &globals] { return run(*flags, globals); });
}

void describe_rechunk(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  describe_copy(verb, flags);
  verb.examples(
          "  tegula rechunk temps finer --tile 16,16\n"
          "  tegula rechunk temps smaller --filters zstd:19 --verify")
      .run([flags, &globals] {
        if (flags->tile.empty() && flags->filters.empty() && !flags->format_version)
          fail(ErrorKind::invalid_argument, "what is to be different? --tile, --filters or --format-version");
        return run(*flags, globals);
      });
}

}  // namespace tegula::cli
