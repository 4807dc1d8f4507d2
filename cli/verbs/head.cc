// `tegula head`: the first cells of an array.
#include "app/verbs.h"
#include "run/show_cells.h"

namespace tegula::cli {

void describe_head(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ReadFlags>();
  verb.argument("uri", flags->uri, "the array")
      .option("-f,--fields", flags->part.fields, "A,B", "fields to show (default: all)")
      .option("-n,--limit", flags->part.limit, "N", "cells to show (default: 10)");
  flags->open.describe(verb);
  verb.examples("  tegula head temps\n  tegula head -n 3 --fields name,age people").run([flags, &globals] {
    if (!flags->part.limit) flags->part.limit = 10;
    return show_cells(*flags, globals);
  });
}

}  // namespace tegula::cli
