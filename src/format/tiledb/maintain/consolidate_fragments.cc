// The order of a merge: new fragments, their commit, the .vac file that hides the inputs. Between the last two a reader
// sees inputs and outputs, which show the same cells, unless the array allows duplicates: then a .merge file comes
// first and counts as the .vac file once the outputs are committed. Versions 3 and 4 have no .vac files. There the
// inputs are removed, oldest first: those that are left still hide the merged cells.
#include "format/tiledb/maintain/consolidate_fragments.h"

#include <algorithm>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/commit_files.h"
#include "format/tiledb/maintain/dense_merge.h"
#include "format/tiledb/maintain/merge_plan.h"
#include "format/tiledb/maintain/sparse_merge.h"
#include "format/tiledb/read/snapshot.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kUnfinished = ".merge";

std::string beside_commit_file(std::string_view name, std::uint32_t version, std::string_view extension) {
  const std::string file = std::string(name) + std::string(extension);
  return in_commits_folder(version) ? join(kCommitsFolder, file) : file;
}

class FragmentMerge {
 public:
  FragmentMerge(const MaintainedArray& array, const ArrayContents& contents, const Merge& merge,
                const ConsolidateOptions& options)
      : array_(array),
        contents_(contents),
        merge_(merge),
        options_(options),
        version_(written_version(*contents.schema)),
        target_{array.store, contents.files.key, contents.schema,
                contents.schema_key.substr(contents.schema_key.rfind('/') + 1)} {}

  Consolidation run() {
    const Context doing([&] { return fmt::format("consolidating '{}'", array_.store->describe("")); });
    ArrayContents part = contents_;
    part.entries = merge_.inputs;
    part.fragments = merge_.fragments;
    const auto snapshot = std::make_shared<const Snapshot>(array_.store, array_.options, std::move(part));
    const MergeRules rules{options_.keep_times, options_.purge_deleted, options_.max_fragment_size};
    NewFragments fragments = contents_.schema->sparse
                                 ? merge_sparse(target_, snapshot, rules, options_.work)
                                 : merge_dense(target_, snapshot, options_.max_fragment_size, options_.work);
    Consolidation done = merge_.what;
    for (const auto& fragment : fragments) done.outputs.push_back(fragment->name());
    if (version_ < 5) {
      for (const auto& fragment : fragments) fragment->hand_over();
      remove_fragments(*array_.store, merge_.inputs);
    } else {
      check_inputs();
      commit(fragments);
    }
    return done;
  }

 private:
  // Another process may have merged or deleted them meanwhile.
  void check_inputs() const {
    const std::vector<FragmentEntry> now =
        visible_fragments(list_array(*array_.store), contents_.window, contents_.schema->sparse);
    std::set<std::string_view> names;
    for (const FragmentEntry& entry : now) names.insert(entry.name);
    for (const FragmentEntry& input : merge_.inputs)
      if (!names.contains(input.name))
        fail(ErrorKind::io, "fragment {} was merged or deleted by another process; start again", input.name);
  }

  void commit(const NewFragments& fragments) const {
    Store& store = *array_.store;
    std::string items;
    for (const FragmentEntry& input : merge_.inputs) items += vacuum_line(store, input.folder, version_) + "\n";
    // The .vac file of a merge without outputs has a name of its own.
    const std::string name = fragments.empty() ? new_name() : fragments.front()->name();
    const std::string unfinished = beside_commit_file(name, version_, kUnfinished);
    const bool twice = contents_.schema->allows_duplicates && !fragments.empty();
    if (twice) store.put_text(unfinished, items);
    commit_fragments(store, fragments, times().first, times().last);
    store.put_text(beside_commit_file(name, version_, ".vac"), items);
    if (twice) store.remove(unfinished);
  }

  FragmentTimes times() const {
    FragmentTimes times{UINT64_MAX, 0};
    for (const FragmentEntry& input : merge_.inputs) {
      times.first = std::min(times.first, input.time.first);
      times.last = std::max(times.last, input.time.last);
    }
    return times;
  }
  std::string new_name() const { return make_timed_name(times().first, times().last, make_ordered_uuid(), version_); }

  const MaintainedArray& array_;
  const ArrayContents& contents_;
  const Merge& merge_;
  const ConsolidateOptions& options_;
  const std::uint32_t version_;
  const WriteTarget target_;
};

}  // namespace

void finish_merges(Store& store, const ArrayListing& listing) {
  for (const VacuumEntry& entry : listing.vacuumed) {
    if (!entry.unfinished) continue;
    const std::optional<Bytes> items = store.get(entry.key);
    if (!items) continue;
    store.put(std::string(without_extension(entry.key)) + ".vac", *items);
    store.remove(entry.key);
  }
}

std::vector<Consolidation> consolidate_fragments(const MaintainedArray& array, const ConsolidateOptions& options,
                                                 Doing doing) {
  ArrayContents contents = open_now(array);
  const std::uint32_t version = written_version(*contents.schema);
  if (options.max_fragment_size != UINT64_MAX && !in_commits_folder(version))
    fail(ErrorKind::unsupported,
         "several fragments can be committed together from format version 12 on, the array has version {}; leave the "
         "size of fragments open",
         contents.schema->version);
  if (doing == Doing::change) finish_merges(*array.store, contents.listing);
  load_fragments(contents, options.work);
  const std::vector<Merge> merges = plan_merges(contents, options).merges;
  std::vector<Consolidation> result;
  for (const Merge& merge : merges)
    result.push_back(doing == Doing::plan ? merge.what : FragmentMerge(array, contents, merge, options).run());
  return result;
}

}  // namespace tegula::tiledb
