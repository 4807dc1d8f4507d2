// Details files of version 2 are replayed in order. Every change is therefore a file of its own, with the one member
// that is added or removed: two writers at once do not undo each other's changes, as they would with whole lists.
#include "format/tiledb/group.h"

#include <algorithm>
#include <filesystem>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/create.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/object_kind.h"
#include "format/tiledb/read/group_contents.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/write/metadata_write.h"
#include "store/open/open_store.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr std::uint32_t kDetailsVersion = 2;

bool has_scheme(std::string_view uri) { return uri.find("://") != std::string_view::npos; }

// The absolute path of a plain path or a file:// URI.
std::string absolute_path(std::string_view uri) {
  if (uri.starts_with(kFileScheme)) uri.remove_prefix(kFileScheme.size());
  std::string path = std::filesystem::absolute(std::filesystem::path(uri)).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool is_key(std::string_view text) {
  try {
    check_key(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Where a member lies, as the details file says it.
struct Place {
  std::string uri;
  bool relative = false;
  ObjectKind kind = ObjectKind::none;
};

Place find_member(const std::shared_ptr<Store>& store, const std::string& uri, bool absolute,
                  const StoreOptions& options) {
  const std::string here = store->describe("");
  const bool in_files = !has_scheme(here) || here.starts_with(kFileScheme);
  // The member's key below the group, however the URI spells it.
  std::string below;
  if (!has_scheme(uri) && is_key(uri) && probe(store->list(uri)) != ObjectKind::none) {
    below = uri;
  } else if (in_files && (!has_scheme(uri) || uri.starts_with(kFileScheme))) {
    const std::string group = absolute_path(here), path = absolute_path(uri);
    if (path == group) fail(ErrorKind::invalid_argument, "a group cannot hold itself");
    if (path.starts_with(group + "/")) below = path.substr(group.size() + 1);
  } else if (uri.starts_with(here + "/")) {
    below = uri.substr(here.size() + 1);
  }
  if (!below.empty()) {
    const ObjectKind kind = probe(store->list(below));
    if (!absolute) return {below, true, kind};
    if (in_files) return {std::string(kFileScheme) + absolute_path(here) + "/" + below, false, kind};
    return {store->describe(below), false, kind};
  }
  const bool path = !has_scheme(uri) || uri.starts_with(kFileScheme);
  const std::string full = path ? std::string(kFileScheme) + absolute_path(uri) : uri;
  return {full, false, probe(*open_store(full, options))};
}

// Sorts behind the files that are there already, so that the change is replayed last. Files of the same millisecond are
// replayed by name; our names follow the clock, but another library may have written the other file.
std::string next_name(const Store& store) {
  std::uint64_t time = now_ms();
  std::string newest;
  for (const Entry& entry : store.list(kGroupFolder)) {
    const auto named = parse_timed_name(entry.name);
    if (!named || named->last == UINT64_MAX || named->last < time) continue;
    newest = named->last > time ? entry.name : std::max(newest, entry.name);
    time = named->last;
  }
  const std::string name = make_timed_name(time, time, make_ordered_uuid(), kDetailsVersion);
  return name > newest ? name : make_timed_name(time + 1, time + 1, make_ordered_uuid(), kDetailsVersion);
}

// The first file of version 2 behind files of version 1 has to repeat their list: version 1 files are whole lists.
bool has_old_details(const Store& store, const Key& key) {
  const std::vector<std::string> files = timed_files(store, kGroupFolder, {});
  if (files.empty()) return false;
  const std::optional<Bytes> bytes = store.get(files.back());
  if (!bytes) return true;
  Cursor in(*bytes, store.describe(files.back()));
  const GenericTile tile = decode_generic_tile(in, key);
  return decode_group(Cursor(tile.payload, store.describe(files.back()) + " (unpacked)")).version < kDetailsVersion;
}

void put_change(Store& store, const Key& key, GroupMember member) {
  GroupDetails details;
  details.version = kDetailsVersion;
  if (!store.list(kGroupFolder).empty() ? has_old_details(store, key) : true)
    for (GroupMember& there : read_group(store, key, {}))
      if (there.key() != member.key()) details.members.push_back(std::move(there));
  details.members.push_back(std::move(member));
  Bytes payload, file;
  encode_group(details, payload);
  encode_generic_tile(payload, kWriteVersion, key, file);
  store.put(join(kGroupFolder, next_name(store)), file);
}

}  // namespace

TiledbGroup::TiledbGroup(std::shared_ptr<Store> store, const OpenOptions& options)
    : store_(std::move(store)), sync_(options.sync), storage_(options.storage), key_(make_key(options.key)) {
  if (options.at) window_ = {options.at->first, options.at->second};
}

std::vector<Member> TiledbGroup::members() const {
  std::vector<Member> members;
  for (const GroupMember& member : read_group(*store_, key_, window_))
    members.push_back({member.key(), member.relative ? store_->describe(member.uri) : member.uri, member.kind});
  return members;
}

Metadata TiledbGroup::metadata() const { return read_metadata(*store_, key_, window_); }

void TiledbGroup::add(const std::string& uri, std::string_view name, bool absolute) {
  const Context doing([&] { return fmt::format("adding '{}' to group '{}'", uri, store_->describe("")); });
  Place place = find_member(store_, uri, absolute, {.sync = sync_, .settings = storage_});
  if (place.kind == ObjectKind::none) fail(ErrorKind::not_found, "there is no TileDB array or group");
  GroupMember member;
  member.kind = place.kind;
  member.relative = place.relative;
  member.uri = std::move(place.uri);
  if (!name.empty()) member.name = std::string(name);
  for (const GroupMember& there : read_group(*store_, key_, {}))
    if (there.key() == member.key())
      fail(ErrorKind::invalid_argument, "the group has a member '{}' already; remove it first or choose another name",
           member.key());
  put_change(*store_, key_, std::move(member));
}

void TiledbGroup::remove(std::string_view name) {
  const Context doing([&] { return fmt::format("removing '{}' from group '{}'", name, store_->describe("")); });
  std::vector<GroupMember> members = read_group(*store_, key_, {});
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const GroupMember& m) { return m.key() == name; });
  if (found == members.end()) fail(ErrorKind::not_found, "the group has no such member");
  found->deleted = true;
  put_change(*store_, key_, std::move(*found));
}

void TiledbGroup::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                                  const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing the metadata of group '{}'", store_->describe("")); });
  put_metadata(*store_, changes, kWriteVersion, key_, options.at != 0 ? options.at : now_ms());
}

// When this is stopped, it leaves nothing or an empty group: a group without __group lists its sub-folders, of which
// there are none yet.
std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view, const CreateOptions& options) {
  make_room(*store, options.overwrite);
  store->make_folder(kMetadataFolder);
  store->put(kGroupFile, ByteView());
  store->make_folder(kGroupFolder);
  OpenOptions open;
  open.key = options.key;
  open.sync = options.sync;
  open.work = options.work;
  return std::make_shared<TiledbGroup>(std::move(store), open);
}

}  // namespace tegula::tiledb
