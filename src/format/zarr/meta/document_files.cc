#include "format/zarr/meta/document_files.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/original.h"
#include "format/zarr/meta/v1.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"

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

ArrayMeta load_meta(const Store& store, int version) {
  constexpr ArrayMeta (*kParse[])(ByteView, std::string_view) = {parse_original, parse_v1, parse_v2, parse_v3};
  const std::string_view key = kDocuments[version].array;
  const std::string name = store.describe(key);
  const std::optional<Bytes> text = store.get(key);
  if (!text) fail(ErrorKind::not_found, "there is no '{}'", name);
  const Context doing([&] { return fmt::format("reading '{}'", name); });
  ArrayMeta meta = kParse[version](*text, key);
  if (version != 3) meta.attributes = load_attributes(store, version);
  return meta;
}

Json load_attributes(const Store& store, int version) {
  Json document = load_document(store, kDocuments[version].attributes);
  // Version 3 keeps them in the document of the array or group itself: without it there is no array.
  if (version == 3 && document.is_null())
    fail(ErrorKind::not_found, "there is no '{}'", store.describe(kDocuments[version].attributes));
  if (version == 3 && document.is_object())
    document = document.contains("attributes") ? Json(document["attributes"]) : Json(nullptr);
  if (document.is_null()) return Json::object();
  if (!document.is_object())
    fail(ErrorKind::corrupt, "the attributes in '{}' are not an object",
         store.describe(kDocuments[version].attributes));
  return document;
}

}  // namespace tegula::zarr
