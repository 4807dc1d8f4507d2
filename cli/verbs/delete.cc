// `tegula delete`: cells by a condition, or whole fragments by their times.
#include <fmt/ranges.h>

#include "app/verbs.h"
#include "base/endian.h"
#include "base/fail.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "run/opening.h"
#include "run/rehearsal.h"
#include "tegula/tiledb.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, where, fragments, at;
  OpenFlags open;
  bool as_libtiledb = false, dry_run = false;
};

WriteOptions write_options(const Flags& flags, const Globals& globals) {
  WriteOptions options;
  options.at = parse_write_time(flags.at);
  options.work = globals.work;
  return options;
}

// How many cells a reader finds for the condition at the time of the delete.
std::uint64_t matching_cells(const Flags& flags, const Globals& globals) {
  OpenFlags open = flags.open;
  open.at = flags.at;
  Query query;
  query.where = flags.where;
  query.aggregates = parse_aggregates("count()");
  query.work = globals.work;
  const Batch batch = collect(*open_array(flags.uri, open, globals)->query(query));
  return load_le<std::uint64_t>(batch.columns.at(0).cell(0).data());
}

int delete_cells(const Flags& flags, const Globals& globals) {
  const auto change = [&](Array& array) {
    tiledb::delete_cells(array, flags.where, write_options(flags, globals), flags.as_libtiledb);
  };
  std::optional<std::uint64_t> cells;
  if (flags.dry_run) {
    rehearse(flags.uri, flags.open, globals, change);
    cells = matching_cells(flags, globals);
  } else {
    change(*open_array(flags.uri, flags.open, globals));
  }
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run).key("where").text(flags.where);
    if (cells) json.key("cells").number(*cells);
    print(json.end('}').line());
  } else if (cells) {
    print(fmt::format("would delete {} cells that match: {}\n", *cells, flags.where));
  } else if (!globals.quiet) {
    print(fmt::format("{}: cells that match are deleted, and stay visible with --at before it: {}\n", flags.uri,
                      flags.where));
  }
  return kOk;
}

int delete_fragments(const Flags& flags, const Globals& globals) {
  const auto [first, last] = parse_time_range(flags.fragments);
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  std::vector<std::string> names;
  if (flags.dry_run) {
    for (const FragmentInfo& f : array->info(globals.work).fragments)
      if (f.first_time >= first && f.last_time <= last) names.push_back(f.name);
  } else {
    names = tiledb::delete_fragments(*array, first, last);
  }
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run).key("fragments").begin('[');
    for (const std::string& name : names) json.text(name);
    print(json.end(']').end('}').line());
  } else if (names.empty()) {
    print(fmt::format("{}: no fragment was written in that time; nothing changed\n", flags.uri));
  } else {
    for (const std::string& name : names)
      print(fmt::format("{} {}\n", flags.dry_run ? "would remove" : "removed", name));
  }
  return kOk;
}

int run(const Flags& flags, const Globals& globals) {
  if (flags.where.empty() == flags.fragments.empty())
    fail(ErrorKind::invalid_argument, "what should be deleted? either --where EXPR or --fragments T1:T2");
  if (!flags.fragments.empty() && (!flags.at.empty() || flags.as_libtiledb))
    fail(ErrorKind::invalid_argument, "--at and --as-libtiledb go with --where");
  return flags.where.empty() ? delete_fragments(flags, globals) : delete_cells(flags, globals);
}

}  // namespace

void describe_delete(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array");
  verb.option("-w,--where", flags->where, "EXPR", "delete the cells of a sparse array that match")
      .option("--fragments", flags->fragments, "T1:T2",
              "remove the fragments written between two times, for good; milliseconds or ISO dates")
      .option("--at", flags->at, "T", "time of the delete (default: now); readers of times before still see the cells")
      .flag("--as-libtiledb", flags->as_libtiledb,
            "also allow conditions for which libtiledb deletes more than they say (nulls, attributes added later)")
      .flag("--dry-run", flags->dry_run, "say how many cells or which fragments, and change nothing");
  flags->open.describe_key(verb);
  verb.examples(
          "  tegula delete events --where 'strength < 1' --dry-run\n"
          "  tegula delete events --where 'strength < 1'\n"
          "  tegula delete events --fragments 2024-05-01:2024-05-31")
      .run([flags, &globals] { return run(*flags, globals); });
}

}  // namespace tegula::cli
