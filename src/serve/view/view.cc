#include "serve/view/view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "query/request/value_text.h"

namespace tegula::serve {

namespace {

constexpr std::size_t kMostConsolidated = 512;  // nodes
constexpr std::size_t kDeepest = 16;            // folders

constexpr const char* kJson = "application/json";
constexpr const char* kBytes = "application/octet-stream";

Resource text_resource(const char* type, std::string text) {
  Resource out;
  out.type = type;
  out.tag = tag_of(bytes_of(text));
  out.size = text.size();
  out.body = [text = std::move(text)] { return copy_of(bytes_of(text)); };
  return out;
}

Resource document(Json json) { return text_resource(kJson, strict_json(std::move(json))); }

Json group_document(int version, const Json& attributes) {
  if (version == 2) return {{"zarr_format", 2}};
  return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}};
}

// What a consolidated document says of one node.
void consolidate(Json& metadata, const std::string& path, const Node& node, int version) {
  const auto put_array = [&](const std::string& at, const ServedArray& array) {
    metadata[join(at, version == 3 ? "" : ".zarray")] = array.document();
    if (version == 2) metadata[join(at, ".zattrs")] = array.attributes();
  };
  if (node.array) {
    put_array(path, *node.array);
  } else if (version == 2 || !path.empty()) {
    metadata[join(path, version == 3 ? "" : ".zgroup")] = group_document(version, node.attributes);
    if (version == 2) metadata[join(path, ".zattrs")] = node.attributes;
  }
  for (const auto& [name, array] : node.fields) put_array(join(path, name), *array);
}

void make_strict(Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    const double number = value.get<double>();
    value = std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
  }
}

void append_html(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
}

void append_url(std::string& out, std::string_view name) {
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
}

// fsspec takes the links of a page for the names in a folder.
std::string link_page(const std::vector<std::string>& names) {
  std::string out = "<!doctype html><meta charset=utf-8><title>tegula</title><link rel=icon href=data:,><ul>\n";
  for (const std::string& name : names) {
    out += "<li><a href=\"";
    append_url(out, name);
    out += "/\">";
    append_html(out, name);
    out += "</a>\n";
  }
  return out + "</ul>\n";
}

}  // namespace

std::string strict_json(Json value) {
  // Without recursion: documents may be nested as deep as whoever wrote them liked.
  std::vector<Json*> left{&value};
  while (!left.empty()) {
    Json* next = left.back();
    left.pop_back();
    make_strict(*next);
    if (next->is_structured())
      for (Json& item : *next) left.push_back(&item);
  }
  return dump_json(value, {.spaces = false});
}

std::string tag_of(ByteView bytes) {
  const std::array<std::byte, 32> hash = codec::sha256(bytes);
  return '"' + hex_of(ByteView(hash).first(16)) + '"';
}

std::optional<Resource> View::array_resource(const std::shared_ptr<const ServedArray>& array, const std::string& place,
                                             std::span<const std::string> key) const {
  const int version = array->version();
  if (key.size() == 1 && key[0] == (version == 3 ? "zarr.json" : ".zarray")) return document(array->document());
  if (version == 2 && key.size() == 1 && key[0] == ".zattrs") return document(array->attributes());
  std::string name;
  for (const std::string& part : key) name += (name.empty() ? "" : "/") + part;
  const std::optional<std::vector<std::uint64_t>> chunk = array->chunk_of(name);
  if (!chunk) return std::nullopt;
  Resource out;
  out.type = kBytes;
  if (!array->state().empty()) {
    if (array->hole(*chunk)) return std::nullopt;
    out.tag = tag_of(bytes_of(fmt::format("{}\n{}\n{}\n{}", version, place, name, array->state())));
    out.size = array->chunk_size();
    out.body = [array, chunk = *chunk, work = tree_->work()] {
      std::optional<Chunk> made = array->chunk(chunk, work);
      if (!made) fail(ErrorKind::corrupt, "the chunk is gone");
      return std::move(made->bytes);
    };
    return out;
  }
  std::optional<Chunk> made = array->chunk(*chunk, tree_->work());
  if (!made) return std::nullopt;
  out.tag = made->state.empty() ? tag_of(made->bytes) : tag_of(bytes_of(made->state));
  out.size = made->bytes.size();
  out.body = [bytes = std::make_shared<Bytes>(std::move(made->bytes))] { return std::move(*bytes); };
  return out;
}

std::optional<std::vector<View::Below>> View::everything_below(const Place& place, int version) {
  std::vector<Below> out{{"", place.node(version, tree_->work())}};
  if (place.array) return out;
  struct Left {
    std::string path;
    std::shared_ptr<const Place> place;  // null: the place itself
  };
  std::vector<Left> left{{"", nullptr}};
  while (!left.empty()) {
    const Left next = std::move(left.back());
    left.pop_back();
    const Place& here = next.place ? *next.place : place;
    for (const std::string& name : tree_->names(here)) {
      std::shared_ptr<const Place> below;
      std::shared_ptr<const Node> node;
      try {
        below = tree_->below(here, name);
        if (below) node = below->node(version, tree_->work());
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) throw;
        continue;  // who asks for it is told why
      }
      if (!below) continue;
      out.push_back({join(next.path, name), node});
      const auto depth = static_cast<std::size_t>(std::ranges::count(out.back().path, '/'));
      if (out.size() > kMostConsolidated || depth > kDeepest) return std::nullopt;
      if (!below->array) left.push_back({out.back().path, below});
    }
  }
  return out;
}

std::optional<Resource> View::group_resource(const Place& place, int version, std::span<const std::string> key) {
  const std::shared_ptr<const Node> node = place.node(version, tree_->work());
  if (key.empty()) {
    std::vector<std::string> names = tree_->names(place);
    for (const auto& [name, array] : node->fields) names.push_back(name);
    return text_resource("text/html; charset=utf-8", link_page(names));
  }
  if (key.size() != 1) return std::nullopt;
  if (version == 2 && key[0] == ".zgroup") return document(group_document(version, node->attributes));
  if (version == 2 && key[0] == ".zattrs") return document(node->attributes);
  if (key[0] != (version == 3 ? "zarr.json" : ".zmetadata")) return std::nullopt;
  const std::optional<std::vector<Below>> nodes = everything_below(place, version);
  if (!nodes && version == 2) return std::nullopt;
  Json metadata = Json::object();
  if (nodes)
    for (const Below& below : *nodes) consolidate(metadata, below.path, *below.node, version);
  if (version == 2) return document({{"zarr_consolidated_format", 1}, {"metadata", std::move(metadata)}});
  Json group = group_document(version, node->attributes);
  if (nodes)
    group["consolidated_metadata"] = {
        {"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(metadata)}};
  return document(std::move(group));
}

std::optional<Resource> View::get(int version, std::span<const std::string> path) {
  const Tree::Way found = tree_->find(path);
  std::span<const std::string> key = path.subspan(found.used);
  const Place& place = *found.place;
  if (place.array) {
    const std::shared_ptr<const Node> node = place.node(version, tree_->work());
    if (node->array) return array_resource(node->array, place.path, key);
    if (!key.empty())
      if (const auto field = node->fields.find(key[0]); field != node->fields.end())
        return array_resource(field->second, join(place.path, key[0]), key.subspan(1));
  }
  return group_resource(place, version, key);
}

}  // namespace tegula::serve
