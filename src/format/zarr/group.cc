#include "format/zarr/group.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/chunk/chunk_locks.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/create.h"
#include "format/zarr/meta/consolidated.h"
#include "format/zarr/meta/copies_around.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/metadata.h"
#include "format/zarr/meta/v3.h"

namespace tegula::zarr {

namespace {

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
  void consolidate(const WriteOptions& options) override {
    check_document();
    zarr::consolidate(*store_, version_, options.work);
  }
  std::vector<Problem> verify(const Work& work) const override;

 private:
  // Throws unless it is more than a plain folder.
  void check_document() const {
    if (!store_->has(kDocuments[version_].group))
      fail(ErrorKind::unsupported, "'{}' is a plain folder; it holds metadata once it is made a group",
           store_->describe(""));
  }

  std::shared_ptr<Store> store_;
  ChunkLocks locks_;
  int version_;
  std::string format_;
  std::vector<Member> members_;
  mutable std::mutex mutex_;
  Json attributes_;
};

void ZarrGroup::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes, const WriteOptions&) {
  const std::lock_guard lock(locks_.document());
  check_document();
  const CopiesAround copies(store_, version_, ObjectKind::group);
  Json attributes = change_attributes(*store_, version_, changes);
  {
    const std::lock_guard attributes_lock(mutex_);
    attributes_ = std::move(attributes);
  }
  copies.refresh();
}

std::vector<Problem> ZarrGroup::verify(const Work& work) const {
  try {
    std::vector<Problem> problems = stale_copies(*store_, version_, work);
    for (Problem& problem : CopiesAround(store_, version_, ObjectKind::group).stale())
      if (problem.file != store_->describe(file_of_copies(version_))) problems.push_back(std::move(problem));
    return problems;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return {{Problem::Severity::damage, std::string(file_of_copies(version_)), error.what(), ""}};
  }
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
void learn_documents(KnownStore& store, const std::vector<std::string>& folders) {
  std::vector<std::string> keys;
  for (const std::string& folder : folders) {
    keys.push_back(join(folder, "zarr.json"));
    if (store.complete()) continue;  // of the others only the names count
    for (const char* name : {".zarray", ".zgroup", "__zmeta__", "attrs", "meta"}) keys.push_back(join(folder, name));
  }
  store.learn_files(keys);
}

using Kinds = std::map<std::string, ObjectKind>;

// Looks at every folder below a group, but for those of which `known` tells the kind; one without documents is a group
// if there are nodes below it.
std::vector<Member> listed_members(KnownStore& store, const Kinds& known = {}) {
  MemberList members(store);
  std::vector<std::string> folders, unknown;
  for (Entry& entry : store.list(""))
    if (entry.folder && !entry.name.starts_with(kTemporaryPrefix)) folders.push_back(std::move(entry.name));
  std::ranges::copy_if(folders, std::back_inserter(unknown), [&](const auto& name) { return !known.contains(name); });
  if (store.hints().remote()) learn_documents(store, unknown);
  for (const std::string& name : folders) {
    if (const auto kind = known.find(name); kind != known.end()) {
      members.add(name, kind->second);
      continue;
    }
    const Node node = find_node(store, name);
    if (node.kind != ObjectKind::none) {
      members.add(name, node.kind);
      continue;
    }
    for (const Entry& below : store.list(name))
      if (below.folder && find_node(store, join(name, below.name)).kind != ObjectKind::none) {
        members.add(name, ObjectKind::group);
        break;
      }
  }
  return members.take();
}

// The members that consolidated metadata names. Of format 2 "deep/er/y/.zarray" makes "deep" one; its own document says
// which kind.
Kinds copied_kinds(const Json& copies, int version) {
  Kinds kinds;
  for (const auto& [path, copy] : copies.items()) {
    const std::size_t slash = path.find('/');
    if (path.empty() || (version == 2 && slash == std::string::npos)) continue;
    const std::string name = path.substr(0, slash);
    const bool own = version == 2 ? path == name + "/.zarray" : slash == std::string::npos;
    const bool array = own && (version == 2 || (copy.is_object() && copy.value("node_type", Json()) == "array"));
    const auto [at, first] = kinds.try_emplace(name, ObjectKind::group);
    if (array) at->second = ObjectKind::array;
  }
  return kinds;
}

// Consolidated metadata may be older than what it is a copy of. It counts where names cannot be listed; of a remote
// group it spares the documents of members that are still there.
std::vector<Member> members_of(KnownStore& store, const Json* copies, int version) {
  if (!copies) return listed_members(store);
  const Kinds kinds = copied_kinds(*copies, version);
  const auto copied = [&] {
    MemberList members(store);
    for (const auto& [name, kind] : kinds) members.add(name, kind);
    return members.take();
  };
  if (!store.hints().lists) return copied();
  try {
    return listed_members(store, store.hints().remote() ? kinds : Kinds());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission || !store.hints().remote()) throw;
    return copied();  // who may not list may still read
  }
}

Json group_document_in(const KnownStore& known, int version) {
  const std::string key(kDocuments[version].group), name = known.describe(key);
  Json document = parse_json(known.get(key).value_or(Bytes{}), name);
  if (!document.is_object() || member(document, "zarr_format") != version)
    fail(ErrorKind::corrupt, "{} does not say zarr_format {}", name, version);
  return document;
}

std::shared_ptr<Group> open_v2(std::shared_ptr<Store> store, KnownStore& known) {
  group_document_in(known, 2);
  const std::string file(file_of_copies(2)), name = store->describe(file);
  const std::optional<Bytes> text = known.get(file);
  const Json contents = text ? parse_json(*text, name) : Json();
  const Json* copies = text ? copies_in(contents, 2, name) : nullptr;
  Json attributes = load_attributes(known, 2);
  std::vector<Member> members = members_of(known, copies, 2);
  return std::make_shared<ZarrGroup>(std::move(store), 2, std::move(members), std::move(attributes));
}

std::shared_ptr<Group> open_v3(std::shared_ptr<Store> store, KnownStore& known) {
  const Json document = group_document_in(known, 3);
  check_extensions(document, kGroupKeys, store->describe("zarr.json"));
  Json attributes = load_attributes(known, 3);
  std::vector<Member> members = members_of(known, copies_in(document, 3, store->describe("zarr.json")), 3);
  return std::make_shared<ZarrGroup>(std::move(store), 3, std::move(members), std::move(attributes));
}

}  // namespace

int implicit_group(const Store& store) {
  if (!store.hints().lists) return -1;
  for (const Entry& entry : store.list("")) {
    if (entry.folder && entry.name.starts_with(kTemporaryPrefix)) continue;
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
  const CopiesAround copies(store, version, ObjectKind::group);
  if (!implicit) make_room(store, options.overwrite);
  make_groups_around(*store, version);
  store->put_text(kDocuments[version].group, dump_document(group_document(version), version));
  copies.refresh();
  KnownStore known(*store);
  return open_zarr_group(std::move(store), known);
}

}  // namespace tegula::zarr
