#include "capi/files/object.h"

#include "format/tiledb/listing/object_kind.h"

namespace tegula::capi {

namespace {

using ObjectCallback = std::int32_t (*)(const char*, std::int32_t, void*);

struct ObjectVisit {
  ObjectCallback callback = nullptr;
  void* data = nullptr;
  bool deep = false, children_first = false;
};

Answer visit_objects(const Place& place, const ObjectVisit& how) {
  for (const Entry& entry : place.store->list(place.key)) {
    if (!entry.folder) continue;
    const Place below{place.store, place.key.empty() ? entry.name : place.key + "/" + entry.name,
                      place.uri + "/" + entry.name};
    const ObjectType type = object_at(below);
    if (type == ObjectType::invalid) continue;
    const bool inside = how.deep && type == ObjectType::group;
    if (inside && how.children_first)
      if (const Answer answer = visit_objects(below, how); answer != Answer::go_on) return answer;
    if (const Answer answer{how.callback(below.uri.c_str(), static_cast<std::int32_t>(type), how.data)};
        answer != Answer::go_on)
      return answer;
    if (inside && !how.children_first)
      if (const Answer answer = visit_objects(below, how); answer != Answer::go_on) return answer;
  }
  return Answer::go_on;
}

std::int32_t visit_below(ContextHandle* context, const char* uri, const ObjectVisit& how) {
  Answer answer = Answer::go_on;
  const std::int32_t status = enter(context, [&](const auto& state) {
    if (!how.callback) refuse("C API: Invalid callback: it is null");
    answer = visit_objects(place_of(*state, given(uri, "URI")), how);
  });
  return status == kOk && answer == Answer::fail ? kError : status;
}

Place existing(const ContextState& context, const char* uri, std::string_view what) {
  Place place = place_of(context, given(uri, "URI"));
  if (object_at(place) == ObjectType::invalid)
    refuse("StorageManager: Not a valid TileDB object: '{}' cannot be {}", place.uri, what);
  return place;
}

}  // namespace

ObjectType object_at(const Place& place) {
  switch (tiledb::probe(place.store->list(place.key))) {
    case ObjectKind::array:
      return ObjectType::array;
    case ObjectKind::group:
      return ObjectType::group;
    case ObjectKind::none:
      break;
  }
  return ObjectType::invalid;
}

TEGULA_CAPI std::int32_t tiledb_object_type(ContextHandle* context, const char* uri, std::int32_t* type) {
  return enter(context, [&](const auto& state) {
    out(type) = static_cast<std::int32_t>(object_at(place_of(*state, given(uri, "URI"))));
  });
}

TEGULA_CAPI std::int32_t tiledb_object_remove(ContextHandle* context, const char* uri) {
  return enter(context, [&](const auto& state) {
    const Place place = existing(*state, uri, "removed");
    place.store->remove_tree(place.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_object_move(ContextHandle* context, const char* from, const char* to) {
  return enter(context, [&](const auto& state) {
    const Place source = existing(*state, from, "moved");
    const Place target = place_of(*state, given(to, "URI"));
    if (target.is_folder()) refuse("StorageManager: Cannot move object; '{}' exists", target.uri);
    copy_folder(source, target);
    source.store->remove_tree(source.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_object_ls(ContextHandle* context, const char* uri, ObjectCallback callback,
                                          void* data) {
  return visit_below(context, uri, {callback, data});
}

TEGULA_CAPI std::int32_t tiledb_object_walk(ContextHandle* context, const char* uri, std::int32_t order,
                                            ObjectCallback callback, void* data) {
  return visit_below(context, uri, {callback, data, true, order == 1});
}

}  // namespace tegula::capi
