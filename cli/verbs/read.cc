// `tegula read`: cells of an array, or aggregates of them.
#include "app/verbs.h"
#include "run/show_cells.h"

namespace tegula::cli {

void describe_read(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ReadFlags>();
  verb.optional_argument("uri", flags->uri, "the array");
  flags->part.describe(verb);
  verb.option("-a,--agg", flags->aggregates, "LIST", "aggregates instead of cells: 'count(), sum(v), hi = max(v)'");
  flags->open.describe(verb);
  verb.choice("--missing", flags->open.missing, {"fill", "error"}, "how missing chunks are read (default: fill)")
      .option("--query", flags->query_file, "FILE", "the request as a JSON document; - is stdin")
      .option("--batch", flags->batch_file, "FILE",
              "many requests, one JSON object a line; one result or error a line; - is stdin")
      .flag("--as-libtiledb", flags->as_libtiledb,
            "TileDB: aggregates, rows that do not match, booleans and NaT as libtiledb has them")
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
      .run([flags, &globals] { return show_cells(*flags, globals); });
}

}  // namespace tegula::cli
