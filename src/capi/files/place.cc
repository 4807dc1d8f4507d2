#include "capi/files/place.h"

#include <algorithm>

#include "capi/array/array.h"
#include "capi/core/uris.h"
#include "store/open/open_store.h"

namespace tegula::capi {

namespace {

std::string parent_of(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string::npos ? std::string() : key.substr(0, slash);
}

std::string name_of(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string::npos ? key : key.substr(slash + 1);
}

// A key has no empty parts: "//a//b/" names what "a/b" names.
std::string as_key(std::string_view path) {
  std::string key;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) key += (key.empty() ? "" : "/") + std::string(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return key;
}

}  // namespace

bool Place::is_folder() const {
  if (key.empty()) return true;
  const std::vector<Entry> siblings = store->list(parent_of(key));
  const std::string name = name_of(key);
  return std::any_of(siblings.begin(), siblings.end(), [&](const Entry& e) { return e.folder && e.name == name; });
}

Place place_of(const ContextState& context, std::string_view given_uri, const std::string& memory) {
  Place place;
  place.uri = absolute_uri(given_uri);
  while (place.uri.ends_with('/') && !place.uri.ends_with("://")) place.uri.pop_back();
  const std::size_t scheme = place.uri.find("://");
  const std::string name = place.uri.substr(0, scheme), rest = place.uri.substr(scheme + 3);
  StoreOptions options;
  if (name == "file") {
    place.store = open_store("/", options);
    place.key = as_key(rest);
  } else if (name == "mem") {
    place.store = open_store("mem://" + memory, options);
    place.key = as_key(rest);
  } else {
    // Buckets and hosts are what stores are opened for.
    const std::size_t slash = rest.find('/');
    if (name == "s3") options.settings = storage_options(context.config);
    place.store = open_store(name + "://" + rest.substr(0, slash), options);
    place.key = slash == std::string::npos ? std::string() : as_key(rest.substr(slash + 1));
  }
  return place;
}

Place place_of(const ContextState& context, std::string_view uri) {
  return place_of(context, uri, fmt::format("context-{}", context.number));
}

void copy_file(const Place& from, const Place& to) {
  constexpr std::uint64_t kPart = 8 << 20;
  const std::optional<std::uint64_t> size = from.store->size(from.key);
  if (!size) refuse("VFS: Cannot copy file; '{}' does not exist", from.uri);
  const std::unique_ptr<Upload> upload = to.store->begin(to.key);
  for (std::uint64_t at = 0; at < *size; at += kPart) {
    const auto part = from.store->get(from.key, at, std::min(kPart, *size - at));
    if (!part) refuse("VFS: Cannot copy file; '{}' was removed meanwhile", from.uri);
    upload->append(*part);
  }
  upload->commit();
}

void copy_folder(const Place& from, const Place& to) {
  if (!from.is_folder()) refuse("VFS: Cannot copy directory; '{}' does not exist", from.uri);
  to.store->make_folder(to.key);
  for (const Entry& entry : from.store->list(from.key)) {
    const Place source{from.store, from.key + "/" + entry.name, from.uri + "/" + entry.name};
    const Place target{to.store, to.key + "/" + entry.name, to.uri + "/" + entry.name};
    if (entry.folder)
      copy_folder(source, target);
    else
      copy_file(source, target);
  }
}

}  // namespace tegula::capi
