// `tegula vacuum`: removes what consolidation has replaced.
#include "app/verbs.h"
#include "output/output.h"
#include "run/opening.h"
#include "run/tiledb_parts.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, what = "all";
  OpenFlags open;
  bool dry_run = false;
};

int vacuum(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  std::vector<std::string> removed;
  for (const PartName& part : parts_of(flags.what)) {
    tiledb::VacuumOptions options;
    options.part = part.part;
    options.dry_run = flags.dry_run;
    options.work = globals.work;
    for (std::string& name : tiledb::vacuum(*array, options)) removed.push_back(std::move(name));
  }
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run);
    write_names(json, "removed", removed);
    print(json.end('}').line());
    return kOk;
  }
  for (const std::string& name : removed)
    print(fmt::format("{} {}\n", flags.dry_run ? "would remove" : "removed", name));
  if (removed.empty() && !globals.quiet) print("nothing to remove\n");
  return kOk;
}

}  // namespace

void describe_vacuum(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array");
  verb.choice("--what", flags->what, part_names(), "what to remove of what has been merged (default: all)")
      .flag("--dry-run", flags->dry_run, "say what would be removed, and change nothing");
  flags->open.describe_key(verb);
  verb.examples("  tegula vacuum events --dry-run\n  tegula vacuum events --what commits").run([flags, &globals] {
    return vacuum(*flags, globals);
  });
}

}  // namespace tegula::cli
