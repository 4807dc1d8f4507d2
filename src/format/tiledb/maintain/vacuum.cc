// Removes only what no reader of the present looks at, and the file that hides it last: wherever a vacuum stops, the
// array reads the same, and the next vacuum continues.
#include "format/tiledb/maintain/vacuum.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/commit_files.h"
#include "format/tiledb/maintain/consolidate_fragments.h"
#include "store/wrap/known_store.h"

namespace tegula::tiledb {

namespace {

class Vacuum {
 public:
  Vacuum(const MaintainedArray& array, const VacuumOptions& options)
      : store_(*array.store), known_(store_), options_(options), now_{0, now_ms()} {
    if (store_.hints().remote()) known_.learn(store_.list_all(""));
    listing_ = list_array(store_, &known_);
  }

  std::vector<std::string> run() && {
    switch (options_.part) {
      case Part::fragments:
        fragments();
        break;
      case Part::fragment_metadata:
        footers();
        break;
      case Part::commits:
        commits();
        break;
      case Part::array_metadata:
        metadata();
        break;
    }
    return std::move(removed_);
  }

 private:
  void fragments() {
    if (!options_.dry_run) finish_merges(store_, listing_);
    std::map<std::string, FragmentEntry> gone;  // by folder
    std::vector<std::string> files;
    for (const VacuumEntry& entry : listing_.vacuumed) {
      if (!now_.contains(entry.time.first, entry.time.last)) continue;
      for (const std::string& item : entry.items) {
        const std::string name(last_part(item));
        if (const std::optional<TimedName> time = parse_timed_name(name)) gone[item] = {name, item, *time};
      }
      files.push_back(entry.unfinished ? std::string(without_extension(entry.key)) + ".vac" : entry.key);
    }
    std::vector<FragmentEntry> oldest_first;
    for (auto& [folder, entry] : gone) {
      if (!known_.list(folder).empty()) removed_.push_back(folder);
      const std::string file = commit_file(entry.name, entry.time.version);
      if (!file.empty() && known_.has(file)) removed_.push_back(file);
      oldest_first.push_back(std::move(entry));
    }
    std::sort(oldest_first.begin(), oldest_first.end(), [](const FragmentEntry& a, const FragmentEntry& b) {
      return std::tie(a.time.first, a.name) < std::tie(b.time.first, b.name);
    });
    if (!options_.dry_run) remove_fragments(store_, oldest_first, &known_);
    remove(files);
  }

  void footers() {
    // Readers take footers from the newest file only.
    std::vector<std::string> files = listing_.footer_files;
    if (!files.empty()) files.pop_back();
    remove(files);
  }

  struct CommitFile {
    std::string key;
    std::set<std::string> lines;
  };
  void commits() {
    std::vector<CommitFile> consolidated, ignoring;
    std::set<std::string> ignored;
    for (const Entry& entry : known_.list(kCommitsFolder)) {
      const std::string_view kind = extension(entry.name);
      if (entry.folder || (kind != ".con" && kind != ".ign")) continue;
      CommitFile file{join(kCommitsFolder, entry.name), {}};
      const std::optional<Bytes> bytes = store_.get(file.key);
      if (!bytes) continue;
      for (CommitLine& line : decode_commits(*bytes, store_.describe(file.key), kind == ".con"))
        file.lines.insert(std::move(line.path));
      if (kind == ".ign") ignored.insert(file.lines.begin(), file.lines.end());
      (kind == ".con" ? consolidated : ignoring).push_back(std::move(file));
    }
    if (consolidated.empty()) return;
    // The lines that count through files of commits alone. A delete counts whatever an .ign file says.
    std::set<std::string> counts;
    for (const CommitFile& file : consolidated)
      for (const std::string& line : file.lines)
        if (extension(line) == ".del" || !ignored.contains(line)) counts.insert(line);
    std::vector<std::string> singles;
    for (const std::string& line : counts)
      if (known_.has(line)) singles.push_back(line);
    remove(singles);

    const auto whole = std::find_if(consolidated.rbegin(), consolidated.rend(), [&](const CommitFile& file) {
      return std::includes(file.lines.begin(), file.lines.end(), counts.begin(), counts.end());
    });
    if (whole == consolidated.rend()) return;
    std::vector<std::string> others, strikes;
    for (const CommitFile& file : consolidated)
      if (file.key != whole->key) others.push_back(file.key);
    remove(others);
    // An .ign file stays as long as a file with lines that it strikes out.
    for (const CommitFile& file : ignoring)
      if (std::none_of(file.lines.begin(), file.lines.end(),
                       [&](const std::string& line) { return whole->lines.contains(line); }))
        strikes.push_back(file.key);
    remove(strikes);
  }

  void metadata() {
    std::vector<std::string> items, files;
    for (const Entry& entry : known_.list(kMetadataFolder)) {
      const std::optional<TimedName> time = parse_timed_name(entry.name);
      if (!time || entry.folder || extension(entry.name) != ".vac" || !now_.contains(time->first, time->last)) continue;
      const std::string key = join(kMetadataFolder, entry.name);
      const std::optional<Bytes> bytes = store_.get(key);
      if (!bytes) continue;
      for (const CommitLine& line : decode_commits(*bytes, store_.describe(key), false))
        if (std::string item = vacuumed_key(line.path); item.starts_with(kMetadataFolder) && known_.has(item))
          items.push_back(std::move(item));
      files.push_back(key);
    }
    remove(items);
    remove(files);
  }

  // Syncs the folders, so that the removals are durable before anything else is removed.
  void remove(const std::vector<std::string>& keys) {
    removed_.insert(removed_.end(), keys.begin(), keys.end());
    if (options_.dry_run || keys.empty()) return;
    constexpr std::size_t kAtOnce = 1000;  // files that S3 removes with one request
    for (std::size_t i = 0; i < keys.size(); i += kAtOnce) {
      options_.work.check();
      store_.remove(std::span(keys).subspan(i, std::min(kAtOnce, keys.size() - i)));
    }
    std::set<std::string> folders;
    for (const std::string& key : keys) folders.insert(key.substr(0, std::max<std::size_t>(key.rfind('/') + 1, 1) - 1));
    for (const std::string& folder : folders) store_.sync_folder(folder);
  }

  Store& store_;
  KnownStore known_;  // what was there when the vacuum began
  const VacuumOptions& options_;
  ArrayListing listing_;
  const TimeWindow now_;
  std::vector<std::string> removed_;
};

}  // namespace

std::vector<std::string> vacuum_array(const MaintainedArray& array, const VacuumOptions& options) {
  const Context doing([&] { return fmt::format("vacuuming '{}'", array.store->describe("")); });
  return Vacuum(array, options).run();
}

}  // namespace tegula::tiledb
