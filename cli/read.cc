// `tegula read`: cells of an array to the terminal or into files.
#include <cstdio>

#include "base/fail.h"
#include "base/json.h"
#include "command.h"
#include "opening.h"
#include "format/open.h"
#include "output_json.h"
#include "request.h"
#include "tegula/array.h"
#include "verbs.h"

namespace tegula::cli {

namespace {

struct ReadFlags {
  std::string uri;
  OpenFlags open;
  std::string query_file;
};

int read(const ReadFlags& flags, const Globals& globals) {
  OpenOptions options = flags.open.options(globals);
  const std::string text = read_text(flags.query_file);
  const Json document = parse_json(bytes_of(text), flags.query_file);
  if (const auto at = open_at(document)) options.at = at;
  const std::shared_ptr<Array> array = open(store_of(flags.uri, globals), options);
  Query query = query_of(document, array->schema());
  query.work = globals.work;
  const Batch batch = collect(*array->query(query));
  std::string out = result_json(batch, dialect_of(array->schema()));
  out += '\n';
  std::fwrite(out.data(), 1, out.size(), stdout);
  return kOk;
}

}  // namespace

void describe_read(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ReadFlags>();
  verb.argument("uri", flags->uri, "the array").option("--query", flags->query_file, "FILE", "the request as a JSON document; - is stdin");
  flags->open.describe(verb);
  verb.run([flags, &globals] { return read(*flags, globals); });
}

void describe_head(Verb verb, Globals&) { verb.run([] { return kOk; }); }

}  // namespace tegula::cli
