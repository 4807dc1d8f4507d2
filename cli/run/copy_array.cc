#include "run/copy_array.h"

#include <charconv>

#include "base/error_message.h"
#include "base/fail.h"
#include "convert/compare.h"
#include "convert/convert.h"
#include "convert/filters.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/copy_tree.h"
#include "run/opening.h"
#include "schema/schema_text.h"
#include "tegula/bcolz.h"
#include "tegula/capabilities.h"
#include "text/format_names.h"
#include "text/numbers_text.h"

namespace tegula::cli {

namespace {

constexpr const char* kBared = "the encryption: anyone can read the copy";

bool encrypted(const Array& source, const CopyFlags& flags) {
  return capabilities(source).encryption && !(flags.open.key.empty() && flags.open.key_file.empty());
}

int announce(const CopyFlags& flags, const Target& target, const Globals& globals) {
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

std::string converted_json(const CopyFlags& flags, const Array& source, const Converted& made,
                           const std::optional<Comparison>& report) {
  JsonWriter json;
  json.begin('{').key("uri").text(flags.to).key("dry_run").number(false).key("resumed").number(made.resumed);
  json.key("chunks_passed").number(made.passed).key("losses").begin('[');
  for (const std::string& loss : made.losses) json.text(loss);
  json.end(']').key("warnings").begin('[');
  if (const std::string torn = bcolz::torn_rows(source); !torn.empty()) json.text(torn);
  json.end(']');
  if (report) json.key("compared").number(report->cells).key("different").number(report->different);
  if (report) json.key("same").number(report->same());
  write_schema(json, made.array->schema());
  return json.end('}').line();
}

void print_converted(const CopyFlags& flags, const Converted& made, const std::optional<Comparison>& report) {
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

// Adds a hint when a single field could be copied.
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
    fail(error.kind(), "{} with --field", error_message(error));
  }
}

}  // namespace

void CopyFlags::describe(Verb& verb) {
  verb.argument("from", from, "the array, table, group or folder")
      .argument("to", to, "where the copy goes; must not exist, unless it is unfinished or overwritten");
  verb.option("--field", field, "NAME", "copy only this field")
      .option("--tile", tile, "N,M", "tile or chunk extents (default: those of the source)")
      .option("--filters", filters, "LIST", "'byteshuffle,zstd:5', 'blosc:lz4:5:shuffle', 'none'")
      .option("--format-version", format_version, "N", "TileDB format version to write")
      .flag("--lossy", lossy, "convert even when the target cannot hold everything")
      .flag("--verify", verify, "read the copy back and compare")
      .flag("--overwrite", overwrite, "replace what is there, once the copy is whole; that may be the source itself")
      .flag("--dry-run", dry_run, "show what would be created and lost, and change nothing");
  open.describe(verb);
  verb.option("--new-key", new_key, "HEX", "encrypt the copy (TileDB)");
}

int copy_array(const CopyFlags& flags, const Globals& globals) {
  ConvertOptions options;
  options.target.format = full_format(flags.to_format);
  options.target.field = flags.field;
  options.target.chunks = parse_extents(flags.tile, "--tile");
  if (flags.format_version) options.create.format_version = static_cast<std::uint32_t>(*flags.format_version);
  options.create.key = encryption_key(flags.new_key, "");
  options.create.overwrite = flags.overwrite;
  options.create.work = globals.work;
  options.lossy = flags.lossy;
  options.source_name = flags.from;
  options.verify = flags.verify;
  if (const TreeSource tree = tree_source(flags, globals); needs_tree(tree, options.target)) {
    if (!flags.filters.empty())
      options.target.filters = parse_filters(flags.filters, plan_tree(tree, options.target, globals.work).format);
    return copy_tree(flags, options, globals);
  }
  const std::shared_ptr<Array> source = open_array(flags.from, flags.open, globals);
  const std::string format = options.target.format.empty() ? source->schema().format : options.target.format;
  if (!flags.filters.empty()) options.target.filters = parse_filters(flags.filters, format);
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
  const TargetStore to = target_of(flags.to, globals, flags.overwrite);
  if (to.archive) options.verify = false;  // it is read back when it is an archive
  try {
    made = convert(*source, to.store, options, globals.work);
    to.finish(globals.work);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled && !globals.quiet && !to.archive)
      std::fprintf(stderr, "%s is unfinished; the same command goes on with it\n", flags.to.c_str());
    throw;
  }
  if (bared) made.losses.push_back(kBared);
  std::optional<Comparison> report = std::move(made.compared);
  if (flags.verify && to.archive) {
    OpenFlags reopen;
    reopen.key = flags.new_key;
    report = compare_copy(*source, target, *open_array(flags.to, reopen, globals), globals.work);
  }
  if (globals.json)
    print(converted_json(flags, *source, made, report));
  else if (!globals.quiet)
    print_converted(flags, made, report);
  return report && !report->same() ? kProblems : kOk;
}

}  // namespace tegula::cli
