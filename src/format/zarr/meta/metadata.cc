#include "format/zarr/meta/metadata.h"

#include "base/fail.h"
#include "format/zarr/meta/fill_value.h"

namespace tegula::zarr {

Metadata metadata_of(const Json& attributes) {
  Metadata out;
  for (const auto& [key, value] : attributes.items()) {
    MetaValue one;
    one.type = Datatype(TypeId::utf8);
    one.json = true;
    one.data = copy_of(bytes_of(dump_json(value, {.ascii = false})));
    one.count = static_cast<std::uint32_t>(one.data.size());
    out.emplace(key, std::move(one));
  }
  return out;
}

void change_attributes(Json& attributes, const std::map<std::string, std::optional<MetaValue>>& changes) {
  for (const auto& [key, value] : changes) {
    if (value)
      attributes[key] = json_of(*value);
    else
      attributes.erase(key);
  }
}

Json json_of(const MetaValue& value) {
  if (value.json) return parse_json(value.data, "a metadata value");
  if (value.type.is_text()) return text_of(value.data);
  const std::uint64_t size = value.type.full_size();
  if (size == 0 || value.data.size() % size != 0)
    fail(ErrorKind::invalid_argument, "a metadata value has {} bytes of type {}", value.data.size(),
         display_name(value.type));
  Json list = Json::array();
  for (std::size_t at = 0; at < value.data.size(); at += size)
    list.push_back(fill_to_json(ByteView(value.data).subspan(at, size), value.type, FillStyle::v2));
  return list.size() == 1 ? list[0] : list;
}

}  // namespace tegula::zarr
