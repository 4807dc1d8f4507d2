#include "capi/files/group.h"

#include "capi/array/array.h"
#include "capi/array/metadata.h"
#include "capi/core/text.h"
#include "capi/core/uris.h"
#include "capi/files/object.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/read/group_contents.h"
#include "store/wrap/sub_store.h"
#include "tegula/error.h"

namespace tegula::capi {

namespace {

GroupState& group_of(const GroupHandle* handle) { return *checked(handle).group; }

void need_open(const GroupState& group, bool read, std::string_view what) {
  if (!group.type) refuse("Group: Cannot {}; Group is not open", what);
  if ((*group.type == QueryType::read) != read)
    refuse("Group: Cannot {}; Group was not opened in {} mode", what, read ? "read" : "write or modify_exclusive");
}

std::pair<std::uint64_t, std::uint64_t> window_of(const Config& config) {
  return {config.number("sm.group.timestamp_start"), config.number("sm.group.timestamp_end")};
}

std::shared_ptr<Group> engine_group(const GroupState& group) {
  OpenOptions options = open_options(group.config());
  options.work = work_of(*group.context);
  options.at = window_of(group.config());
  return tegula::open_group(engine_uri(group.uri, *group.context), options);
}

void open(GroupState& group, QueryType type) {
  if (group.type) refuse("Group: Cannot open group; Group already open.");
  const Place place = place_of(*group.context, group.uri);
  if (object_at(place) != ObjectType::group) refuse("Group: Cannot open group; Group does not exist.");
  group.members.clear();
  group.metadata.reset();
  if (type == QueryType::read) {
    const auto [first, last] = window_of(group.config());
    group.members = tiledb::read_group(*sub_store(place.store, place.key),
                                       tiledb::make_key(encryption_key(group.config())), {first, last});
  }
  group.type = type;
}

std::string member_uri(const GroupState& group, const tiledb::GroupMember& member) {
  std::string base = group.uri;
  while (base.ends_with('/')) base.pop_back();
  return member.relative ? base + "/" + member.uri : absolute_uri(member.uri);
}

// What the engine knows the member as: its name, or how its URI is stored.
std::string key_of(const GroupState& group, const std::string& name_or_uri) {
  const Place place = place_of(*group.context, group.uri);
  const auto members =
      tiledb::read_group(*sub_store(place.store, place.key), tiledb::make_key(encryption_key(group.config())), {});
  for (const tiledb::GroupMember& member : members)
    if (member.key() == name_or_uri) return name_or_uri;
  for (const tiledb::GroupMember& member : members)
    if (member.uri == name_or_uri || member_uri(group, member) == absolute_uri(name_or_uri)) return member.key();
  return name_or_uri;
}

void close(GroupState& group) {
  if (!group.type) return;
  const bool wrote = *group.type != QueryType::read;
  group.type.reset();
  const std::vector<GroupState::Change> changes = std::move(group.changes);
  const auto metadata = std::move(group.metadata_changes);
  group.changes.clear();
  group.metadata_changes.clear();
  if (!wrote || (changes.empty() && metadata.empty())) return;
  const std::shared_ptr<Group> engine = engine_group(group);
  for (const GroupState::Change& change : changes) {
    if (!change.add)
      engine->remove(key_of(group, change.name));
    else
      engine->add(change.relative ? change.uri : engine_uri(change.uri, *group.context), change.name, !change.relative);
  }
  WriteOptions options;
  const std::uint64_t end = window_of(group.config()).second;
  if (end != UINT64_MAX) options.at = end;
  if (!metadata.empty()) engine->update_metadata(metadata, options);
}

std::int32_t member_type(const GroupState& group, const tiledb::GroupMember& member) {
  return static_cast<std::int32_t>(object_at(place_of(*group.context, member_uri(group, member))));
}

const tiledb::GroupMember& member_named(const GroupState& group, const char* name) {
  for (const tiledb::GroupMember& member : group.members)
    if (member.name && *member.name == given(name, "member name")) return member;
  refuse("Group: Group member with name '{}' not found", name);
}

const Metadata& metadata_of(GroupState& group) {
  need_open(group, true, "get metadata");
  if (!group.metadata) group.metadata = engine_group(group)->metadata();
  return *group.metadata;
}

void add_member(GroupState& group, const char* uri, bool relative, const char* name) {
  need_open(group, false, "add member");
  GroupState::Change change{true, std::string(given(uri, "URI")), name ? name : "", relative};
  for (const GroupState::Change& other : group.changes)
    if (other.add && (other.uri == change.uri || (!change.name.empty() && other.name == change.name)))
      refuse("Group: Cannot add group member; a member '{}' is being added already", change.uri);
  group.changes.push_back(std::move(change));
}

void dump_members(const ContextState& context, const std::string& uri, const std::string& indent, bool deep,
                  std::string& text) {
  constexpr int kDeepest = 64;  // groups may hold themselves
  if (indent.size() > 4 * kDeepest) return;
  GroupState group;
  group.context = std::make_shared<ContextState>();
  group.context->config = context.config;
  group.context->number = context.number;
  group.uri = uri;
  open(group, QueryType::read);
  for (const tiledb::GroupMember& member : group.members) {
    const std::string below = member_uri(group, member);
    const ObjectType type = object_at(place_of(context, below));
    const std::string name = member.name ? *member.name : below.substr(below.rfind('/') + 1);
    text += fmt::format("{}|-- {} {}\n", indent, name,
                        type == ObjectType::group   ? "GROUP"
                        : type == ObjectType::array ? "ARRAY"
                                                    : "(does not exist)");
    if (deep && type == ObjectType::group) dump_members(context, below, indent + "    ", deep, text);
  }
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_group_create(ContextHandle* context, const char* uri) {
  return enter(context, [&](const auto& state) {
    const Place place = place_of(*state, given(uri, "URI"));
    if (object_at(place) != ObjectType::invalid)
      refuse("Group: Cannot create group; Group '{}' already exists", place.uri);
    CreateOptions options;
    options.key = encryption_key(state->config);
    tegula::create_group(engine_uri(place.uri, *state), "tiledb", options);
  });
}

TEGULA_CAPI std::int32_t tiledb_group_alloc(ContextHandle* context, const char* uri, GroupHandle** handle) {
  return enter(context, [&](const auto& state) {
    auto group = std::make_shared<GroupState>();
    group->context = state;
    group->uri = absolute_uri(given(uri, "URI"));
    give(handle, GroupHandle{std::move(group)});
  });
}

TEGULA_CAPI void tiledb_group_free(GroupHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_group_open(ContextHandle* context, GroupHandle* handle, std::int32_t type) {
  return enter(context, [&](const auto&) {
    if (type != 0 && type != 1 && type != 4) refuse("Group: Cannot open group; Unsupported query type {}", type);
    open(group_of(handle), static_cast<QueryType>(type));
  });
}

TEGULA_CAPI std::int32_t tiledb_group_close(ContextHandle* context, GroupHandle* handle) {
  return enter(context, [&](const auto&) { close(group_of(handle)); });
}

TEGULA_CAPI std::int32_t tiledb_group_is_open(ContextHandle* context, GroupHandle* handle, std::int32_t* is) {
  return enter(context, [&](const auto&) { out(is) = group_of(handle).type ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_group_get_uri(ContextHandle* context, GroupHandle* handle, const char** uri) {
  return enter(context, [&](const auto&) { out(uri) = group_of(handle).uri.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_group_get_query_type(ContextHandle* context, GroupHandle* handle, std::int32_t* type) {
  return enter(context, [&](const auto&) {
    const GroupState& group = group_of(handle);
    if (!group.type) refuse("Group: Cannot get query type; Group is not open");
    out(type) = static_cast<std::int32_t>(*group.type);
  });
}

TEGULA_CAPI std::int32_t tiledb_group_set_config(ContextHandle* context, GroupHandle* handle, ConfigHandle* config) {
  return enter(context, [&](const auto&) {
    GroupState& group = group_of(handle);
    if (group.type) refuse("Group: Cannot set a config on an open group");
    group.own_config = checked(config).config;
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_config(ContextHandle* context, GroupHandle* handle, ConfigHandle** config) {
  return enter(context, [&](const auto&) { give(config, ConfigHandle{group_of(handle).config()}); });
}

TEGULA_CAPI std::int32_t tiledb_group_add_member(ContextHandle* context, GroupHandle* handle, const char* uri,
                                                 std::uint8_t relative, const char* name) {
  return enter(context, [&](const auto&) { add_member(group_of(handle), uri, relative != 0, name); });
}

// What a member is is looked at, not believed.
TEGULA_CAPI std::int32_t tiledb_group_add_member_with_type(ContextHandle* context, GroupHandle* handle, const char* uri,
                                                           std::uint8_t relative, const char* name, std::int32_t) {
  return enter(context, [&](const auto&) { add_member(group_of(handle), uri, relative != 0, name); });
}

TEGULA_CAPI std::int32_t tiledb_group_remove_member(ContextHandle* context, GroupHandle* handle, const char* name) {
  return enter(context, [&](const auto&) {
    need_open(group_of(handle), false, "remove member");
    group_of(handle).changes.push_back({false, {}, std::string(given(name, "member name")), false});
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_member_count(ContextHandle* context, GroupHandle* handle,
                                                       std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    need_open(group_of(handle), true, "get member count");
    out(count) = group_of(handle).members.size();
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_member_by_index_v2(ContextHandle* context, GroupHandle* handle,
                                                             std::uint64_t index, TextHandle** uri, std::int32_t* type,
                                                             TextHandle** name) {
  return enter(context, [&](const auto&) {
    const GroupState& group = group_of(handle);
    need_open(group, true, "get member by index");
    if (index >= group.members.size())
      refuse("Group: index {} is larger than member count {}", index, group.members.size());
    const tiledb::GroupMember& member = group.members[static_cast<std::size_t>(index)];
    out(type) = member_type(group, member);
    out(name) = nullptr;
    give(uri, TextHandle{member_uri(group, member)});
    if (member.name) give(name, TextHandle{*member.name});
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_member_by_name_v2(ContextHandle* context, GroupHandle* handle,
                                                            const char* name, TextHandle** uri, std::int32_t* type) {
  return enter(context, [&](const auto&) {
    const GroupState& group = group_of(handle);
    need_open(group, true, "get member by name");
    const tiledb::GroupMember& member = member_named(group, name);
    out(type) = member_type(group, member);
    give(uri, TextHandle{member_uri(group, member)});
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_is_relative_uri_by_name(ContextHandle* context, GroupHandle* handle,
                                                                  const char* name, std::uint8_t* relative) {
  return enter(context, [&](const auto&) {
    need_open(group_of(handle), true, "get member by name");
    out(relative) = member_named(group_of(handle), name).relative ? 1 : 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_group_dump_str_v2(ContextHandle* context, GroupHandle* handle, TextHandle** text,
                                                  std::uint8_t recursive) {
  return enter(context, [&](const auto& state) {
    const GroupState& group = group_of(handle);
    need_open(group, true, "dump the group");
    const Place place = place_of(*state, group.uri);
    std::string dump = place.uri.substr(place.uri.rfind('/') + 1) + " GROUP\n";
    dump_members(*state, group.uri, "", recursive != 0, dump);
    give(text, TextHandle{std::move(dump)});
  });
}

TEGULA_CAPI std::int32_t tiledb_group_put_metadata(ContextHandle* context, GroupHandle* handle, const char* key,
                                                   std::int32_t type, std::uint32_t count, const void* value) {
  return enter(context, [&](const auto&) {
    need_open(group_of(handle), false, "put metadata");
    group_of(handle).metadata_changes.insert_or_assign(std::string(given(key, "key")),
                                                       metadata_value(type, count, value));
  });
}

TEGULA_CAPI std::int32_t tiledb_group_delete_metadata(ContextHandle* context, GroupHandle* handle, const char* key) {
  return enter(context, [&](const auto&) {
    need_open(group_of(handle), false, "delete metadata");
    group_of(handle).metadata_changes.insert_or_assign(std::string(given(key, "key")), std::nullopt);
  });
}

TEGULA_CAPI std::int32_t tiledb_group_get_metadata(ContextHandle* context, GroupHandle* handle, const char* key,
                                                   std::int32_t* type, std::uint32_t* count, const void** value) {
  return enter(context, [&](const auto&) { get_value(metadata_of(group_of(handle)), key, type, count, value); });
}

TEGULA_CAPI std::int32_t tiledb_group_get_metadata_num(ContextHandle* context, GroupHandle* handle,
                                                       std::uint64_t* count) {
  return enter(context, [&](const auto&) { out(count) = metadata_of(group_of(handle)).size(); });
}

TEGULA_CAPI std::int32_t tiledb_group_get_metadata_from_index(ContextHandle* context, GroupHandle* handle,
                                                              std::uint64_t index, const char** key,
                                                              std::uint32_t* key_length, std::int32_t* type,
                                                              std::uint32_t* count, const void** value) {
  return enter(context, [&](const auto&) {
    get_value_at(metadata_of(group_of(handle)), index, key, key_length, type, count, value);
  });
}

TEGULA_CAPI std::int32_t tiledb_group_has_metadata_key(ContextHandle* context, GroupHandle* handle, const char* key,
                                                       std::int32_t* type, std::int32_t* has) {
  return enter(context, [&](const auto&) { has_key(metadata_of(group_of(handle)), key, type, has); });
}

}  // namespace tegula::capi
