#include "format/tiledb/listing/commit_files.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"

namespace tegula::tiledb {

namespace {

// The commits in .con files that no .ign file cancels.
std::set<std::string> consolidated_commits(const Store& store) {
  std::set<std::string> commits, ignored;
  for (const Entry& entry : store.list(kCommitsFolder)) {
    const std::string_view kind = extension(entry.name);
    if (kind != ".con" && kind != ".ign") continue;
    const std::string key = join(kCommitsFolder, entry.name);
    const std::optional<Bytes> file = store.get(key);
    if (!file) continue;
    for (CommitLine& line : decode_commits(*file, store.describe(key), kind == ".con"))
      (kind == ".con" ? commits : ignored).insert(std::move(line.path));
  }
  for (const std::string& path : ignored) commits.erase(path);
  return commits;
}

}  // namespace

std::string commit_file(std::string_view name, std::uint32_t version) {
  if (in_commits_folder(version)) return join(kCommitsFolder, std::string(name) + ".wrt");
  return has_ok_files(version) ? std::string(name) + ".ok" : std::string();
}

void remove_together(Store& store, std::span<const FragmentEntry> fragments) {
  const bool known = std::any_of(fragments.begin(), fragments.end(),
                                 [](const FragmentEntry& entry) { return in_commits_folder(entry.time.version); });
  if (fragments.size() > 1 && known) {
    const std::set<std::string> consolidated = consolidated_commits(store);
    std::string lines;
    std::uint64_t first = UINT64_MAX, last = 0;
    for (const FragmentEntry& entry : fragments) {
      const std::string commit = commit_file(entry.name, entry.time.version);
      if (commit.empty() || consolidated.contains(commit)) continue;
      lines += commit + "\n";
      first = std::min(first, entry.time.first);
      last = std::max(last, entry.time.last);
    }
    if (!lines.empty())
      store.put_text(join(kCommitsFolder, make_timed_name(first, last, make_ordered_uuid(), kWriteVersion) + ".con"),
                     lines);
  }
  remove_fragments(store, fragments);
}

void remove_fragments(Store& store, std::span<const FragmentEntry> fragments, const Store* known) {
  if (fragments.empty()) return;
  const Store& seen = known ? *known : store;
  std::uint64_t first = UINT64_MAX, last = 0;
  std::set<std::string_view> changed;
  for (const FragmentEntry& entry : fragments) {
    const std::string commit = commit_file(entry.name, entry.time.version);
    first = std::min(first, entry.time.first);
    last = std::max(last, entry.time.last);
    changed.insert(commit.empty()                          ? std::string_view(entry.folder)
                   : in_commits_folder(entry.time.version) ? kCommitsFolder
                                                           : std::string_view());
  }
  std::vector<std::string> keys;
  for (const FragmentEntry& entry : fragments) {
    const std::string commit = commit_file(entry.name, entry.time.version);
    keys.push_back(commit.empty() ? join(entry.folder, kFragmentMetadataFile) : commit);
  }
  // A batch has no order. That matters where each commit counts by itself: nobody may see older cells again.
  if (std::all_of(fragments.begin(), fragments.end(),
                  [](const FragmentEntry& entry) { return in_commits_folder(entry.time.version); }))
    store.remove(keys);
  else
    for (const std::string& key : keys) store.remove(key);
  // The removal of a commit file must be durable before the folder loses files.
  for (const std::string_view folder : changed) store.sync_folder(folder);
  // A commit file counts in spite of an .ign file: it must be gone first. What another process has put into a .con file
  // until then is struck out, too.
  std::string ignored;
  const std::set<std::string> consolidated = consolidated_commits(store);
  for (const FragmentEntry& entry : fragments)
    if (const std::string commit = commit_file(entry.name, entry.time.version); consolidated.contains(commit))
      ignored += commit + "\n";
  if (!ignored.empty())
    store.put_text(join(kCommitsFolder, make_timed_name(first, last, make_ordered_uuid(), kWriteVersion) + ".ign"),
                   ignored);
  if (store.hints().empty_folders) {
    for (const FragmentEntry& entry : fragments) store.remove_tree(entry.folder);
    return;
  }
  keys.clear();
  for (const FragmentEntry& entry : fragments)
    for (ListedFile& file : seen.list_all(entry.folder).files) keys.push_back(std::move(file.key));
  store.remove(keys);
}

}  // namespace tegula::tiledb
