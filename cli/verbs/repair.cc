// `tegula repair`: repairs what can be repaired without guessing.
#include <chrono>
#include <filesystem>

#include "app/verbs.h"
#include "base/fail.h"
#include "convert/resume_note.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "format/tiledb/listing/uncommitted.h"
#include "output/output.h"
#include "run/opening.h"
#include "run/problems.h"
#include "schema/schema_text.h"
#include "store/wrap/indexed_store.h"
#include "tegula/bcolz.h"
#include "tegula/capabilities.h"
#include "text/format_names.h"

namespace tegula::cli {

namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string uri;
  OpenFlags open;
  std::optional<std::uint64_t> older_than;
  bool dry_run = false;
};

constexpr std::uint64_t kHour = 60;

struct Leftover {
  std::string key;
  bool folder = false;
  std::string what;
};

std::vector<Leftover> leftovers(const Store& store, const Schema& schema) {
  std::vector<Leftover> found;
  for (const Entry& entry : store.list(""))
    if (!entry.folder && entry.name.starts_with(kTemporaryPrefix) && entry.name != kConversionKey &&
        entry.name != kIndexKey)
      found.push_back({entry.name, false, "left by a write that did not finish"});
    else if (entry.folder && entry.name == kWaitingFolder)
      found.push_back({entry.name, true, "left by an overwrite that did not finish"});
  if (capabilities(schema.format).fragments)
    for (std::string& folder : tiledb::uncommitted_fragments(store))
      found.push_back({std::move(folder), true, "a fragment that was never committed"});
  return found;
}

// Minutes since anything in a file or folder changed. Stores know no times, so this asks the file system.
std::uint64_t age_of(const fs::path& path) {
  std::error_code gone;
  fs::file_time_type last = fs::last_write_time(path, gone);
  for (fs::recursive_directory_iterator it(path, gone), end; !gone && it != end; it.increment(gone))
    last = std::max(last, it->last_write_time(gone));
  const auto age = fs::file_time_type::clock::now() - last;
  return age.count() < 0 ? 0
                         : static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::minutes>(age).count());
}

class Repair {
 public:
  Repair(const Flags& flags, const Globals& globals)
      : flags_(flags), globals_(globals), store_(store_of(flags.uri, globals)) {}

  int run() {
    if (!flags_.dry_run) placed_ = store_->recover() || finish_placing(*store_, globals_.work);
    OpenOptions options = flags_.open.options(globals_);
    options.unfinished = true;
    const std::shared_ptr<Array> array = open(store_, options);
    remove_leftovers(array->schema());
    if (flags_.dry_run || !capabilities(*array).repair)
      remaining_ = verify_all(*open(store_, options), *store_, globals_.work);
    else
      remaining_ = bcolz::repair(*array, globals_.work);
    for (const Leftover& item : removed_)
      std::erase_if(remaining_, [&](const Problem& problem) { return problem.file == item.key; });
    report(array->schema());
    return damage_count(remaining_) ? kProblems : kOk;
  }

 private:
  // A young file may belong to a writer that is still at work, and then so may every other unfinished file.
  void remove_leftovers(const Schema& schema) {
    const std::vector<Leftover> found = leftovers(*store_, schema);
    const std::uint64_t oldest = flags_.older_than.value_or(kHour);
    const std::string_view uri = flags_.uri;
    const fs::path root(uri.starts_with("file://") ? uri.substr(7) : uri);
    for (const Leftover& item : found)
      if (age_of(root / item.key) < oldest) {
        kept_ = fmt::format(
            "{} was written to within {} minutes: a writer may be at work, so nothing unfinished is "
            "removed (--older-than MINUTES)",
            item.key, oldest);
        return;
      }
    for (const Leftover& item : found) {
      globals_.work.check();
      if (!flags_.dry_run) {
        if (item.folder)
          store_->remove_tree(item.key);
        else
          store_->remove(item.key);
      }
      removed_.push_back(item);
    }
    if (!removed_.empty() && !flags_.dry_run) store_->sync_folder("");
  }

  void report(const Schema& schema) const {
    if (globals_.json) {
      JsonWriter json;
      json.begin('{').key("uri").text(flags_.uri).key("ok").number(damage_count(remaining_) == 0);
      json.key("dry_run").number(flags_.dry_run).key("overwrite_finished").number(placed_).key("removed").begin('[');
      for (const Leftover& item : removed_) json.text(item.key);
      json.end(']').key("kept").text(kept_).key("problems");
      write_problems(json, remaining_);
      return print(json.end('}').line());
    }
    if (placed_) print("finished an overwrite that had been stopped\n");
    for (const Leftover& item : removed_)
      print(fmt::format("{} {}: {}\n", flags_.dry_run ? "would remove" : "removed", item.key, item.what));
    if (!kept_.empty()) print(kept_ + "\n");
    print(problem_lines(remaining_));
    if (const std::size_t damaged = damage_count(remaining_))
      print(fmt::format("{}: {} {} damaged\n", flags_.uri, damaged, damaged == 1 ? "place is" : "places are"));
    else
      print(fmt::format("{}: {}, everything decodes\n", flags_.uri, what_it_is(schema)));
  }

  const Flags& flags_;
  const Globals& globals_;
  std::shared_ptr<Store> store_;
  std::vector<Leftover> removed_;
  std::string kept_;
  bool placed_ = false;  // an overwrite that was stopped has been finished
  std::vector<Problem> remaining_;
};

}  // namespace

void describe_repair(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array or table");
  verb.option("--format", flags->open.format, "NAME", fmt::format("{} (default: detected)", known_formats()))
      .option("--older-than", flags->older_than, "MINUTES",
              "remove unfinished writes that are older (default 60); 0 only when nothing else is writing")
      .flag("--dry-run", flags->dry_run, "show what is wrong and what would be repaired, and change nothing");
  flags->open.describe_key(verb);
  verb.examples(
          "  tegula repair trades.bcolz --dry-run\n  tegula repair trades.bcolz\n  tegula repair events --older-than 0")
      .run([flags, &globals] { return Repair(*flags, globals).run(); });
}

}  // namespace tegula::cli
