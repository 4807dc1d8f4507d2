#include "format/zarr/meta/consolidated.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "store/replace_file.h"

namespace tegula::zarr {

namespace {

constexpr std::string_view kFileV2 = ".zmetadata", kMemberV3 = "consolidated_metadata";
constexpr std::string_view kDocumentsV2[] = {".zarray", ".zattrs", ".zgroup"};
constexpr std::size_t kDeepest = 64;  // links may lead in circles
constexpr std::size_t kBatch = 1000;  // folders whose documents are read at once

// Copies by their keys, in the order in which they are stored: zarr-python needs siblings side by side, and groups
// before what is in them.
struct Shallow {
  bool operator()(const std::string& a, const std::string& b) const {
    const auto depth = [](const std::string& key) { return std::ranges::count(key, '/'); };
    return std::pair(depth(a), std::string_view(a)) < std::pair(depth(b), std::string_view(b));
  }
};
using Copies = std::map<std::string, Json, Shallow>;

Json empty_copies() { return {{"kind", "inline"}, {"must_understand", false}, {"metadata", Json::object()}}; }

bool is_group(const Json& document) {
  const auto it = document.find("node_type");
  return it != document.end() && *it == "group";
}

// What a copy of the document holds. That of a group says that its members are in the same list.
Json copy_of_document(Json document, int version) {
  if (version == 3 && document.is_object() && is_group(document)) document[std::string(kMemberV3)] = empty_copies();
  return document;
}

std::string dumped(const Json& copy, int version) {
  return dump_json(copy_of_document(copy, version), {.sort_keys = true});
}

std::optional<Json> document_at(const Store& node, std::string_view key) {
  const std::optional<Bytes> text = node.get(key);
  if (!text) return std::nullopt;
  return parse_json(*text, node.describe(key));
}

std::span<const std::string_view> document_names(int version) {
  static constexpr std::string_view kV3[] = {"zarr.json"};
  return version == 2 ? std::span<const std::string_view>(kDocumentsV2) : std::span<const std::string_view>(kV3);
}

// The key of the copy of a document: format 3 names the node.
std::string key_of(const std::string& path, std::string_view document, int version) {
  return version == 2 ? join(path, document) : path;
}

Copies listed(const Json& copies) {
  Copies out;
  for (const auto& [key, copy] : copies.items()) out.emplace(key, copy);
  return out;
}

Json stored(Copies copies) {
  Json out = Json::object();
  auto& items = out.get_ref<Json::object_t&>();
  for (auto& [key, copy] : copies) items.emplace_back(key, std::move(copy));
  return out;
}

// The contents of file_of_copies() with these copies; `contents` is null when there is no such file.
Json with_copies(Json contents, int version, Json copies) {
  if (contents.is_null()) contents = {{"zarr_consolidated_format", 1}};
  Json& around = version == 2 ? contents : contents[std::string(kMemberV3)];
  if (version == 3 && !around.is_object()) around = empty_copies();
  around["metadata"] = std::move(copies);
  return contents;
}

// Reads the documents of everything below a group, level by level. Arrays are not looked into; of format 2 plain
// folders are.
class Collector {
 public:
  Collector(const Store& group, int version, const Work& work) : group_(group), version_(version), work_(work) {}

  Copies run() {
    if (version_ == 2) take("");
    std::vector<std::string> open = {""};
    for (std::size_t depth = 0; !open.empty(); ++depth) {
      if (depth == kDeepest)
        fail(ErrorKind::unsupported, "'{}': more than {} levels of groups", group_.describe(open.front()), kDeepest);
      const std::vector<std::string> folders = folders_in(open);
      open.clear();
      for (std::size_t at = 0; at < folders.size(); at += kBatch)
        take(std::span(folders).subspan(at, std::min(kBatch, folders.size() - at)), open);
    }
    return std::move(copies_);
  }

 private:
  std::vector<std::string> folders_in(const std::vector<std::string>& parents) const {
    std::vector<std::vector<Entry>> entries(parents.size());
    Work lists = work_;
    if (const unsigned at_once = group_.hints().in_flight) lists.threads = at_once;
    parallel_for(lists, parents.size(), [&](std::size_t i) { entries[i] = group_.list(parents[i]); });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parents.size(); ++i)
      for (const Entry& entry : entries[i])
        if (entry.folder && !entry.name.starts_with(kTemporaryPrefix)) out.push_back(join(parents[i], entry.name));
    return out;
  }

  void take(std::string path) {
    std::vector<std::string> open;
    take(std::span(&path, 1), open);
  }

  // Adds the documents in these folders, and to `open` the folders that may hold others.
  void take(std::span<const std::string> folders, std::vector<std::string>& open) {
    work_.check();
    const std::span<const std::string_view> names = document_names(version_);
    std::vector<std::string> keys;
    for (const std::string& folder : folders)
      for (const std::string_view name : names) keys.push_back(join(folder, name));
    std::vector<FileRead> reads;
    for (const std::string& key : keys) reads.push_back({.key = key});
    group_.get(std::span<FileRead>(reads));
    for (std::size_t f = 0; f < folders.size(); ++f) {
      bool array = false, group = false;
      for (std::size_t n = 0; n < names.size(); ++n) {
        const FileRead& read = reads[f * names.size() + n];
        if (!read.found) continue;
        Json document = parse_json(read.found->bytes, group_.describe(read.key));
        group |= version_ == 3 ? is_group(document) : names[n] == ".zgroup";
        array |= version_ == 3 ? !is_group(document) : names[n] == ".zarray";
        copies_.emplace(key_of(folders[f], names[n], version_), copy_of_document(std::move(document), version_));
      }
      if (!array && (group || version_ == 2)) open.push_back(folders[f]);
    }
  }

