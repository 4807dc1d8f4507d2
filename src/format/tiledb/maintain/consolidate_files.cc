#include "format/tiledb/maintain/consolidate_files.h"

#include <algorithm>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/disk/consolidated_footers.h"
#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/commit_files.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/write/evolve.h"
#include "store/wrap/known_store.h"

namespace tegula::tiledb {

namespace {

std::string spanning_name(std::span<const TimedName> times, std::uint32_t version) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const TimedName& time : times) {
    first = std::min(first, time.first);
    last = std::max(last, time.last);
  }
  return make_timed_name(first, last, make_ordered_uuid(), version);
}

std::uint64_t size_of(const Store& store, const std::vector<std::string>& keys) {
  std::uint64_t bytes = 0;
  for (const std::string& key : keys) bytes += store.size(key).value_or(0);
  return bytes;
}

void need_version(const ArraySchema& schema, std::uint32_t version, std::string_view what) {
  if (written_version(schema) < version)
    fail(ErrorKind::unsupported, "{} can be consolidated from format version {} on, the array has version {}", what,
         version, schema.version);
}

}  // namespace

std::vector<Consolidation> consolidate_footers(const MaintainedArray& array, Doing doing, const Work& work) {
  const Context context([&] { return fmt::format("consolidating the footers of '{}'", array.store->describe("")); });
  ArrayContents contents = open_now(array);
  need_version(*contents.schema, 5, "fragment metadata");
  load_fragments(contents, work);
  const std::uint32_t version = written_version(*contents.schema);
  Consolidation done;
  std::vector<TimedName> times;
  std::vector<std::pair<std::string, Bytes>> footers;
  for (const auto& fragment : contents.fragments) {
    if (monolithic_metadata(fragment->version())) continue;
    done.inputs.push_back(join(fragment->folder(), kFragmentMetadataFile));
    times.push_back({fragment->first_time(), fragment->last_time(), 0});
    footers.emplace_back(relative_footer_names(version) ? fragment->name() : array.store->uri(fragment->folder()),
                         Bytes());
    encode_footer(fragment->footer(), fragment->schema(), footers.back().second);
    done.bytes += footers.back().second.size();
  }
  if (footers.size() < 2) return {};
  if (doing == Doing::change) {
    std::vector<std::pair<std::string, ByteView>> views(footers.begin(), footers.end());
    Bytes payload;
    encode_footers(views, payload);
    const std::string file = spanning_name(times, version) + ".meta";
    done.outputs.push_back(in_commits_folder(version) ? join(kFragmentMetaFolder, file) : file);
    put_payload(*array.store, done.outputs.back(), payload, version, contents.files.key);
  }
  return {done};
}

std::vector<Consolidation> consolidate_commits(const MaintainedArray& array, Doing doing) {
  const Context context([&] { return fmt::format("consolidating the commits of '{}'", array.store->describe("")); });
  Store& store = *array.store;
  const ArrayContents contents = open_now(array);
  KnownStore known(store);
  if (store.hints().remote()) known.learn(store.list_all(""));
  need_version(*contents.schema, 12, "commits");
  // Fragments that a .vac file hides keep their own commit files: a vacuum that runs beside this may have removed some,
  // and a line for a fragment that is gone would make the array unreadable.
  std::set<std::string_view> hidden;
  for (const VacuumEntry& entry : contents.listing.vacuumed) hidden.insert(entry.items.begin(), entry.items.end());
  std::set<std::string> kept;
  for (const FragmentEntry& entry : contents.listing.fragments)
    if (hidden.contains(entry.folder)) kept.insert(commit_file(entry.name, entry.time.version));
  // The files that the new one replaces. An .upd file stays: consolidated files cannot hold it.
  Consolidation done;
  for (const Entry& entry : known.list(kCommitsFolder)) {
    const std::string_view kind = extension(entry.name);
    std::string key = join(kCommitsFolder, entry.name);
    if ((kind == ".wrt" || kind == ".del" || kind == ".con") && !kept.contains(key))
      done.inputs.push_back(std::move(key));
  }
  Bytes file;
  ByteWriter out(file);
  std::vector<TimedName> times;
  for (const FragmentEntry& entry : contents.listing.fragments) {
    const std::string commit = commit_file(entry.name, entry.time.version);
    if (commit.empty() || kept.contains(commit)) continue;
    if (!in_commits_folder(entry.time.version) && known.has(commit)) done.inputs.push_back(commit);
    times.push_back(entry.time);
    out.text(commit + "\n");
  }
  std::vector<std::string> conditions;
  for (const ConditionEntry& condition : contents.listing.conditions)
    if (!condition.update) conditions.push_back(condition.place.key);
  known.learn_files(conditions);
  for (const ConditionEntry& condition : contents.listing.conditions) {
    if (condition.update) continue;
    const BytesPlace& place = condition.place;
    const std::optional<Bytes> bytes =
        place.size ? known.get(place.key, place.offset, *place.size) : known.get(place.key);
    if (!bytes) fail(ErrorKind::io, "{}: listed, but gone when read; start again", store.describe(place.key));
    times.push_back({condition.time, condition.time, 0});
    out.text(condition.marker + "\n");
    out.put(std::uint64_t{bytes->size()});
    out.bytes(*bytes);
  }
  if (done.inputs.size() < 2 || times.empty()) return {};
  done.bytes = size_of(known, done.inputs);
  if (doing == Doing::change) {
    done.outputs.push_back(join(kCommitsFolder, spanning_name(times, written_version(*contents.schema)) + ".con"));
    store.put(done.outputs.back(), file);
  }
  return {done};
}

std::vector<Consolidation> consolidate_metadata(const MaintainedArray& array, Doing doing, const Work& work) {
  const Context context([&] { return fmt::format("consolidating the metadata of '{}'", array.store->describe("")); });
  Store& store = *array.store;
  const ArrayContents contents = open_now(array);
  need_version(*contents.schema, 4, "array metadata");
  const std::uint32_t version = written_version(*contents.schema);
  Consolidation done;
  done.inputs = timed_files(store, kMetadataFolder, contents.window);
  if (done.inputs.size() < 2) return {};
  done.bytes = size_of(store, done.inputs);
  if (doing == Doing::plan) return {done};
  std::vector<TimedName> times;
  std::string items;
  for (const std::string& key : done.inputs) {
    times.push_back(*parse_timed_name(std::string_view(key).substr(key.rfind('/') + 1)));
    items += vacuum_line(store, key, version) + "\n";
  }
  std::vector<MetadataEntry> entries;
  for (auto& [key, value] : read_metadata(store, contents.files.key, done.inputs, work))
    entries.push_back({key, std::move(value)});
  Bytes payload;
  encode_metadata(entries, payload);
  done.outputs.push_back(join(kMetadataFolder, spanning_name(times, 0)));
  put_payload(store, done.outputs.back(), payload, version, contents.files.key);
  if (version >= 5) {
    store.put_text(done.outputs.back() + ".vac", items);
  } else {
    // Oldest first: those that are left still come after the merged one.
    for (const std::string& key : done.inputs) store.remove(key);
    store.sync_folder(kMetadataFolder);
  }
  return {done};
}

}  // namespace tegula::tiledb
