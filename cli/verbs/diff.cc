// `tegula diff`: do two arrays hold the same values?
#include "app/verbs.h"
#include "convert/compare.h"
#include "format/registry/dialect.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string left, right;
  OpenFlags open;
  std::string right_key;
};

std::string index_text(const std::vector<std::uint64_t>& index) {
  std::string text = "[";
  for (const std::uint64_t i : index) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", i);
  return text + "]";
}

int diff(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> left = open_array(flags.left, flags.open, globals);
  OpenFlags right_flags = flags.open;
  if (!flags.right_key.empty()) right_flags.key = flags.right_key;
  const std::shared_ptr<Array> right = open_array(flags.right, right_flags, globals);
  const Comparison report = compare(*left, *right, globals.work);
  const Dialect from = dialect_of(left->schema()), to = dialect_of(right->schema());
  if (globals.json) {
    JsonWriter json;
    json.begin('{')
        .key("same")
        .number(report.same())
        .key("cells")
        .number(report.cells)
        .key("different")
        .number(report.different);
    json.key("schema").begin('[');
    for (const std::string& line : report.schema) json.text(line);
    json.end(']').key("first").begin('[');
    for (const Difference& d : report.first) {
      std::string a, b;
      append_json_cell(a, d.left, 0, from);
      append_json_cell(b, d.right, 0, to);
      json.begin('{').key("field").text(d.field).key("index").begin('[');
      for (const std::uint64_t i : d.index) json.number(i);
      json.end(']').key("left").raw(a).key("right").raw(b).end('}');
    }
    print(json.end(']').end('}').line());
    return report.same() ? kOk : kProblems;
  }
  for (const std::string& line : report.schema) print(line + "\n");
  for (const Difference& d : report.first) {
    std::string line = (d.field.empty() ? "" : d.field + " ") + index_text(d.index) + ": ";
    append_plain_cell(line, d.left, 0, from);
    line += " | ";
    append_plain_cell(line, d.right, 0, to);
    print(line + "\n");
  }
  if (report.different > report.first.size())
    print(fmt::format("... {} more\n", report.different - report.first.size()));
  if (report.same() && !globals.quiet) print(fmt::format("the same: {} values compared\n", report.cells));
  if (report.different) print(fmt::format("{} of {} values differ\n", report.different, report.cells));
  return report.same() ? kOk : kProblems;
}

}  // namespace

void describe_diff(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("left", flags->left, "an array")
      .argument("right", flags->right, "the array to compare with, of any format");
  flags->open.describe_key(verb);
  verb.option("--right-key", flags->right_key, "HEX", "key of the second array, if it differs")
      .examples("  tegula diff temps temps.zarr && echo same")
      .run([flags, &globals] { return diff(*flags, globals); });
}

}  // namespace tegula::cli