  const Store& group_;
  const int version_;
  const Work& work_;
  Copies copies_;
};

Copies collect(const Store& group, int version, const Work& work) {
  Copies copies = Collector(group, version, work).run();
  // Attributes of a plain folder are nobody's.
  if (version == 2)
    std::erase_if(copies, [&](const auto& copy) {
      if (!copy.first.ends_with(".zattrs")) return false;
      const std::string node = copy.first.substr(0, copy.first.size() - 7);
      return !copies.contains(node + ".zarray") && !copies.contains(node + ".zgroup");
    });
  return copies;
}

// Absent and empty attributes are the same.
bool counts(std::string_view key, const Json& copy) { return !key.ends_with(".zattrs") || !copy.empty(); }

std::vector<Problem> differences(const Copies& there, const Copies& copied, int version, const std::string& file) {
  std::set<std::string> keys;
  for (const auto& [key, copy] : there)
    if (const auto found = copied.find(key);
        found == copied.end() ? counts(key, copy) : dumped(copy, version) != dumped(found->second, version))
      keys.insert(key);
  for (const auto& [key, copy] : copied)
    if (!there.contains(key) && counts(key, copy)) keys.insert(key);
  if (keys.empty()) return {};
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> named;
  for (const std::string& key : keys)
    if (named.size() < kNamed) named.push_back("'" + key + "'");
  return {{Problem::Severity::note, file,
           fmt::format("the consolidated metadata differs from {} of the documents that it is a copy of: {}{}",
                       keys.size(), fmt::join(named, ", "), keys.size() > kNamed ? ", ..." : ""),
           "programs that read the copy see what was there before; `tegula consolidate` on the group makes it anew"}};
}

}  // namespace

std::string_view file_of_copies(int version) { return version == 2 ? kFileV2 : kDocuments[3].group; }

const Json* copies_in(const Json& contents, int version, std::string_view name) {
  if (version == 3) {
    if (!contents.is_object() || !is_group(contents)) return nullptr;
    const auto copies = contents.find(kMemberV3);
    if (copies == contents.end() || !copies->is_object() || text_option(*copies, "kind", "inline") != "inline")
      return nullptr;
    const auto metadata = copies->find("metadata");
    return metadata != copies->end() && metadata->is_object() ? &*metadata : nullptr;
  }
  if (!contents.is_object() || !contents.contains("metadata") || !contents["metadata"].is_object() ||
      int_option(contents, "zarr_consolidated_format", 1) != 1)
    fail(ErrorKind::corrupt, "{} is not consolidated metadata of format 1", name);
  return &contents["metadata"];
}

std::optional<Json> with_node(const Json& contents, int version, std::string_view name, const std::string& path,
                              const Store& node, bool all_below) {
  const Json* copies = copies_in(contents, version, name);
  if (!copies) return std::nullopt;
  Copies now = listed(*copies);
  if (all_below) {
    const std::string below = path.empty() ? "" : path + "/";
    std::erase_if(now, [&](const auto& copy) {
      if (!copy.first.starts_with(below)) return false;
      const std::string inside = copy.first.substr(below.size());
      return !node.has(version == 2 ? inside : join(inside, "zarr.json"));
    });
  }
  for (const std::string_view document_name : document_names(version)) {
    const std::string key = key_of(path, document_name, version);
    if (std::optional<Json> document = document_at(node, document_name))
      now.insert_or_assign(key, copy_of_document(*std::move(document), version));
    else
      now.erase(key);
  }
  Json changed = stored(std::move(now));
  if (dump_json(changed) == dump_json(*copies)) return std::nullopt;  // no NaN is equal to another
  return with_copies(contents, version, std::move(changed));
}

void consolidate(Store& group, int version, const Work& work) {
  constexpr int kMostTries = 10;
  const std::string key(file_of_copies(version));
  std::string made;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const Json copies = stored(collect(group, version, work));
    // Documents that changed since they were read may have been changed by somebody who found no copies yet.
    if (dump_json(copies) == made) return;
    made = dump_json(copies);
    replace_file(group, key, [&](std::optional<ByteView> old) -> std::optional<Bytes> {
      if (version == 3 && !old) fail(ErrorKind::not_found, "there is no '{}'", group.describe(key));
      Json contents = version == 3 ? parse_json(*old, group.describe(key)) : Json();
      return copy_of(bytes_of(dump_document(with_copies(std::move(contents), version, copies), version)));
    });
  }
  fail(ErrorKind::io, "'{}': documents below it were changed {} times while they were consolidated; try again later",
       group.describe(""), kMostTries);
}

std::vector<Problem> stale_copies(const Store& group, int version, const Work& work) {
  const std::string file(file_of_copies(version));
  const std::optional<Json> contents = document_at(group, file);
  const Json* copies = contents ? copies_in(*contents, version, group.describe(file)) : nullptr;
  if (!copies) return {};
  return differences(collect(group, version, work), listed(*copies), version, file);
}

std::vector<Problem> stale_copies(const Store& group, int version, const std::string& path, const Store& node) {
  const std::string file(file_of_copies(version));
  const std::optional<Json> contents = document_at(group, file);
  const Json* copies = contents ? copies_in(*contents, version, group.describe(file)) : nullptr;
  if (!copies) return {};
  Copies there, copied;
  for (const std::string_view name : document_names(version)) {
    const std::string key = key_of(path, name, version);
    if (std::optional<Json> document = document_at(node, name)) there.emplace(key, *std::move(document));
    if (const auto found = copies->find(key); found != copies->end()) copied.emplace(key, *found);
  }
  return differences(there, copied, version, group.describe(file));
}

}  // namespace tegula::zarr
