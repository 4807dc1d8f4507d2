// `tegula verify`: decodes everything and says what is wrong.
#include "opening.h"
#include "output.h"
#include "schema_text.h"
#include "verbs.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
};

int verify(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  const std::vector<Problem> problems = array->verify(globals.work);
  std::size_t damaged = 0;
  for (const Problem& problem : problems) damaged += problem.severity == Problem::Severity::damage;
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("ok").number(damaged == 0).key("problems").begin('[');
    for (const Problem& problem : problems) {
      json.begin('{')
          .key("severity")
          .text(problem.severity == Problem::Severity::damage ? "damage" : "note")
          .key("file")
          .text(problem.file);
      json.key("text").text(problem.text).key("remedy").text(problem.remedy).end('}');
    }
    print(json.end(']').end('}').line());
  } else {
    for (const Problem& problem : problems) {
      print(fmt::format("{}: {}: {}\n", problem.severity == Problem::Severity::damage ? "damage" : "note", problem.file,
                        problem.text));
      if (!problem.remedy.empty()) print(fmt::format("  {}\n", problem.remedy));
    }
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
