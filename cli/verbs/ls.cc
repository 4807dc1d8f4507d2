// `tegula ls` and `tegula tree`: arrays, groups and tables below a folder.
#include <algorithm>

#include "app/verbs.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"

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
  std::string trouble = {};  // why nobody can look
};

// What a plain folder holds, one level down.
std::vector<Item> folder_items(const std::string& uri, const Store& store) {
  std::vector<Item> items;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder || entry.name.starts_with(kTemporaryPrefix)) continue;
    Item item{entry.name, join(uri, entry.name), {}};
    try {
      item.found = probe(item.uri);
    } catch (const Error& error) {
      item.trouble = error.what();
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<Item> items_of(const std::string& uri, const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = store_of(uri, globals);
  Found found = probe(*store);
  // A folder without a group's own document may hold arrays of several formats.
  if (found.plain_folder) found = {};
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

// With the key, or without it: not everything in a folder needs to be encrypted.
std::shared_ptr<Array> open_listed(const Item& item, const Flags& flags, const Globals& globals) {
  try {
    return open_array(item.uri, flags.open, globals);
  } catch (const Error& error) {
    const bool keyed = !flags.open.key.empty() || !flags.open.key_file.empty();
    if (!keyed || error.kind() != ErrorKind::invalid_argument) throw;
    return open_array(item.uri, {}, globals);
  }
}

// One line on an item; an array that does not open is listed with the reason.
std::vector<std::string> item_row(const Item& item, const Flags& flags, const Globals& globals) {
  if (!item.trouble.empty()) return {item.name + "/", "folder", "", fmt::format("does not open: {}", item.trouble)};
  if (item.found.kind == ObjectKind::group)
    return {item.name + "/", fmt::format("{} group", family_text(item.found.format)), "", ""};
  if (item.found.kind == ObjectKind::none) return {item.name + "/", "folder", "", ""};
  try {
    const std::shared_ptr<Array> array = open_listed(item, flags, globals);
    const Schema& schema = array->schema();
    std::string fields;
    for (const Attribute& a : schema.attributes)
      fields += (fields.empty() ? "" : ", ") + (a.name.empty() ? "" : a.name + " ") + display_name(a.type);
    if (fields.size() > 60) fields = fmt::format("{} fields", schema.attributes.size());
    return {item.name, what_it_is(schema), axes_text(schema), fields};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {item.name, fmt::format("{} array", family_text(item.found.format)), "",
            fmt::format("does not open: {}", error.what())};
  }
}

// What an array is, or why it does not open.
void write_array(JsonWriter& json, const Item& item, const Flags& flags, const Globals& globals) {
  std::shared_ptr<Array> array;
  try {
    array = open_listed(item, flags, globals);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    json.key("error").text(error.what());
    return;
  }
  const Schema& schema = array->schema();
  json.key("array").text(schema.table ? "table" : schema.sparse ? "sparse" : "dense");
  if (!schema.sparse) {
    json.key("shape").begin('[');
    for (const std::uint64_t extent : schema.shape()) json.number(extent);
    json.end(']');
  }
  json.key("fields").begin('{');
  for (const Attribute& a : schema.attributes) json.key(a.name).text(display_name(a.type));
  json.end('}');
}

void write_item(JsonWriter& json, const Item& item, const Flags& flags, const Globals& globals) {
  constexpr const char* kKinds[] = {"folder", "array", "group"};
  json.key("name").text(item.name).key("uri").text(item.uri).key("kind").text(
      kKinds[static_cast<std::size_t>(item.found.kind)]);
  json.key("format").text(item.found.format);
  if (!item.trouble.empty()) json.key("error").text(item.trouble);
  if (item.found.kind == ObjectKind::array) write_array(json, item, flags, globals);
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
      write_item(json, item, flags, globals);
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
  return item.trouble.empty() && item.found.kind != ObjectKind::array && path.size() < kDeepest &&
         std::find(path.begin(), path.end(), item.uri) == path.end();
}

// The members of an item, or why there is no looking into it.
std::string look_into(const Item& item, std::vector<Item>& found, const Flags& flags, const Globals& globals) {
  try {
    found = items_of(item.uri, flags, globals);
    return "";
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return error.what();
  }
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

void tree_json(JsonWriter& json, const std::vector<Item>& items, const Path& path, const Flags& flags,
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
