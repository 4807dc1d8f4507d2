#include "capi/array/metadata.h"

#include <iterator>

#include "capi/array/array.h"
#include "capi/core/enums.h"

namespace tegula::capi {

namespace {

void put_value(const MetaValue& from, std::int32_t* type, std::uint32_t* count, const void** value) {
  out(type) = tiledb_code(from.type).value_or(6);
  // libtiledb says one value of an empty one, and gives no address.
  out(count) = from.data.empty() ? 1 : from.count;
  out(value) = from.data.empty() ? nullptr : from.data.data();
}

}  // namespace

MetaValue metadata_value(std::int32_t type, std::uint32_t count, const void* value) {
  MetaValue made;
  made.type = datatype_of(type);
  if (made.type.id == TypeId::any) refuse("Metadata: Cannot put metadata; Value type cannot be ANY");
  if (!value) return made;
  made.count = count;
  made.data = copy_of({static_cast<const std::byte*>(value), std::size_t{count} * made.type.size});
  return made;
}

void get_value(const Metadata& metadata, const char* key, std::int32_t* type, std::uint32_t* count,
               const void** value) {
  const auto at = metadata.find(std::string(given(key, "key")));
  if (at == metadata.end())
    out(value) = nullptr;
  else
    put_value(at->second, type, count, value);
}

void get_value_at(const Metadata& metadata, std::uint64_t index, const char** key, std::uint32_t* key_length,
                  std::int32_t* type, std::uint32_t* count, const void** value) {
  if (index >= metadata.size())
    refuse("Metadata: Cannot get metadata; index {} out of bounds, there are {}", index, metadata.size());
  const auto at = std::next(metadata.begin(), static_cast<std::ptrdiff_t>(index));
  out(key) = at->first.c_str();
  out(key_length) = static_cast<std::uint32_t>(at->first.size());
  put_value(at->second, type, count, value);
}

void has_key(const Metadata& metadata, const char* key, std::int32_t* type, std::int32_t* has) {
  const auto at = metadata.find(std::string(given(key, "key")));
  out(has) = at == metadata.end() ? 0 : 1;
  if (at != metadata.end()) out(type) = tiledb_code(at->second.type).value_or(6);
}

TEGULA_CAPI std::int32_t tiledb_array_put_metadata(ContextHandle* context, ArrayHandle* handle, const char* key,
                                                   std::int32_t type, std::uint32_t count, const void* value) {
  return enter(context, [&](const auto&) {
    array_of(handle).put_metadata(std::string(given(key, "key")), metadata_value(type, count, value));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_delete_metadata(ContextHandle* context, ArrayHandle* handle, const char* key) {
  return enter(context,
               [&](const auto&) { array_of(handle).put_metadata(std::string(given(key, "key")), std::nullopt); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_metadata(ContextHandle* context, ArrayHandle* handle, const char* key,
                                                   std::int32_t* type, std::uint32_t* count, const void** value) {
  return enter(context, [&](const auto&) { get_value(array_of(handle).metadata(), key, type, count, value); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_metadata_num(ContextHandle* context, ArrayHandle* handle,
                                                       std::uint64_t* count) {
  return enter(context, [&](const auto&) { out(count) = array_of(handle).metadata().size(); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_metadata_from_index(ContextHandle* context, ArrayHandle* handle,
                                                              std::uint64_t index, const char** key,
                                                              std::uint32_t* key_length, std::int32_t* type,
                                                              std::uint32_t* count, const void** value) {
  return enter(context, [&](const auto&) {
    get_value_at(array_of(handle).metadata(), index, key, key_length, type, count, value);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_has_metadata_key(ContextHandle* context, ArrayHandle* handle, const char* key,
                                                       std::int32_t* type, std::int32_t* has) {
  return enter(context, [&](const auto&) { has_key(array_of(handle).metadata(), key, type, has); });
}

}  // namespace tegula::capi
