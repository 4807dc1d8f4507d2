// `tegula ls` and `tegula tree`: arrays, groups and tables below a folder.
#include <algorithm>

#include "base/fail.h"
#include "format/open.h"
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

struct Item {
  std::string name;
  std::string uri;
  Found found;
};

// What a plain folder holds, one level down.
std::vector<Item> folder_items(const std::string& uri, const Store& store) {
  std::vector<Item> items;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder || entry.name.starts_with(kTemporaryPrefix)) continue;
    const std::string below = join(uri, entry.name);
    items.push_back({entry.name, below, probe(below)});
  }
  return items;
}

std::vector<Item> items_of(const std::string& uri, const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = store_of(uri, globals);
  Found found = probe(*store);
  // A folder without a group's own document may hold arrays of several formats.
  const bool document = store->has("zarr.json") || store->has(".zgroup");
  if (found.kind == ObjectKind::group && found.format.starts_with("zarr") && !document) found = {};
  std::vector<Item> items;
  if (found.kind == ObjectKind::array) return {{"", uri, found}};
  if (found.kind == ObjectKind::group) {
    for (Member& member : open_group(store, flags.open.options(globals))->members()) {
      Found what{member.kind, found.format};
      items.push_back({std::move(member.name), std::move(member.uri), std::move(what)});
    }
  } else {
    items = folder_items(uri, *store);
    if (items.empty() && store->list("").empty())
      fail(ErrorKind::not_found, "'{}': there is no such folder, or it is empty", uri);
  }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.name < b.name; });
  return items;
}

std::string axes_text(const Schema& schema) {
  std::string text;
  for (const Dimension& d : schema.dimensions) {
    text += text.empty() ? "" : " x ";
    try {
      Schema one;
      one.dimensions = {d};
      text += fmt::format("{}", one.shape()[0]);
    } catch (const Error&) {
      text += d.name;
    }
  }
  return text;
}

// One line on an item; an array that does not open is listed with the reason.
std::vector<std::string> item_row(const Item& item, const Flags& flags, const Globals& globals) {
  if (item.found.kind == ObjectKind::group) return {item.name + "/", item.found.format + " group", "", ""};
  if (item.found.kind == ObjectKind::none) return {item.name + "/", "folder", "", ""};
  try {
    const std::shared_ptr<Array> array = open_array(item.uri, flags.open, globals);
    const Schema& schema = array->schema();
    std::string fields;
    for (const Attribute& a : schema.attributes)
      fields += (fields.empty() ? "" : ", ") + (a.name.empty() ? "" : a.name + " ") + display_name(a.type);
    if (fields.size() > 60) fields = fmt::format("{} fields", schema.attributes.size());
    return {item.name, what_it_is(schema), axes_text(schema), fields};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {item.name, item.found.format + " array", "", fmt::format("does not open: {}", error.what())};
  }
}

void write_item(JsonWriter& json, const Item& item) {
  constexpr const char* kKinds[] = {"folder", "array", "group"};
  json.key("name").text(item.name).key("uri").text(item.uri).key("kind").text(
      kKinds[static_cast<std::size_t>(item.found.kind)]);
  json.key("format").text(item.found.format);
}

int list(const Flags& flags, const Globals& globals) {
  std::vector<Item> items = items_of(flags.uri, flags, globals);
  JsonWriter json;
  json.begin('[');
  std::vector<std::vector<std::string>> rows;
  for (Item& item : items) {
    globals.work.check();
    if (item.name.empty()) item.name = flags.uri;
    if (globals.json) {
      json.begin('{');
      write_item(json, item);
      json.end('}');
    } else {
      rows.push_back(item_row(item, flags, globals));
    }
  }
  print(globals.json ? json.end(']').line() : aligned(rows, ""));
  return kOk;
}

// What is looked into, from the root of the tree on. Members may point back at their group, under several names even:
// what is being looked into already is not entered again.
using Path = std::vector<std::string>;
constexpr std::size_t kDeepest = 64;

bool enters(const Path& path, const Item& item) {
  return item.found.kind != ObjectKind::array && path.size() < kDeepest &&
         std::find(path.begin(), path.end(), item.uri) == path.end();
}

Path below(Path path, const Item& item) {
  path.push_back(item.uri);
  return path;
}

void tree_lines(const std::vector<Item>& items, const std::string& indent, const Path& path, const Flags& flags,
                const Globals& globals) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    globals.work.check();
    const bool last = i + 1 == items.size();
    std::string line;
    for (const std::string& cell : item_row(items[i], flags, globals))
      if (!cell.empty()) line += (line.empty() ? "" : "  ") + cell;
    print(fmt::format("{}{}{}\n", indent, last ? "└── " : "├── ", line));
    if (enters(path, items[i]))
      tree_lines(items_of(items[i].uri, flags, globals), indent + (last ? "    " : "│   "), below(path, items[i]),
                 flags, globals);
  }
}

void tree_json(JsonWriter& json, const std::vector<Item>& items, const Path& path, const Flags& flags,
               const Globals& globals) {
  json.begin('[');
  for (const Item& item : items) {
    json.begin('{');
    write_item(json, item);
    if (enters(path, item)) {
      json.key("members");
      tree_json(json, items_of(item.uri, flags, globals), below(path, item), flags, globals);
    }
    json.end('}');
  }
  json.end(']');
}

int tree(const Flags& flags, const Globals& globals) {
  std::vector<Item> items = items_of(flags.uri, flags, globals);
  for (Item& item : items)
    if (item.name.empty()) item.name = ".";
  if (globals.json) {
    JsonWriter json;
    tree_json(json, items, {flags.uri}, flags, globals);
    print(json.line());
  } else {
    print(flags.uri + "\n");
    tree_lines(items, "", {flags.uri}, flags, globals);
  }
  return kOk;
}

}  // namespace

void describe_ls(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a folder or group");
  flags->open.describe_key(verb);
  verb.examples("  tegula ls .\n  tegula ls climate.zarr --json").run([flags, &globals] {
    return list(*flags, globals);
  });
}

void describe_tree(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a folder or group");
  flags->open.describe_key(verb);
  verb.examples("  tegula tree climate.zarr").run([flags, &globals] { return tree(*flags, globals); });
}

}  // namespace tegula::cli
