// libtiledb's rules for what of an array's folder counts, in the order in which they apply:
//   - a fragment of versions 1 to 4 counts when its metadata file is there, of 5 to 11 when "<name>.ok" is, a later
//     one when "__commits/<name>.wrt" is; a .con file replaces the commit files that it lists;
//   - what an .ign file lists does not count through a .con file, but still through a commit file of its own;
//   - what a .vac file lists is hidden where the fragment that replaces it is seen.
// One file is our own: <fragment>.merge says what its .vac is going to say, and counts once the fragment does.
#include "format/tiledb/listing/array_listing.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/disk/versions.h"
#include "store/wrap/known_store.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kKnownFolders[] = {kSchemaFolder,   kFragmentsFolder, kCommitsFolder, kFragmentMetaFolder,
                                              kMetadataFolder, kLabelsFolder,    kGroupFolder};

bool is_known_folder(std::string_view name) {
  return std::find(std::begin(kKnownFolders), std::end(kKnownFolders), name) != std::end(kKnownFolders);
}

// A file was listed, and removed before it was read.
struct Gone {
  std::string key;
};

class Lister {
 public:
  // `known` is the store with what was read of it.
  Lister(const Store& known, const Store& store) : store_(known), now_(store) {}

  ArrayListing run() {
    const std::vector<Entry> root = store_.list("");
    bool has_schema_folder = false, has_footer_folder = false;
    for (const Entry& entry : root) {
      if (entry.folder) {
        root_folders_.insert(entry.name);
        has_schema_folder |= entry.name == kSchemaFolder;
        has_footer_folder |= entry.name == kFragmentMetaFolder;
        out_.has_commits_folder |= entry.name == kCommitsFolder;
        out_.has_metadata_folder |= entry.name == kMetadataFolder;
      } else if (entry.name == kOldSchemaFile) {
        out_.schemas.emplace_back(kOldSchemaFile);
      }
    }
    if (has_schema_folder) list_schemas();
    if (out_.schemas.empty())
      fail(ErrorKind::not_found, "{}: no __schema and no __array_schema.tdb: not a TileDB array", store_.describe(""));
    if (out_.has_commits_folder) commits_ = store_.list(kCommitsFolder);
    read_documents(root);
    list_root(root);
    list_commits();
    if (has_footer_folder) list_footers();
    finish();
    return std::move(out_);
  }

 private:
  void list_schemas() {
    for (const Entry& entry : store_.list(kSchemaFolder))
      if (!entry.folder && parse_timed_name(entry.name)) out_.schemas.push_back(join(kSchemaFolder, entry.name));
  }

  void list_root(const std::vector<Entry>& root) {
    bool without_metadata = false;
    for (const Entry& entry : root) {
      const std::optional<TimedName> time = parse_timed_name(entry.name);
      if (!time) continue;
      const std::string_view kind = extension(entry.name);
      if (entry.folder) {
        if (!kind.empty() || is_known_folder(entry.name) || time->version >= 5) continue;
        if (store_.has(join(entry.name, kFragmentMetadataFile)))
          add_fragment(entry.name, entry.name, *time);
        else
          without_metadata = true;
      } else if (kind == ".ok") {
        add_commit_file(entry.name);
      } else if (kind == ".vac" || kind == ".merge") {
        vacuum_files_.emplace_back(entry.name, *time);
      } else if (kind == ".meta") {
        footer_files_.emplace_back(*time, entry.name);
      }
    }
    if (without_metadata) check_replaced(root);
  }

  // A fragment of versions 1 to 4 without its metadata file was not committed, or has just been vacuumed. Then what
  // replaces it is there by now, and may have come after the listing.
  void check_replaced(const std::vector<Entry>& root) const {
    for (const Entry& entry : now_.list(""))
      if (parse_timed_name(entry.name) && !std::ranges::binary_search(root, entry.name, {}, &Entry::name))
        throw Gone{store_.describe(entry.name)};
  }

  // The .con, .ign, .vac and .merge files, with one batch.
  void read_documents(const std::vector<Entry>& root) {
    const auto add = [&](std::string_view folder, const std::vector<Entry>& entries) {
      for (const Entry& entry : entries) {
        const std::string_view kind = extension(entry.name);
        const bool document = kind == ".con" || kind == ".ign" || kind == ".vac" || kind == ".merge";
        if (document && !entry.folder && parse_timed_name(entry.name)) documents_[join(folder, entry.name)] = {};
      }
    };
    add("", root);
    add(kCommitsFolder, commits_);
    if (documents_.empty()) return;
    std::vector<FileRead> reads;
    for (const auto& [key, bytes] : documents_) reads.push_back({.key = key});
    now_.get(std::span<FileRead>(reads));
    auto read = reads.begin();
    for (auto& [key, bytes] : documents_) {
      if (read->found) bytes = std::move(read->found->bytes);
      ++read;
    }
  }

