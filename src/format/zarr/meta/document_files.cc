#include "format/zarr/meta/document_files.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/metadata.h"
#include "format/zarr/meta/original.h"
#include "format/zarr/meta/v1.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"
#include "store/replace_file.h"

namespace tegula::zarr {

namespace {

Json load_document(const Store& store, std::string_view key) {
  const std::optional<Bytes> text = store.get(key);
  if (!text) return nullptr;
  return parse_json(*text, store.describe(key));
}

// Other formats have folders of these names: bcolz has `meta/`.
bool has_file(const Store& store, std::string_view folder, std::string_view name) {
  try {
    return store.has(join(folder, name));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    const std::vector<Entry> entries = store.list(folder);
    if (std::ranges::any_of(entries, [&](const Entry& entry) { return entry.folder && entry.name == name; }))
      return false;
    throw;
  }
}

}  // namespace

Node find_node(const Store& store, std::string_view path) {
  auto has = [&](std::string_view name) { return has_file(store, path, name); };
  if (has("zarr.json")) {
    const std::string key = join(path, "zarr.json");
    const Json document = load_document(store, key);
    // A damaged document counts as that of an array, so that opening it reports the damage.
    const bool group = document.is_object() && document.contains("node_type") && document["node_type"] == "group";
    return {group ? ObjectKind::group : ObjectKind::array, 3};
  }
  if (has(".zarray")) return {ObjectKind::array, 2};
  if (has(".zgroup")) return {ObjectKind::group, 2};
  if (has("__zmeta__")) return {ObjectKind::array, 0};
  if (has("attrs") && has("meta")) return {ObjectKind::array, 1};
  return {};
}

ArrayMeta parse_meta(ByteView text, int version) {
  constexpr ArrayMeta (*kParse[])(ByteView, std::string_view) = {parse_original, parse_v1, parse_v2, parse_v3};
  return kParse[version](text, kDocuments[version].array);
}

ArrayMeta load_meta(const Store& store, int version) {
  const std::string_view key = kDocuments[version].array;
  const std::string name = store.describe(key);
  const std::optional<Bytes> text = store.get(key);
  if (!text) fail(ErrorKind::not_found, "there is no '{}'", name);
  const Context doing([&] { return fmt::format("reading '{}'", name); });
  ArrayMeta meta = parse_meta(*text, version);
  if (version != 3) meta.attributes = load_attributes(store, version);
  return meta;
}

namespace {

// The attributes in the document that holds them; null stands for an absent one.
Json attributes_in(const Json& document, int version, const std::string& name) {
  // Version 3 keeps them in the document of the array or group itself: without it there is no array.
  if (version == 3 && document.is_null()) fail(ErrorKind::not_found, "there is no '{}'", name);
  const bool inside = version == 3 && document.is_object();
  Json attributes = inside ? document.value("attributes", Json()) : document;
  if (attributes.is_null()) return Json::object();
  if (!attributes.is_object()) fail(ErrorKind::corrupt, "the attributes in '{}' are not an object", name);
  return attributes;
}

}  // namespace

Json load_attributes(const Store& store, int version) {
  const std::string_view key = kDocuments[version].attributes;
  return attributes_in(load_document(store, key), version, store.describe(key));
}

Json change_attributes(Store& store, int version, const std::map<std::string, std::optional<MetaValue>>& changes) {
  const std::string key(kDocuments[version].attributes), name = store.describe(key);
  Json attributes;
  replace_file(store, key, [&](std::optional<ByteView> old) {
    Json document = old ? parse_json(*old, name) : Json();
    attributes = attributes_in(document, version, name);
    change_attributes(attributes, changes);
    if (version == 3)
      document["attributes"] = attributes;
    else
      document = attributes;
    return copy_of(bytes_of(dump_document(document, version)));
  });
  return attributes;
}

}  // namespace tegula::zarr
