#include "format/zarr/group.h"

#include <mutex>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/chunk/chunk_locks.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/create.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/metadata.h"
#include "format/zarr/meta/v3.h"

namespace tegula::zarr {

namespace {

constexpr std::string_view kConsolidated = ".zmetadata";
constexpr std::string_view kGroupKeys[] = {"zarr_format", "node_type", "attributes", "consolidated_metadata"};

class ZarrGroup final : public Group {
 public:
  ZarrGroup(std::shared_ptr<Store> store, int version, std::vector<Member> members, Json attributes)
      : store_(std::move(store)),
        locks_(*store_),
        version_(version),
        format_("zarr" + std::to_string(version)),
        members_(std::move(members)),
        attributes_(std::move(attributes)) {}
  std::string_view format() const override { return format_; }
  std::vector<Member> members() const override { return members_; }
  Metadata metadata() const override {
    const std::lock_guard lock(mutex_);
    return metadata_of(attributes_);
  }
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes, const WriteOptions&) override;

 private:
  std::shared_ptr<Store> store_;
  ChunkLocks locks_;
  int version_;
  std::string format_;
  std::vector<Member> members_;
  mutable std::mutex mutex_;
  Json attributes_;
};

// Reads the document again, so that changes by others are kept. Consolidated metadata of format 2 is a copy that
// readers prefer, so it is updated too.
void ZarrGroup::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes, const WriteOptions&) {
  const DocumentNames& documents = kDocuments[version_];
  const std::lock_guard lock(locks_.document());
  const std::optional<Bytes> text = store_->get(documents.group);
  if (!text)
    fail(ErrorKind::unsupported, "'{}' is a plain folder; it holds metadata once it is made a group",
         store_->describe(""));
  Json attributes = load_attributes(*store_, version_);
  change_attributes(attributes, changes);
  if (version_ == 3) {
    Json document = parse_json(*text, store_->describe(documents.group));
    document["attributes"] = attributes;
    store_->put_text(documents.group, dump_document(document, version_));
  } else {
    store_->put_text(documents.attributes, dump_document(attributes, version_));
    if (const std::optional<Bytes> copy = store_->get(kConsolidated)) {
      Json consolidated = parse_json(*copy, store_->describe(kConsolidated));
      if (consolidated.is_object() && consolidated.contains("metadata") && consolidated["metadata"].is_object()) {
        consolidated["metadata"][std::string(documents.attributes)] = attributes;
        store_->put_text(kConsolidated, dump_document(consolidated, version_));
      }
    }
  }
  const std::lock_guard attributes_lock(mutex_);
  attributes_ = std::move(attributes);
}

class MemberList {
 public:
  explicit MemberList(const Store& store) : store_(store) {}
  void add(const std::string& name, ObjectKind kind) {
    check_key(name);
    if (seen_.insert(name).second) members_.push_back({name, store_.describe(name), kind});
  }
  std::vector<Member> take() { return std::move(members_); }

 private:
  const Store& store_;
  std::set<std::string> seen_;
  std::vector<Member> members_;
};

// The documents by which the folders are told apart, with one batch.
void learn_documents(KnownStore& store, const std::vector<Entry>& folders) {
  std::vector<std::string> keys;
  for (const Entry& entry : folders) {
    if (!entry.folder) continue;
    keys.push_back(join(entry.name, "zarr.json"));
    if (store.complete()) continue;  // of the others only the names count
    for (const char* name : {".zarray", ".zgroup", "__zmeta__", "attrs", "meta"})
      keys.push_back(join(entry.name, name));
  }
  store.learn_files(keys);
}

// Looks at every folder below a group; one without documents is a group if there are nodes below it.
std::vector<Member> listed_members(KnownStore& store) {
  MemberList members(store);
  const std::vector<Entry> entries = store.list("");
  if (store.hints().remote()) learn_documents(store, entries);
  for (const Entry& entry : entries) {
    if (!entry.folder) continue;
    const Node node = find_node(store, entry.name);
    if (node.kind != ObjectKind::none) {
      members.add(entry.name, node.kind);
      continue;
    }
    for (const Entry& below : store.list(entry.name))
      if (below.folder && find_node(store, join(entry.name, below.name)).kind != ObjectKind::none) {
        members.add(entry.name, ObjectKind::group);
        break;
      }
  }
  return members.take();
}

// "deep/er/y/.zarray" makes "deep" a member; its own document says which kind.
std::vector<Member> consolidated_v2(const Store& store, const Json& metadata) {
  MemberList members(store);
  for (const auto& [path, value] : metadata.items()) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) continue;
    const std::string name = path.substr(0, slash);
    members.add(name, metadata.contains(name + "/.zarray") ? ObjectKind::array : ObjectKind::group);
  }
  return members.take();
}

