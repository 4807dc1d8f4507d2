#include "run/copy_tree.h"

#include <algorithm>

#include "base/fail.h"
#include "convert/tree/convert_tree.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"
#include "tegula/work.h"

namespace tegula::cli {

namespace {

std::string shown(const TreeItem& item) { return item.path.empty() ? "." : item.path; }

std::string what(const TreeItem& item, const TreePlan& plan) {
  if (!item.group) return what_it_is(item.target.schema);
  return capabilities(plan.format).groups ? "group" : "folder";
}

bool lossy(const TreePlan& plan) {
  return std::ranges::any_of(plan.items, [](const TreeItem& item) { return !item.losses.empty(); });
}

std::string items_text(const TreePlan& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const TreeItem& item : plan.items)
    rows.push_back({shown(item), what(item, plan),
                    fmt::format("from {}{}", item.source, item.field ? ", field '" + *item.field + "'" : "")});
  return aligned(rows, "  ");
}

std::vector<std::string> losses_of(const TreePlan& plan) {
  std::vector<std::string> out;
  for (const TreeItem& item : plan.items)
    for (const std::string& loss : item.losses) out.push_back(fmt::format("{}: {}", item.source, loss));
  return out;
}

struct Totals {
  std::uint64_t arrays = 0, source_bytes = 0, bytes = 0, cells = 0, different = 0;
  bool same = true;
};

Totals totals_of(const TreePlan& plan, const CopiedTree* made) {
  Totals out;
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    out.arrays += plan.items[i].group ? 0 : 1;
    if (!made) continue;
    const CopiedItem& item = made->items[i];
    out.source_bytes += item.source_bytes;
    out.bytes += item.bytes;
    if (!item.compared) continue;
    out.cells += item.compared->cells;
    out.different += item.compared->different;
    out.same = out.same && item.compared->same();
  }
  return out;
}

std::string report_json(const CopyFlags& flags, const TreePlan& plan, const CopiedTree* made) {
  JsonWriter json;
  json.begin('{').key("uri").text(flags.to).key("dry_run").number(!made).key("format").text(plan.format);
  if (made) json.key("resumed").number(made->resumed);
  json.key("losses").begin('[');
  for (const std::string& loss : losses_of(plan)) json.text(loss);
  json.end(']').key("items").begin('[');
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    const TreeItem& item = plan.items[i];
    json.begin('{').key("path").text(item.path).key("kind").text(item.group ? "group" : "array");
    json.key("source").text(item.source);
    if (item.field) json.key("field").text(*item.field);
    if (made && !item.group) {
      json.key("source_bytes").number(made->items[i].source_bytes).key("bytes").number(made->items[i].bytes);
      json.key("chunks_passed").number(made->items[i].passed);
      if (const std::optional<Comparison>& compared = made->items[i].compared)
        json.key("compared").number(compared->cells).key("different").number(compared->different);
    }
    json.end('}');
  }
  json.end(']');
  if (made && flags.verify) {
    const Totals all = totals_of(plan, made);
    json.key("compared").number(all.cells).key("different").number(all.different).key("same").number(all.same);
  }
  return json.end('}').line();
}

void print_report(const CopyFlags& flags, const TreePlan& plan, const CopiedTree& made) {
  for (const std::string& loss : losses_of(plan)) std::fprintf(stderr, "lost: %s\n", loss.c_str());
  const Totals all = totals_of(plan, &made);
  std::string line = fmt::format("{}: {} {}, {} of {}", flags.to, all.arrays, all.arrays == 1 ? "array" : "arrays",
                                 format_size(all.bytes), format_size(all.source_bytes));
  if (made.resumed) line += ", went on where it had been stopped";
  if (flags.verify) line += fmt::format(", {} values compared, {} differ", all.cells, all.different);
  print(line + "\n" + items_text(plan));
}

}  // namespace

TreeSource tree_source(const CopyFlags& flags, const Globals& globals) {
  TreeSource source;
  source.uri = flags.from;
  source.store = [&globals](const std::string& uri) { return store_of(uri, globals); };
  source.open = flags.open.options(globals);
  return source;
}

int copy_tree(const CopyFlags& flags, const ConvertOptions& options, const Globals& globals) {
  const TreeSource source = tree_source(flags, globals);
  const TreePlan plan = plan_tree(source, options.target, globals.work);
  if (!source.open.key.empty() && options.create.key.empty() && !flags.lossy)
    fail(ErrorKind::unsupported,
         "the source is encrypted, the copy would not be; --new-key HEX encrypts a TileDB copy, --lossy goes on "
         "without");
  if (flags.dry_run) {
    std::string text = items_text(plan);
    for (const std::string& loss : losses_of(plan)) text += "would lose " + loss + "\n";
    print(globals.json ? report_json(flags, plan, nullptr) : text);
    return !lossy(plan) || flags.lossy ? kOk : kProblems;
  }
  if (lossy(plan) && !flags.lossy) {
    std::string text = plan.format + " cannot hold:";
    for (const std::string& loss : losses_of(plan)) text += "\n  " + loss;
    fail(ErrorKind::unsupported, "{}\nWith --lossy the rest is copied.", text);
  }
  const TargetStore to = target_of(flags.to, globals, flags.overwrite);
  if (to.archive && flags.verify)
    fail(ErrorKind::unsupported, "--verify does not compare trees in archives; copy to a folder, or leave it out");
  CopiedTree made;
  try {
    made = convert_tree(source, plan, to.store, options, globals.work);
    to.finish(globals.work);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled && !globals.quiet && !to.archive)
      std::fprintf(stderr, "%s is unfinished; the same command goes on with it\n", flags.to.c_str());
    throw;
  }
  if (globals.json)
    print(report_json(flags, plan, &made));
  else if (!globals.quiet)
    print_report(flags, plan, made);
  return totals_of(plan, &made).same ? kOk : kProblems;
}

}  // namespace tegula::cli
