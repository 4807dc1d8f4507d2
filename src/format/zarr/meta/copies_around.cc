#include "format/zarr/meta/copies_around.h"

#include <algorithm>

#include "base/current_work.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "format/zarr/meta/consolidated.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "store/replace_file.h"

namespace tegula::zarr {

namespace {

constexpr std::size_t kMostFolders = 16;

// Does this file of the folder hold copies?
bool holds_copies(const FolderAround& folder, int version, ByteView contents) {
  const std::string name = folder.store->describe(file_of_copies(version));
  return copies_in(parse_json(contents, name), version, name) != nullptr;
}

// One file of each folder; none where it is absent or may not be read. Remote ones with one batch, of the farthest
// folder, which holds the others.
std::vector<std::optional<Bytes>> read_each(const std::vector<FolderAround>& folders, std::string_view file) {
  std::vector<std::optional<Bytes>> out(folders.size());
  if (folders.empty()) return out;
  const Store& farthest = *folders.back().store;
  const std::string& whole = folders.back().path;
  const bool remote = farthest.hints().remote();
  std::vector<std::string> keys;
  for (const FolderAround& folder : folders) {
    std::string prefix = whole.substr(0, whole.size() - folder.path.size());
    while (prefix.ends_with('/')) prefix.pop_back();
    keys.push_back(join(prefix, file));
  }
  std::vector<FileRead> reads;
  for (std::size_t i = 0; i < folders.size(); ++i)
    reads.push_back({.key = remote ? std::string_view(keys[i]) : file, .may_fail = true});
  if (remote) farthest.get(std::span<FileRead>(reads));
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (!remote) folders[i].store->get(std::span(&reads[i], 1));
    if (reads[i].found) out[i] = std::move(reads[i].found->bytes);
  }
  return out;
}

}  // namespace

std::vector<FolderAround> folders_around(const Store& node) {
  std::vector<FolderAround> folders;
  std::string path;
  std::optional<FolderOf> at = node.around();
  while (at && folders.size() < kMostFolders) {
    if (at->name.starts_with(kTemporaryPrefix)) return {};
    path = join(at->name, path);
    folders.push_back({at->store, path});
    at = at->store->around();
  }
  return folders;
}

CopiesAround::CopiesAround(std::shared_ptr<Store> node, int version, ObjectKind kind)
    : node_(std::move(node)), version_(version) {
  if (version < 2) return;
  // A group of format 2 has a copy of its own documents as well.
  if (version == 2 && kind == ObjectKind::group) folders_.push_back({node_, ""});
  for (FolderAround& folder : folders_around(*node_)) folders_.push_back(std::move(folder));
  copies();
}

std::vector<FolderAround> CopiesAround::copies() const {
  std::vector<FolderAround> found;
  const std::vector<std::optional<Bytes>> contents = read_each(folders_, file_of_copies(version_));
  for (std::size_t i = 0; i < folders_.size(); ++i)
    if (contents[i] && holds_copies(folders_[i], version_, *contents[i])) found.push_back(folders_[i]);
  return found;
}

void CopiesAround::refresh(bool all_below) const {
  if (folders_.empty()) return;
  // The change is made: a cancellation that comes now comes too late.
  const Work uncancelled;
  const CurrentWork current(uncancelled);
  const std::string file(file_of_copies(version_));
  try {
    for (const FolderAround& folder : copies())
      replace_file(*folder.store, file, [&](std::optional<ByteView> old) -> std::optional<Bytes> {
        if (!old) return std::nullopt;
        const std::string name = folder.store->describe(file);
        const std::optional<Json> changed =
            with_node(parse_json(*old, name), version_, name, folder.path, *node_, all_below);
        if (!changed) return std::nullopt;
        return copy_of(bytes_of(dump_document(*changed, version_)));
      });
  } catch (const Error& error) {
    fail(error.kind(),
         "{}. The change itself is made, but not in the consolidated metadata of a group around it: `tegula "
         "consolidate` on that group brings it in step",
         error_message(error));
  }
}

std::vector<Problem> CopiesAround::stale() const {
  std::vector<Problem> problems;
  for (const FolderAround& folder : copies())
    for (Problem& problem : stale_copies(*folder.store, version_, folder.path, *node_))
      problems.push_back(std::move(problem));
  return problems;
}

void make_groups_around(const Store& node, int version) {
  if (version < 2) return;
  const std::vector<FolderAround> folders = folders_around(node);
  const std::string_view file = kDocuments[version].group;
  const std::vector<std::optional<Bytes>> documents = read_each(folders, file);
  std::size_t nearest = 0;
  while (nearest < folders.size() && !documents[nearest]) ++nearest;
  if (nearest == 0 || nearest == folders.size()) return;
  const Json document = parse_json(*documents[nearest], folders[nearest].store->describe(file));
  if (version == 3 && (!document.is_object() || document.value("node_type", Json()) != "group")) return;
  for (std::size_t i = nearest; i-- > 0;) {
    const CopiesAround copies(folders[i].store, version, ObjectKind::group);
    const std::string text = dump_document(group_document(version), version);
    const ByteView bytes = bytes_of(text);
    folders[i].store->put_if(file, std::span(&bytes, 1), "");  // unless somebody else was first
    copies.refresh();
  }
}

}  // namespace tegula::zarr
