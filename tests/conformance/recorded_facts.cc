#include "recorded_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "codec/checksum/checksum.h"
#include "expected_result.h"
#include "model/strided.h"
#include "query/request/request.h"
#include "query/request/result_json.h"
#include "query/request/value_text.h"
#include "tegula/tegula.h"

namespace fs = std::filesystem;

namespace tegula::conformance {

namespace {

class Facts {
 public:
  Facts(const fs::path& folder, const Json& document, unsigned threads, std::size_t& checks)
      : folder_(fs::absolute(folder)), document_(document), threads_(threads), checks_(checks) {
    array_ = folder_ / (fs::exists(folder_ / "array") ? "array" : "group");
  }

  std::vector<std::string> wrong();

 private:
  OpenOptions options(const Json& at) const;
  std::shared_ptr<Array> open_at(const Json& at) const { return open(array_.string(), options(at)); }
  Metadata metadata(const Json& at) const;
  void compare(const std::string& what, const Json& want, const Json& have);
  void compare_typed(const std::string& what, const Json& want, const Metadata& have);
  void compare_metadata();
  void compare_group(const Json& check);
  void compare_attributes();
  void compare_hash(const std::string& path, const std::string& field, const std::string& want);
  void compare_hashes();
  void compare_storage();

  const fs::path folder_;
  fs::path array_;
  const Json& document_;
  const unsigned threads_;
  std::size_t& checks_;
  std::vector<std::string> wrong_;
};

OpenOptions Facts::options(const Json& at) const {
  OpenOptions out;
  out.work.threads = threads_;
  out.at = tegula::open_at(at.is_null() ? Json::object() : Json{{"open_at", at}});
  if (document_.contains("encryption_key_hex") && document_["encryption_key_hex"].is_string())
    out.key = bytes_of_hex(document_["encryption_key_hex"].get<std::string>(), "the key");
  return out;
}

Metadata Facts::metadata(const Json& at) const {
  return probe(array_.string()).kind == ObjectKind::group ? open_group(array_.string(), options(at))->metadata()
                                                          : open_at(at)->metadata();
}

void Facts::compare(const std::string& what, const Json& want, const Json& have) {
  ++checks_;
  if (plain(want) != plain(have))
    wrong_.push_back(
        fmt::format("{} is {}, want {}", what, dump_json(have).substr(0, 300), dump_json(want).substr(0, 300)));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Typed values: {type, values} (the folders by version) or {type, num, value}; an empty value is null or an empty list.
void Facts::compare_typed(const std::string& what, const Json& want, const Metadata& have) {
  Json expected = Json::object(), found = Json::object();
  for (const auto& [key, item] : want.items()) {
    const Json& values = item.contains("values") ? item["values"] : item["value"];
    expected[key] = {lower(item["type"].get<std::string>()), values.is_null() || values.empty() ? Json() : values};
  }
  for (const auto& [key, value] : have) {
    Batch one;
    one.columns.push_back({key, value.type, kVar, false, value.data, {0, value.data.size()}, {}});
    const Json values = parse_json(bytes_of(result_json(one, Dialect::libtiledb)), "a value")["fields"][key][0];
    found[key] = {lower(std::string(tiledb_name(*tiledb_code(value.type)))), value.data.empty() ? Json() : values};
  }
  compare(what, expected, found);
}

void Facts::compare_metadata() {
  // Of a group they are among its checks.
  if (document_.contains("metadata") && !document_.contains("group_checks"))
    compare_typed("metadata", document_["metadata"], metadata({}));
  for (const char* list : {"metadata_at", "metadata_checks"}) {
    if (!document_.contains(list)) continue;
    for (const Json& check : document_[list])
      compare_typed(fmt::format("metadata at {}", dump_json(check["open_at"])),
                    check.contains("metadata") ? check["metadata"] : check["result"], metadata(check["open_at"]));
  }
}

void Facts::compare_group(const Json& check) {
  const std::string path = check["group"].get<std::string>();
  const std::string what = fmt::format("group '{}' at {}", path, dump_json(check["open_at"]));
  const auto group = open_group((path.empty() ? array_ : array_ / path).string(), options(check["open_at"]));
  std::vector<std::string> want, have;
  std::map<std::string, std::string> names;  // of members that have one
  for (const Json& member : check["result"]["members"]) {
    std::string uri = member["uri"].get<std::string>();
    for (const auto& [mark, root] : {std::pair<std::string, std::string>{"<case>", folder_.string()},
                                     {"<made_under>", document_.value("made_under", "")}})
      if (uri.starts_with(mark)) uri.replace(0, mark.size(), root);
    want.push_back(member["type"].get<std::string>() + " " + uri);
    if (member["name"].is_string()) names[uri] = member["name"].get<std::string>();
  }
  for (const Member& member : group->members()) {
    std::string uri = member.uri;
    if (uri.starts_with("file://")) uri.erase(0, 7);
    const std::string kind = member.kind == ObjectKind::group ? "group" : "array";
    have.push_back(kind + " " + uri);
    if (names.contains(uri)) compare(what + ": name of " + uri, names[uri], member.name);
  }
  std::sort(want.begin(), want.end());
  std::sort(have.begin(), have.end());
  compare(what + ": members", want, have);
  compare_typed(what + ": metadata", check["result"]["metadata"], group->metadata());
}

void Facts::compare_attributes() {
  if (!document_.contains("attrs")) return;
  Json found = Json::object();
  for (const auto& [key, value] : metadata({})) {
    const Json read = parse_json(value.data, key);
    // The corpus spells these as text.
    found[key] = read.is_number_float() && !std::isfinite(read.get<double>())
                     ? Json(std::isnan(read.get<double>()) ? "nan"
                            : read.get<double>() > 0       ? "inf"
                                                           : "-inf")
                     : read;
  }
  compare("attributes", document_["attrs"], found);
}

void Facts::compare_hash(const std::string& path, const std::string& field, const std::string& want) {
  const auto array = open((path.empty() ? array_ : array_ / path).string(), options({}));
  const Attribute* attribute = field.empty() ? &array->schema().attributes.at(0) : array->schema().attribute(field);
  ++checks_;
  if (!attribute) return wrong_.push_back(fmt::format("there is no field '{}'", field));
  const std::vector<std::uint64_t> shape = array->schema().shape();
  Bytes values(cell_count(shape) * attribute->cell_size());
  Work work;
  work.threads = threads_;
  array->read({}, attribute->name, {values.data(), shape, contiguous_strides(shape, attribute->cell_size())}, work);
  const std::string hash = hex_of(codec::sha256(values));
  if (hash != want)
    wrong_.push_back(fmt::format("content of '{}{}' has the hash {}, want {}", path, field, hash, want));
}

void Facts::compare_hashes() {
  if (!document_.contains("sha256") || document_["sha256"].is_null()) return;
  const Json& recorded = document_["sha256"];
  if (recorded.is_string()) return compare_hash("", "", recorded.get<std::string>());
  const bool group = document_["schema"].value("kind", "") == "group";
  for (const auto& [name, hash] : recorded.items())
    compare_hash(group ? name : "", group ? "" : name, hash.get<std::string>());
}

Json json_of(const Value& value) {
  return std::visit(
      [](const auto& x) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
          return nullptr;
        else
          return x;
      },
      value);
}

void Facts::compare_storage() {
  if (!document_.contains("non_empty_domain") || !document_.contains("fragments")) return;
  const auto array = open_at({});
  const Info info = array->info();
  Json domain;
  if (info.non_empty_domain) {
    domain = Json::object();
    for (std::size_t d = 0; d < info.non_empty_domain->size(); ++d) {
      const Range& range = (*info.non_empty_domain)[d];
      domain[array->schema().dimensions[d].name] = {json_of(range.low), json_of(range.high)};
    }
  }
  compare("non-empty domain", document_["non_empty_domain"], domain);
  std::map<std::string, Json> want, have;
  for (const Json& f : document_["fragments"])
    want[f["name"].get<std::string>()] = {f["timestamps"], f["version"], f["dense"], f["cell_num"]};
  for (const FragmentInfo& f : info.fragments)
    have[f.name] = {{f.first_time, f.last_time}, f.version, !f.sparse, f.cells};
  compare("fragments", Json(want), Json(have));
}

std::vector<std::string> Facts::wrong() {
  compare_metadata();
  if (document_.contains("group_checks"))
    for (const Json& check : document_["group_checks"]) compare_group(check);
  compare_attributes();
  compare_hashes();
  compare_storage();
  return wrong_;
}

}  // namespace

std::vector<std::string> wrong_facts(const fs::path& folder, const Json& document, unsigned threads,
                                     std::size_t& checks) {
  return Facts(folder, document, threads, checks).wrong();
}

}  // namespace tegula::conformance
