#include "run/listed_items.h"

#include <algorithm>

#include "base/fail.h"
#include "format/registry/registry.h"
#include "schema/schema_text.h"

namespace tegula::cli {

namespace {

// What a plain folder holds, one level down.
std::vector<Item> folder_items(const Store& store) {
  std::vector<Item> items;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder || entry.name.starts_with(kTemporaryPrefix)) continue;
    Item item{entry.name, store.describe(entry.name), {}};
    try {
      item.found = probe(item.uri);
    } catch (const Error& error) {
      item.trouble = error.what();
    }
    items.push_back(std::move(item));
  }
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
std::shared_ptr<Array> open_listed(const Item& item, const ListFlags& flags, const Globals& globals) {
  try {
    return open_array(item.uri, flags.open, globals);
  } catch (const Error& error) {
    const bool keyed = !flags.open.key.empty() || !flags.open.key_file.empty();
    if (!keyed || error.kind() != ErrorKind::invalid_argument) throw;
    return open_array(item.uri, {}, globals);
  }
}

// What an array is, or why it does not open.
void write_array(JsonWriter& json, const Item& item, const ListFlags& flags, const Globals& globals) {
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

}  // namespace

std::vector<Item> items_of(const std::string& uri, const ListFlags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = with_needed_index(store_of(uri, globals));
  Found found = probe(*store);
  // A folder without a group's own document may hold arrays of several formats.
  if (is_plain_folder(*store)) found = {};
  std::vector<Item> items;
  if (found.kind == ObjectKind::array) return {{"", uri, found}};
  if (found.kind == ObjectKind::group) {
    for (Member& member : open_group(store, flags.open.options(globals))->members()) {
      Found what{member.kind, found.format};
      items.push_back({std::move(member.name), std::move(member.uri), std::move(what)});
    }
  } else {
    items = folder_items(*store);
    if (items.empty() && store->list("").empty())
      fail(ErrorKind::not_found, "'{}': there is no such folder, or it is empty", uri);
  }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.name < b.name; });
  return items;
}

std::vector<std::string> item_row(const Item& item, const ListFlags& flags, const Globals& globals) {
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

void write_item(JsonWriter& json, const Item& item, const ListFlags& flags, const Globals& globals) {
  constexpr const char* kKinds[] = {"folder", "array", "group"};
  json.key("name").text(item.name).key("uri").text(item.uri).key("kind").text(
      kKinds[static_cast<std::size_t>(item.found.kind)]);
  json.key("format").text(item.found.format);
  if (!item.trouble.empty()) json.key("error").text(item.trouble);
  if (item.found.kind == ObjectKind::array) write_array(json, item, flags, globals);
}

}  // namespace tegula::cli