  void list_commits() {
    for (const Entry& entry : commits_) {
      const std::optional<TimedName> time = parse_timed_name(entry.name);
      if (!time || entry.folder) continue;
      const std::string key = join(kCommitsFolder, entry.name);
      const std::string_view kind = extension(entry.name);
      if (kind == ".wrt") {
        add_commit_file(key);
      } else if (kind == ".del" || kind == ".upd") {
        add_condition(key, {key, 0, std::nullopt});
      } else if (kind == ".vac" || kind == ".merge") {
        vacuum_files_.emplace_back(key, *time);
      } else if (kind == ".con") {
        consolidated_.push_back(key);
      } else if (kind == ".ign") {
        for (const CommitLine& line : decode_commits(must_get(key), key, false)) ignored_.insert(line.path);
      }
    }
    for (const std::string& key : consolidated_) {
      for (const CommitLine& line : decode_commits(must_get(key), key, true)) {
        const std::string_view kind = extension(line.path);
        if (kind == ".del") {
          add_condition(line.path, {key, line.offset, line.size});
        } else if ((kind == ".wrt" || kind == ".ok") && !ignored_.contains(line.path)) {
          add_commit_file(line.path);
        }
      }
    }
  }

  void list_footers() {
    for (const Entry& entry : store_.list(kFragmentMetaFolder)) {
      const std::optional<TimedName> time = parse_timed_name(entry.name);
      if (time && !entry.folder && extension(entry.name) == ".meta")
        footer_files_.emplace_back(*time, join(kFragmentMetaFolder, entry.name));
    }
  }

  const Bytes& must_get(const std::string& key) const {
    const std::optional<Bytes>& bytes = documents_.at(key);
    if (!bytes) throw Gone{store_.describe(key)};
    return *bytes;
  }

  // A .wrt below __commits, or an .ok in the root.
  void add_commit_file(std::string_view path) {
    const std::string name(without_extension(last_part(path)));
    const std::optional<TimedName> time = parse_timed_name(name);
    if (!time || time->version < 5) return;
    const bool modern = in_commits_folder(time->version);
    if (modern != (extension(path) == ".wrt")) return;
    // In the root, libtiledb starts from the folders and ignores a commit file without one.
    if (!modern && !root_folders_.contains(name)) return;
    add_fragment(name, modern ? join(kFragmentsFolder, name) : name, *time);
  }

  void add_fragment(const std::string& name, std::string folder, const TimedName& time) {
    if (names_.insert(name).second) out_.fragments.push_back({name, std::move(folder), time});
  }

  void add_condition(const std::string& marker, BytesPlace place) {
    const std::optional<TimedName> time = parse_timed_name(last_part(marker));
    if (!time || !markers_.insert(marker).second) return;
    out_.conditions.push_back({marker, time->first, extension(marker) == ".upd", std::move(place)});
  }

  void finish() {
    list_vacuumed();
    std::sort(out_.fragments.begin(), out_.fragments.end(), [](const FragmentEntry& a, const FragmentEntry& b) {
      return std::tie(a.time.first, a.name) < std::tie(b.time.first, b.name);
    });
    std::sort(out_.conditions.begin(), out_.conditions.end(), [](const ConditionEntry& a, const ConditionEntry& b) {
      return std::tie(a.time, a.marker) < std::tie(b.time, b.marker);
    });
    std::sort(footer_files_.begin(), footer_files_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.last, a.second) < std::tie(b.first.last, b.second);
    });
    for (auto& [time, key] : footer_files_) out_.footer_files.push_back(std::move(key));
  }

  void list_vacuumed() {
    for (const auto& [key, time] : vacuum_files_) {
      const std::string name(without_extension(last_part(key)));
      const bool unfinished = extension(key) == ".merge";
      if (!names_.contains(name)) {
        if (unfinished) continue;
        // A listing may contain a .vac, but not the commit file that was made just before it.
        const std::string commit =
            std::string(without_extension(key)) + (in_commits_folder(time.version) ? ".wrt" : ".ok");
        if (now_.has(commit)) {
          root_folders_.insert(name);
          add_commit_file(commit);
        }
      }
      VacuumEntry entry{key, time, {}, unfinished};
      for (const CommitLine& line : decode_commits(must_get(key), key, false))
        entry.items.push_back(vacuumed_key(line.path));
      out_.vacuumed.push_back(std::move(entry));
    }
  }

  const Store& store_;
  const Store& now_;
  ArrayListing out_;
  std::set<std::string> root_folders_, names_, markers_, ignored_;
  std::vector<Entry> commits_;
  std::map<std::string, std::optional<Bytes>> documents_;
  std::vector<std::string> consolidated_;
  std::vector<std::pair<std::string, TimedName>> vacuum_files_;
  std::vector<std::pair<TimedName, std::string>> footer_files_;
};

