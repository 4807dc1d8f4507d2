// `tegula index`: writes the listing of a folder beside its files, for readers that cannot list.
#include "app/verbs.h"
#include "base/fail.h"
#include "output/output.h"
#include "run/opening.h"
#include "store/open/shown_uri.h"
#include "store/wrap/indexed_store.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  bool dry_run = false;
};

int index(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = store_of(flags.uri, globals);
  const std::string uri = shown_uri(flags.uri);
  const StoreHints hints = store->hints();
  if (!hints.lists || !hints.writes)
    fail(ErrorKind::unsupported, "'{}': an index is made where the files can be listed and written", uri);
  const FileIndex made = index_files(*store);
  if (made.files == 0) fail(ErrorKind::not_found, "'{}': there is no such folder, or it is empty", uri);
  if (!flags.dry_run) store->put_text(kIndexKey, made.document);
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(uri).key("files").number(made.files).key("bytes").number(made.bytes);
    print(json.key("dry_run").number(flags.dry_run).end('}').line());
  } else if (!globals.quiet) {
    print(fmt::format("{}: {} {} files\n", uri, flags.dry_run ? "would name" : "the index names", made.files));
  }
  return kOk;
}

}  // namespace

void describe_index(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the folder of an array or a group")
      .flag("--dry-run", flags->dry_run, "say how many files there are, and change nothing")
      .examples("  tegula index points && rsync -a points web:/srv/data/\n  tegula read https://web/data/points")
      .run([flags, &globals] { return index(*flags, globals); });
}

}  // namespace tegula::cli
