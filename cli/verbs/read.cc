// `tegula read` and `tegula head`: cells of an array to the terminal or into files.
#include <unistd.h>

#include "app/verbs.h"
#include "base/fail.h"
#include "format/registry/dialect.h"
#include "output/output.h"
#include "query/request/request.h"
#include "run/batch_mode.h"
#include "run/opening.h"
#include "run/query_document.h"
#include "run/reading.h"

namespace tegula::cli {

namespace {

constexpr std::uint64_t kTerminalRows = 200;

struct ReadFlags {
  std::string uri;
  OpenFlags open;
  PartFlags part;
  std::string aggregates;
  std::string query_file, batch_file;
  bool csv = false;
  std::string npy, npz, arrow;
};

void check(const ReadFlags& flags, const Globals& globals) {
  const int forms = flags.csv + globals.json + !flags.npy.empty() + !flags.npz.empty() + !flags.arrow.empty();
  if (forms > 1) fail(ErrorKind::invalid_argument, "--json, --csv, --npy, --npz and --arrow exclude each other");
  if (!flags.query_file.empty() && (flags.part.any() || !flags.aggregates.empty()))
    fail(ErrorKind::invalid_argument,
         "--query holds the whole request: give no --fields, --range, --select, --where, --agg, --order or --limit "
         "with it");
  if (!flags.aggregates.empty() && flags.part.fields)
    fail(ErrorKind::invalid_argument, "--agg names its own fields: give no --fields with it");
}

std::unique_ptr<Output> output_for(const ReadFlags& flags, const Globals& globals, Dialect dialect) {
  if (globals.json) return json_output(dialect);
  if (flags.csv) return csv_output(dialect, globals.work);
  if (!flags.npy.empty()) return npy_output(flags.npy);
  if (!flags.npz.empty()) return npz_output(flags.npz);
  if (!flags.arrow.empty()) return arrow_output(flags.arrow);
  const bool all = flags.part.limit || isatty(STDOUT_FILENO) == 0;
  return table_output(dialect, all ? UINT64_MAX : kTerminalRows);
}

int read(const ReadFlags& flags, const Globals& globals) {
  if (!flags.batch_file.empty()) return answer_requests(flags.batch_file, flags.open, globals);
  if (flags.uri.empty()) fail(ErrorKind::invalid_argument, "which array? `tegula read URI`");
  check(flags, globals);
  std::shared_ptr<Array> array;
  Query query;
  if (flags.query_file.empty()) {
    array = open_array(flags.uri, flags.open, globals);
    query = flags.part.query(array->schema(), globals);
    if (!flags.aggregates.empty()) query.aggregates = parse_aggregates(flags.aggregates);
    for (Aggregate& aggregate : query.aggregates) aggregate.field = field_named(aggregate.field, array->schema());
  } else {
    Request request = open_request(flags.query_file, flags.uri, flags.open, globals);
    array = std::move(request.array);
    query = std::move(request.query);
  }
  const bool for_people = !globals.json && flags.npy.empty() && flags.npz.empty() && flags.arrow.empty();
  if (for_people) with_coordinates(query, array->schema());
  if (for_people && !flags.csv && array->schema().table && query.aggregates.empty()) query.row_numbers = true;
  const std::unique_ptr<Output> output = output_for(flags, globals, dialect_of(array->schema()));
  stream(*array, std::move(query), *output);
  return kOk;
}

}  // namespace

void describe_read(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ReadFlags>();
  verb.optional_argument("uri", flags->uri, "the array");
  flags->part.describe(verb);
  verb.option("-a,--agg", flags->aggregates, "LIST", "aggregates instead of cells: 'count(), sum(v), hi = max(v)'");
  flags->open.describe(verb);
  verb.choice("--missing", flags->open.missing, {"fill", "error"},
              "what a chunk that is not there means (default: fill)")
      .option("--query", flags->query_file, "FILE", "the request as a JSON document; - is stdin")
      .option("--batch", flags->batch_file, "FILE",
              "many requests, one JSON object a line; one result or error a line; - is stdin")
      .flag("--csv", flags->csv, "print CSV")
      .option("--npy", flags->npy, "FILE", "write one field as .npy")
      .option("--npz", flags->npz, "FILE", "write all fields as .npz")
      .option("--arrow", flags->arrow, "FILE", "write an Arrow IPC file")
      .examples(
          "  tegula read temps --select '[0:3, ::100]'\n"
          "  tegula read points --range x=0:10 --where 'mag > 5' --csv > strong.csv\n"
          "  tegula read points --agg 'count(), max(mag)' --at 2024-05-31\n"
          "  tegula read temps --npy temps.npy\n"
          "  echo '{\"ranges\": {\"x\": [0, 10]}}' | tegula read points --query - --json")
      .run([flags, &globals] { return read(*flags, globals); });
}

void describe_head(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ReadFlags>();
  verb.argument("uri", flags->uri, "the array")
      .option("-f,--fields", flags->part.fields, "A,B", "fields to show (default: all)")
      .option("-n,--limit", flags->part.limit, "N", "cells to show (default: 10)");
  flags->open.describe(verb);
  verb.examples("  tegula head temps\n  tegula head -n 3 --fields name,age people").run([flags, &globals] {
    if (!flags->part.limit) flags->part.limit = 10;
    return read(*flags, globals);
  });
}

}  // namespace tegula::cli
