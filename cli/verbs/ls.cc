// `tegula ls`: arrays, groups and tables in a folder.
#include "app/verbs.h"
#include "output/output.h"
#include "run/listed_items.h"
#include "schema/schema_text.h"

namespace tegula::cli {

namespace {

int list(const ListFlags& flags, const Globals& globals) {
  std::vector<Item> items = items_of(flags.uri, flags, globals);
  JsonWriter json;
  json.begin('[');
  std::vector<std::vector<std::string>> rows;
  for (Item& item : items) {
    globals.work.check();
    if (item.name.empty()) item.name = flags.uri;
    if (globals.json) {
      json.begin('{');
      write_item(json, item, flags, globals);
      json.end('}');
    } else {
      rows.push_back(item_row(item, flags, globals));
    }
  }
  print(globals.json ? json.end(']').line() : aligned(rows, ""));
  return kOk;
}

}  // namespace

void describe_ls(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ListFlags>();
  verb.argument("uri", flags->uri, "a folder or group");
  flags->open.describe_key(verb);
  verb.examples("  tegula ls .\n  tegula ls climate.zarr --json").run([flags, &globals] {
    return list(*flags, globals);
  });
}

}  // namespace tegula::cli
