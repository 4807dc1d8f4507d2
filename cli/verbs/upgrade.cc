// `tegula upgrade`: a later TileDB format version for what is written from now on.
#include "app/verbs.h"
#include "output/output.h"
#include "run/opening.h"
#include "run/rehearsal.h"
#include "tegula/tiledb.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  std::optional<std::uint64_t> version;
  OpenFlags open;
  bool dry_run = false;
};

constexpr std::uint64_t kNewest = 22;

int run(const Flags& flags, const Globals& globals) {
  const std::uint64_t to = std::min<std::uint64_t>(flags.version.value_or(kNewest), UINT32_MAX);
  const auto change = [&](Array& array) {
    WriteOptions options;
    options.work = globals.work;
    tiledb::upgrade(array, static_cast<std::uint32_t>(to), options);
  };
  const std::uint32_t from = open_array(flags.uri, flags.open, globals)->schema().format_version;
  if (flags.dry_run)
    rehearse(flags.uri, flags.open, globals, change);
  else
    change(*open_array(flags.uri, flags.open, globals));
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run);
    print(json.key("from").number(from).key("to").number(to).end('}').line());
  } else if (flags.dry_run || !globals.quiet) {
    print(fmt::format("{}: {} format version {} instead of {}; fragments that are there stay as they are\n", flags.uri,
                      flags.dry_run ? "would write" : "writes", to, from));
  }
  return kOk;
}

}  // namespace

void describe_upgrade(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array");
  verb.option("--format-version", flags->version, "N", "the version to write from now on (default: 22)")
      .flag("--dry-run", flags->dry_run, "say what would change, and change nothing");
  flags->open.describe_key(verb);
  verb.examples("  tegula upgrade old --dry-run\n  tegula upgrade old").run([flags, &globals] {
    return run(*flags, globals);
  });
}

}  // namespace tegula::cli