std::vector<Member> consolidated_v3(const Store& store, const Json& metadata) {
  MemberList members(store);
  for (const auto& [path, value] : metadata.items()) {
    const std::string name = path.substr(0, path.find('/'));
    if (name.empty()) continue;
    const auto node = metadata.find(name);
    const bool array =
        node != metadata.end() && node->is_object() && node->contains("node_type") && (*node)["node_type"] == "array";
    members.add(name, array ? ObjectKind::array : ObjectKind::group);
  }
  return members.take();
}

std::shared_ptr<Group> open_v2(std::shared_ptr<Store> store, KnownStore& known) {
  const Json document = parse_json(known.get(".zgroup").value_or(Bytes{}), store->describe(".zgroup"));
  if (!document.is_object() || member(document, "zarr_format") != 2)
    fail(ErrorKind::corrupt, "{} does not say zarr_format 2", store->describe(".zgroup"));
  const std::optional<Bytes> text = known.get(kConsolidated);
  if (text) {
    const Json consolidated = parse_json(*text, store->describe(kConsolidated));
    const Json& metadata = member(consolidated, "metadata");
    if (!metadata.is_object() || int_option(consolidated, "zarr_consolidated_format", 1) != 1)
      fail(ErrorKind::corrupt, "{} is not consolidated metadata of format 1", store->describe(kConsolidated));
    Json attributes =
        metadata.contains(".zattrs") && metadata[".zattrs"].is_object() ? metadata[".zattrs"] : Json::object();
    std::vector<Member> members = consolidated_v2(*store, metadata);
    return std::make_shared<ZarrGroup>(store, 2, std::move(members), std::move(attributes));
  }
  Json attributes = load_attributes(known, 2);
  return std::make_shared<ZarrGroup>(store, 2, listed_members(known), std::move(attributes));
}

std::shared_ptr<Group> open_v3(std::shared_ptr<Store> store, KnownStore& known) {
  const Json document = parse_json(known.get("zarr.json").value_or(Bytes{}), store->describe("zarr.json"));
  if (!document.is_object() || member(document, "zarr_format") != 3)
    fail(ErrorKind::corrupt, "{} does not say zarr_format 3", store->describe("zarr.json"));
  check_extensions(document, kGroupKeys, store->describe("zarr.json"));
  Json attributes =
      document.contains("attributes") && document["attributes"].is_object() ? document["attributes"] : Json::object();
  const auto it = document.find("consolidated_metadata");
  if (it != document.end() && it->is_object()) {
    const std::string kind = text_option(*it, "kind", "inline");
    const auto metadata = it->find("metadata");
    if (kind == "inline" && metadata != it->end() && metadata->is_object() && !metadata->empty()) {
      std::vector<Member> members = consolidated_v3(*store, *metadata);
      return std::make_shared<ZarrGroup>(store, 3, std::move(members), std::move(attributes));
    }
  }
  return std::make_shared<ZarrGroup>(store, 3, listed_members(known), std::move(attributes));
}

}  // namespace

int implicit_group(const Store& store) {
  if (!store.hints().lists) return -1;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder) return -1;  // an implicit group holds only folders
    if (const Node node = find_node(store, entry.name); node.kind != ObjectKind::none) return node.version;
  }
  return -1;
}

std::shared_ptr<Group> open_zarr_group(std::shared_ptr<Store> store, KnownStore& known) {
  const Node node = find_node(known);
  if (node.kind == ObjectKind::group)
    return node.version == 3 ? open_v3(std::move(store), known) : open_v2(std::move(store), known);
  const int version = node.kind == ObjectKind::none ? implicit_group(known) : -1;
  if (version < 0) fail(ErrorKind::not_found, "there is no zarr group");
  std::vector<Member> members = listed_members(known);
  return std::make_shared<ZarrGroup>(std::move(store), version, std::move(members), Json::object());
}

std::shared_ptr<Group> create_zarr_group(std::shared_ptr<Store> store, std::string_view format,
                                         const CreateOptions& options) {
  if (format != "zarr2" && format != "zarr3")
    fail(ErrorKind::unsupported, "format {} has no groups; zarr2 and zarr3 do", format);
  const int version = format.back() - '0';
  const bool implicit = find_node(*store).kind == ObjectKind::none && implicit_group(*store) == version;
  if (!implicit) make_room(*store, options.overwrite);
  Json document = {{"zarr_format", version}};
  if (version == 3) {
    document["node_type"] = "group";
    document["attributes"] = Json::object();
  }
  store->put_text(kDocuments[version].group, dump_document(document, version));
  KnownStore known(*store);
  return open_zarr_group(std::move(store), known);
}

}  // namespace tegula::zarr
