#include "serve/api/descriptions.h"

#include <algorithm>

#include "base/fail.h"
#include "base/utf8.h"
#include "query/request/value_text.h"
#include "serve/view/node.h"

namespace tegula::serve {

namespace {

const char* kind_of(const Place& place) {
  if (!place.array) return place.group ? "group" : "folder";
  const Schema& schema = place.array->schema();
  return schema.table ? "table" : schema.sparse ? "sparse" : "dense";
}

// Names may be any bytes.
std::string safe(const std::string& text) { return decode_utf8(text) ? text : hex_of(bytes_of(text)); }

Json value_json(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return *u;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* s = std::get_if<std::string>(&value)) return safe(*s);
  return nullptr;
}

Json range_json(const Range& range) { return Json::array({value_json(range.low), value_json(range.high)}); }

Json filters_json(const std::vector<Filter>& filters) {
  Json out = Json::array();
  for (const Filter& filter : filters) out.push_back(safe(display_name(filter)));
  return out;
}

Json shape_json(const Schema& schema) {
  try {
    return schema.shape();
  } catch (const Error&) {
    return nullptr;  // dimensions of text and floats have no extents
  }
}

Json schema_json(const Schema& schema) {
  Json dimensions = Json::array(), attributes = Json::array();
  for (const Dimension& d : schema.dimensions)
    dimensions.push_back({{"name", safe(d.name)},
                          {"type", display_name(d.type)},
                          {"domain", range_json(d.domain)},
                          {"tile", value_json(d.tile)},
                          {"filters", filters_json(d.filters)}});
  for (const Attribute& a : schema.attributes)
    attributes.push_back({{"name", safe(a.name)},
                          {"type", display_name(a.type)},
                          {"values_per_cell", a.values_per_cell == kVar ? Json("any") : Json(a.values_per_cell)},
                          {"nullable", a.nullable},
                          {"enumeration", safe(a.enumeration)},
                          {"filters", filters_json(a.filters)}});
  return {{"format", schema.format},
          {"format_version", schema.format_version},
          {"shape", shape_json(schema)},
          {"dimensions", dimensions},
          {"attributes", attributes}};
}

}  // namespace

Json listing_json(Tree& tree, const Place& place, const std::string& after, std::uint64_t limit) {
  Json members = Json::array();
  const std::vector<std::string> names = tree.names(place);
  auto next = after.empty() ? names.begin() : std::ranges::upper_bound(names, after);
  for (; next != names.end() && members.size() < limit; ++next) {
    Json member = {{"name", *next}};
    try {
      const std::shared_ptr<const Place> below = tree.below(place, *next);
      if (!below) continue;
      member["kind"] = kind_of(*below);
      if (!below->format.empty()) member["format"] = below->format;
      if (below->array) {
        const Schema& schema = below->array->schema();
        member["shape"] = shape_json(schema);
        member["fields"] = Json::object();
        for (const Attribute& a : schema.attributes) member["fields"][safe(a.name)] = display_name(a.type);
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      member["error"] = safe(error.what());
    }
    members.push_back(std::move(member));
  }
  return {
      {"path", place.path}, {"kind", kind_of(place)}, {"members", std::move(members)}, {"more", next != names.end()}};
}

Json info_json(const Place& place, const Work& work) {
  Json out = {{"path", place.path}, {"kind", kind_of(place)}};
  if (place.group) out["metadata"] = attributes_of(place.group->metadata());
  if (!place.array) return out;
  out.update(schema_json(place.array->schema()));
  const Info info = place.array->info(work);
  out["stored_bytes"] = info.stored_bytes;
  out["chunks"] = {{"present", info.chunks_present}, {"expected", info.chunks_expected}};
  out["non_empty_domain"] = nullptr;
  if (info.non_empty_domain) {
    out["non_empty_domain"] = Json::array();
    for (const Range& range : *info.non_empty_domain) out["non_empty_domain"].push_back(range_json(range));
  }
  out["fragments"] = Json::array();
  for (const FragmentInfo& fragment : info.fragments)
    out["fragments"].push_back({{"name", safe(fragment.name)},
                                {"first_time", fragment.first_time},
                                {"last_time", fragment.last_time},
                                {"cells", fragment.cells},
                                {"bytes", fragment.bytes}});
  out["metadata"] = attributes_of(place.array->metadata());
  return out;
}

}  // namespace tegula::serve
