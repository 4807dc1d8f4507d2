#include "format/bcolz/metadata.h"

#include "base/endian.h"
#include "base/fail.h"
#include "base/json.h"
#include "format/bcolz/disk/default_value.h"
#include "format/bcolz/snapshot.h"

namespace tegula::bcolz {

namespace {

Json load(const Store& store) {
  const std::optional<Bytes> text = store.get(kAttributes);
  if (!text || text->empty()) return Json::object();
  Json document = parse_json(*text, store.describe(kAttributes));
  if (!document.is_object())
    fail(ErrorKind::corrupt, "'{}': expected a JSON object, found {}", store.describe(kAttributes),
         document.type_name());
  return document;
}

Json to_json(const std::string& key, const MetaValue& value) {
  if (value.json) return parse_json(value.data, "attribute '" + key + "'");
  if (value.type.is_text()) return Json(std::string(text_of(value.data)));
  Json list = Json::array();
  const std::uint64_t size = value.type.full_size();
  for (std::uint64_t at = 0; at + size <= value.data.size(); at += size) {
    std::optional<std::string> item = default_json(ByteView(value.data).subspan(at, size), value.type);
    if (!item) break;
    list.push_back(parse_json(bytes_of(*item), key));
  }
  if (list.size() != value.count)
    fail(ErrorKind::unsupported, "attribute '{}' of type {} cannot be written as JSON", key, display_name(value.type));
  return value.count == 1 ? list[0] : list;
}

}  // namespace

Metadata read_attributes(const Store& store) {
  Metadata out;
  const Json document = load(store);
  for (const auto& [key, value] : document.items()) {
    MetaValue entry;
    entry.type = Datatype(TypeId::utf8);
    entry.json = true;
    entry.data = copy_of(bytes_of(dump_json(value)));
    entry.count = static_cast<std::uint32_t>(entry.data.size());
    out.emplace(key, std::move(entry));
  }
  return out;
}

void change_attributes(Store& store, const std::map<std::string, std::optional<MetaValue>>& changes) {
  Json document = load(store);
  for (const auto& [key, value] : changes) {
    if (value)
      document[key] = to_json(key, *value);
    else
      document.erase(key);
  }
  store.put_text(kAttributes, dump_json(document) + "\n");
}

}  // namespace tegula::bcolz
