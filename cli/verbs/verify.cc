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

int verify(const Flags& flags, const Globals& globals) {
  // Which files are there is part of what is verified.
  const std::shared_ptr<Store> store = with_index(store_of(flags.uri, globals));
  const std::shared_ptr<Array> array = open(store, flags.open.options(globals));
  const std::vector<Problem> problems = verify_all(*array, *store, globals.work);
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
      print(fmt::format("{}: {}, everything decodes\n", flags.uri, what_it_is(array->schema())));
  }
  return damaged ? kProblems : kOk;
}

}  // namespace

void describe_verify(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array");
  flags->open.describe(verb);
  verb.examples("  tegula verify temps && echo sound\n  tegula verify temps --json").run([flags, &globals] {
    return verify(*flags, globals);
  });
}

}  // namespace tegula::cli
