#include "format/zarr/create.h"

#include <algorithm>

#include "base/context.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "format/zarr/array.h"
#include "format/zarr/meta/copies_around.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/original.h"
#include "format/zarr/meta/v1.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"

namespace tegula::zarr {

namespace {

// The document is removed first, so that an interruption never leaves half an array.
void clear(Store& store, const Node& node) {
  store.remove(node.kind == ObjectKind::group ? kDocuments[node.version].group : kDocuments[node.version].array);
  store.sync_folder("");  // else a power cut may bring the document back, and not the chunks
  for (const Entry& entry : store.list("")) {
    if (entry.folder)
      store.remove_tree(entry.name);
    else
      store.remove(entry.name);
  }
  store.sync_folder("");  // old chunks must not show in the new array
}

Json axis_attribute(const Schema& schema) {
  Json attributes = Json::object();
  Json names = Json::array();
  bool own = false;
  for (std::size_t a = 0; a < schema.dimensions.size(); ++a) {
    names.push_back(schema.dimensions[a].name);
    own |= !schema.dimensions[a].name.empty() && schema.dimensions[a].name != "dim_" + std::to_string(a);
  }
  if (own) attributes["_ARRAY_DIMENSIONS"] = names;
  return attributes;
}

// The document is what the caller asked for: an error in it is an invalid argument, not damage.
auto as_asked(auto&& make) {
  try {
    const ContextNode::Adopt alone(nullptr);
    return make();
  } catch (const Error& error) {
    const ErrorKind kind = error.kind() == ErrorKind::corrupt ? ErrorKind::invalid_argument : error.kind();
    fail(kind, "{}", error_message(error));
  }
}

}  // namespace

void make_room(const std::shared_ptr<Store>& store, bool overwrite) {
  const Node there = find_node(*store);
  if (there.kind == ObjectKind::none) {
    const auto temporary = [](const Entry& entry) { return entry.name.starts_with(kTemporaryPrefix); };
    if (!std::ranges::all_of(store->list(""), temporary))
      fail(ErrorKind::invalid_argument, "the folder holds something else already");
    return;
  }
  if (!overwrite)
    fail(ErrorKind::invalid_argument, "there is already a zarr {} here; pass overwrite to replace it",
         there.kind == ObjectKind::group ? "group" : "array");
  const CopiesAround copies(store, there.version, there.kind);
  clear(*store, there);
  copies.refresh(true);
}

std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  constexpr Json (*kMake[])(const Schema&) = {document_original, document_v1, document_v2, document_v3};
  constexpr ArrayMeta (*kParse[])(ByteView, std::string_view) = {parse_original, parse_v1, parse_v2, parse_v3};
  const int version = schema.format.back() - '0';
  if (options.format_version && *options.format_version != static_cast<std::uint32_t>(version))
    fail(ErrorKind::invalid_argument, "format {} has no version {}", schema.format, *options.format_version);
  // Made and parsed before anything is changed: a schema that the format cannot express must not remove what is there.
  const std::string document = as_asked([&] { return dump_document(kMake[version](schema), version); });
  ArrayMeta meta = as_asked([&] { return kParse[version](bytes_of(document), kDocuments[version].array); });
  if (version == 1 || version == 2) meta.attributes = axis_attribute(schema);

  const CopiesAround copies(store, version, ObjectKind::array);
  make_room(store, options.overwrite);
  make_groups_around(*store, version);
  if (version == 0) store->make_folder("__zdata__");
  if (version == 1 || (version == 2 && !meta.attributes.empty()))
    store->put_text(kDocuments[version].attributes, dump_document(meta.attributes, version));
  store->put_text(kDocuments[version].array, document);
  copies.refresh();
  return std::make_shared<ZarrArray>(std::move(store), std::move(meta), Missing::fill);
}

}  // namespace tegula::zarr
