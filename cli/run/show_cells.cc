#include "run/show_cells.h"

#include <unistd.h>

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

std::unique_ptr<Output> output_for(const ReadFlags& flags, const Globals& globals, const Schema& schema,
                                   const Query& query) {
  const Dialect dialect = dialect_of(query, schema);
  const bool aggregates = !query.aggregates.empty();
  if (globals.json) return json_output(dialect, globals.work);
  if (flags.csv) return csv_output(dialect, globals.work);
  if (!flags.npy.empty()) return npy_output(flags.npy);
  if (!flags.npz.empty()) return npz_output(flags.npz);
  if (!flags.arrow.empty()) return arrow_output(flags.arrow, aggregates ? Schema{} : schema);
  const bool all = flags.part.limit || isatty(STDOUT_FILENO) == 0;
  return table_output(dialect, all ? UINT64_MAX : kTerminalRows);
}

}  // namespace

int show_cells(const ReadFlags& flags, const Globals& globals) {
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
  if (flags.as_libtiledb) query.as_libtiledb = true;
  if (!query.where.empty() && query.aggregates.empty() && !query.as_libtiledb && plain_table(array->schema()))
    query.rows = true;
  const bool for_people = !globals.json && flags.npy.empty() && flags.npz.empty() && flags.arrow.empty();
  if (for_people) with_coordinates(query, array->schema());
  if (for_people && !flags.csv && array->schema().table && query.aggregates.empty()) query.row_numbers = true;
  const std::unique_ptr<Output> output = output_for(flags, globals, array->schema(), query);
  stream(*array, std::move(query), *output);
  return kOk;
}

}  // namespace tegula::cli
