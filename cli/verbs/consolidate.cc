// `tegula consolidate`: few fragments instead of many, and the consolidated metadata of zarr groups.
#include "app/verbs.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "run/opening.h"
#include "run/tiledb_parts.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, what = "fragments", max_size, between;
  OpenFlags open;
  bool purge = false, no_times = false, dry_run = false;
};

std::string files_text(std::size_t count, std::string_view part) {
  return fmt::format("{} {}{}", count, part == "fragments" ? "fragment" : "file", count == 1 ? "" : "s");
}

tiledb::ConsolidateOptions consolidate_options(const Flags& flags, const PartName& part, const Globals& globals) {
  tiledb::ConsolidateOptions options;
  options.part = part.part;
  if (!flags.between.empty()) options.at = parse_time_range(flags.between);
  if (!flags.max_size.empty()) options.max_fragment_size = parse_size(flags.max_size);
  options.keep_times = !flags.no_times;
  options.purge_deleted = flags.purge;
  options.work = globals.work;
  return options;
}

int consolidate_group(const Flags& flags, const std::shared_ptr<Store>& store, const Globals& globals) {
  const std::shared_ptr<Group> group = open_group(store, flags.open.options(globals));
  WriteOptions options;
  options.work = globals.work;
  if (!flags.dry_run) group->consolidate(options);
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run);
    print(json.key("consolidated").text("metadata").end('}').line());
  } else if (!globals.quiet || flags.dry_run) {
    print(fmt::format("{}: {} its metadata\n", flags.uri, flags.dry_run ? "would consolidate" : "consolidated"));
  }
  return kOk;
}

int consolidate(const Flags& flags, const Globals& globals) {
  const bool narrowed = !flags.max_size.empty() || !flags.between.empty() || flags.purge || flags.no_times;
  if (narrowed && flags.what != "fragments")
    fail(ErrorKind::invalid_argument, "--max-size, --between, --purge and --no-times go with --what fragments");
  if (const std::shared_ptr<Store> store = store_of(flags.uri, globals); probe(*store).kind == ObjectKind::group) {
    if (narrowed || flags.what != "fragments")
      fail(ErrorKind::invalid_argument, "'{}' is a group, of which only the metadata can be consolidated", flags.uri);
    return consolidate_group(flags, store, globals);
  }
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  JsonWriter json;
  json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run).key("merged").begin('[');
  std::string lines;
  for (const PartName& part : parts_of(flags.what)) {
    const tiledb::ConsolidateOptions options = consolidate_options(flags, part, globals);
    for (const tiledb::Consolidation& one :
         flags.dry_run ? tiledb::plan_consolidation(*array, options) : tiledb::consolidate(*array, options)) {
      json.begin('{').key("what").text(part.name);
      write_names(json, "inputs", one.inputs);
      write_names(json, "outputs", one.outputs);
      json.key("cells").number(one.cells).key("bytes").number(one.bytes).end('}');
      lines += fmt::format("{}: {} {} of {} ({} cells)", part.name, flags.dry_run ? "would merge" : "merged",
                           files_text(one.inputs.size(), part.name), format_size(one.bytes), one.cells);
      if (!one.outputs.empty()) lines += fmt::format(" into {}", files_text(one.outputs.size(), part.name));
      lines += '\n';
    }
  }
  if (globals.json)
    print(json.end(']').end('}').line());
  else if (!globals.quiet || flags.dry_run)
    print(lines.empty() ? "nothing to merge\n" : lines);
  return kOk;
}

}  // namespace

void describe_consolidate(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array, or a zarr group whose metadata is to be consolidated");
  verb.choice("--what", flags->what, part_names(), "what to merge (default: fragments)")
      .option("--max-size", flags->max_size, "SIZE",
              "about the largest size of a new fragment; larger results are split")
      .option("--between", flags->between, "T1:T2", "only fragments written between two times")
      .flag("--purge", flags->purge, "do not copy deleted cells")
      .flag("--no-times", flags->no_times, "sparse: forget when each cell was written, and what it replaced")
      .flag("--dry-run", flags->dry_run, "say what would be merged, and change nothing");
  flags->open.describe_key(verb);
  verb.examples(
          "  tegula consolidate events --dry-run\n  tegula consolidate events --max-size 1GB\n"
          "  tegula consolidate events --what commits\n  tegula consolidate events && tegula vacuum events\n"
          "  tegula consolidate climate.zarr")
      .run([flags, &globals] { return consolidate(*flags, globals); });
}

}  // namespace tegula::cli
