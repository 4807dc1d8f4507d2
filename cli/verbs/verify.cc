// `tegula verify`: decodes everything and says what is wrong.
#include "app/verbs.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "run/problems.h"
#include "schema/schema_text.h"
#include "store/wrap/indexed_store.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
};

int report(const Flags& flags, const Globals& globals, const std::vector<Problem>& problems, const std::string& sound) {
  const std::size_t damaged = damage_count(problems);
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("ok").number(damaged == 0).key("problems");
    write_problems(json, problems);
    print(json.end('}').line());
  } else {
    print(problem_lines(problems));
    if (damaged)
      print(fmt::format("{}: {} {} damaged\n", flags.uri, damaged, damaged == 1 ? "place is" : "places are"));
    else
      print(fmt::format("{}: {}\n", flags.uri, sound));
  }
  return damaged ? kProblems : kOk;
}

int verify(const Flags& flags, const Globals& globals) {
  // Which files are there is part of what is verified.
  const std::shared_ptr<Store> store = with_index(store_of(flags.uri, globals));
  OpenOptions options = flags.open.options(globals);
  options.unfinished = true;  // that is among what is reported
  if (probe(*store).kind == ObjectKind::group && !is_plain_folder(*store)) {
    const std::shared_ptr<Group> group = open_group(store, options);
    return report(flags, globals, group->verify(globals.work),
                  family_text(group->format()) + " group; its members are verified one by one");
  }
  const std::shared_ptr<Array> array = open(store, options);
  return report(flags, globals, verify_all(*array, *store, globals.work),
                what_it_is(array->schema()) + ", everything decodes");
}

}  // namespace

void describe_verify(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array, or a zarr group whose consolidated metadata is to be compared");
  flags->open.describe(verb);
  verb.examples("  tegula verify temps && echo sound\n  tegula verify temps --json").run([flags, &globals] {
    return verify(*flags, globals);
  });
}

}  // namespace tegula::cli