bool visible(const TimedName& time, const TimeWindow& window, bool sparse) {
  return sparse && visible_in_part(time.version) ? window.overlaps(time.first, time.last)
                                                 : window.contains(time.first, time.last);
}

}  // namespace

std::vector<CommitLine> decode_commits(ByteView file, std::string_view name, bool with_conditions) {
  Cursor in(file, std::string(name));
  std::vector<CommitLine> lines;
  while (!in.done()) {
    const std::string_view text = text_of(in.rest());
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) in.fail("expected a line that ends, found {} bytes to the end", text.size());
    CommitLine line;
    line.path = in.string(end);
    in.skip(1);
    if (with_conditions && extension(line.path) == ".del") {
      line.size = in.read<std::uint64_t>();
      line.offset = in.offset();
      in.skip(line.size, "a delete condition");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string vacuumed_key(std::string_view line) {
  const std::string_view name = last_part(line);
  if (name.size() == line.size()) return std::string(name);
  const std::string_view folder = last_part(line.substr(0, line.size() - name.size() - 1));
  // A fragment of versions 5 to 11 lies in the array itself, which may be called like one of these folders.
  const std::optional<TimedName> time = parse_timed_name(name);
  const bool in_root = time && has_ok_files(time->version);
  const bool below = folder == kFragmentsFolder || folder == kMetadataFolder;
  return below && !in_root ? join(folder, name) : std::string(name);
}

ArrayListing list_array(const Store& store, const Store* known) {
  constexpr int kAttempts = 8;
  for (int attempt = 1;; ++attempt) {
    try {
      if (known && attempt == 1) return Lister(*known, store).run();
      KnownStore own(store);
      own.look({});
      // What does not fit one listing is listed folder by folder, side by side.
      constexpr std::string_view kFolders[] = {"", kSchemaFolder, kCommitsFolder, kFragmentMetaFolder};
      if (store.hints().remote() && !own.complete())
        parallel_for({.threads = std::size(kFolders)}, std::size(kFolders),
                     [&](std::size_t i) { own.list(kFolders[i]); });
      return Lister(own, store).run();
    } catch (const Gone& gone) {
      if (attempt == kAttempts) fail(ErrorKind::io, "{}: listed, but gone when read; open the array again", gone.key);
    }
  }
}

std::size_t schema_at(const ArrayListing& listing, std::uint64_t end) {
  for (std::size_t i = listing.schemas.size(); i-- > 0;) {
    if (listing.schemas[i] == kOldSchemaFile) return i;
    const std::optional<TimedName> time = parse_timed_name(last_part(listing.schemas[i]));
    if (time && time->last <= end) return i;
  }
  return 0;
}

std::vector<FragmentEntry> visible_fragments(const ArrayListing& listing, const TimeWindow& window, bool sparse) {
  std::set<std::string> hidden;
  for (const VacuumEntry& entry : listing.vacuumed)
    if (visible(entry.time, window, sparse)) hidden.insert(entry.items.begin(), entry.items.end());
  std::vector<FragmentEntry> fragments;
  for (const FragmentEntry& fragment : listing.fragments)
    if (visible(fragment.time, window, sparse) && !hidden.contains(fragment.folder)) fragments.push_back(fragment);
  return fragments;
}

std::vector<ConditionEntry> visible_conditions(const ArrayListing& listing, const TimeWindow& window) {
  std::vector<ConditionEntry> conditions;
  for (const ConditionEntry& condition : listing.conditions)
    if (window.contains(condition.time)) conditions.push_back(condition);
  return conditions;
}

}  // namespace tegula::tiledb
