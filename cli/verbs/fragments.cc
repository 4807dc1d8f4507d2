// `tegula fragments`: lists the fragments, one for each write.
#include <fmt/format.h>

#include "app/verbs.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
};

int show_fragments(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  if (!capabilities(*array).fragments)
    fail(ErrorKind::invalid_argument, "'{}' is a {}, and only {} arrays have fragments", flags.uri,
         what_it_is(array->schema()), formats_with(&Capabilities::fragments));
  const Info info = array->info(globals.work);
  if (globals.json) {
    JsonWriter json;
    json.begin('[');
    for (const FragmentInfo& f : info.fragments) {
      json.begin('{')
          .key("name")
          .text(f.name)
          .key("first_time")
          .number(f.first_time)
          .key("last_time")
          .number(f.last_time);
      json.key("version")
          .number(f.version)
          .key("kind")
          .text(f.sparse ? "sparse" : "dense")
          .key("cells")
          .number(f.cells)
          .key("bytes")
          .number(f.bytes);
      json.key("domain").begin('[');
      for (const Range& range : f.domain) write_range(json, range);
      json.end(']').end('}');
    }
    print(json.end(']').line());
    return kOk;
  }
  std::vector<std::vector<std::string>> rows = {{"written", "version", "kind", "cells", "size", "domain", "name"}};
  for (const FragmentInfo& f : info.fragments)
    rows.push_back({f.first_time == f.last_time ? time_text(f.first_time)
                                                : time_text(f.first_time) + " .. " + time_text(f.last_time),
                    fmt::format("{}", f.version), f.sparse ? "sparse" : "dense", fmt::format("{}", f.cells),
                    format_size(f.bytes), domain_text(array->schema(), f.domain), f.name});
  print(info.fragments.empty() ? "no fragments\n" : aligned(rows, ""));
  return kOk;
}

}  // namespace

void describe_fragments(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array");
  flags->open.describe(verb);
  verb.examples("  tegula fragments points\n  tegula fragments points --at 2024-01-01:2024-06-30")
      .run([flags, &globals] { return show_fragments(*flags, globals); });
}

}  // namespace tegula::cli
