// `tegula tree`: arrays, groups and tables below a folder, at any depth.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/verbs.h"
#include "output/output.h"
#include "query/request/value_text.h"
#include "run/listed_items.h"
#include "tegula/error.h"

namespace tegula::cli {

namespace {

// The places from the root of the tree to an item. Members may refer back to their group, and links to a folder above
// them: a place that is already in the path is not entered again.
using Path = std::vector<std::string>;
constexpr std::size_t kDeepest = 64;

std::string place(const std::string& uri) {
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(uri, unknown);
  return unknown ? uri : real.string();
}

bool enters(const Path& path, const Item& item) {
  return item.trouble.empty() && item.found.kind != ObjectKind::array && path.size() < kDeepest &&
         std::find(path.begin(), path.end(), place(item.uri)) == path.end();
}

// Fills in the members of an item; returns why that failed, or nothing.
std::string look_into(const Item& item, std::vector<Item>& found, const ListFlags& flags, const Globals& globals) {
  try {
    found = items_of(item.uri, flags, globals);
    return "";
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return error.what();
  }
}

Path below(Path path, const Item& item) {
  path.push_back(place(item.uri));
  return path;
}

void tree_lines(const std::vector<Item>& items, const std::string& indent, const Path& path, const ListFlags& flags,
                const Globals& globals) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    globals.work.check();
    const bool last = i + 1 == items.size();
    std::string line;
    for (const std::string& cell : item_row(items[i], flags, globals))
      if (!cell.empty()) line += (line.empty() ? "" : "  ") + visible(cell);
    print(fmt::format("{}{}{}\n", indent, last ? "└── " : "├── ", line));
    if (!enters(path, items[i])) continue;
    const std::string deeper = indent + (last ? "    " : "│   ");
    std::vector<Item> found;
    if (const std::string trouble = look_into(items[i], found, flags, globals); trouble.empty())
      tree_lines(found, deeper, below(path, items[i]), flags, globals);
    else
      print(fmt::format("{}└── does not open: {}\n", deeper, trouble));
  }
}

void tree_json(JsonWriter& json, const std::vector<Item>& items, const Path& path, const ListFlags& flags,
               const Globals& globals) {
  json.begin('[');
  for (const Item& item : items) {
    json.begin('{');
    write_item(json, item, flags, globals);
    std::vector<Item> found;
    const bool inside = enters(path, item);
    const std::string trouble = inside ? look_into(item, found, flags, globals) : "";
    if (!trouble.empty()) json.key("error").text(trouble);
    if (inside && trouble.empty()) {
      json.key("members");
      tree_json(json, found, below(path, item), flags, globals);
    }
    json.end('}');
  }
  json.end(']');
}

int tree(const ListFlags& flags, const Globals& globals) {
  std::vector<Item> items = items_of(flags.uri, flags, globals);
  for (Item& item : items)
    if (item.name.empty()) item.name = ".";
  if (globals.json) {
    JsonWriter json;
    tree_json(json, items, {place(flags.uri)}, flags, globals);
    print(json.line());
  } else {
    print(flags.uri + "\n");
    tree_lines(items, "", {place(flags.uri)}, flags, globals);
  }
  return kOk;
}

}  // namespace

void describe_tree(Verb verb, Globals& globals) {
  auto flags = std::make_shared<ListFlags>();
  verb.argument("uri", flags->uri, "a folder or group");
  flags->open.describe_key(verb);
  verb.examples("  tegula tree climate.zarr").run([flags, &globals] { return tree(*flags, globals); });
}

}  // namespace tegula::cli
