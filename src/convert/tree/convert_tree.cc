#include "convert/tree/convert_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "convert/metadata.h"
#include "convert/resume_note.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/open/location.h"
#include "store/wrap/sub_store.h"

namespace tegula {

namespace {

std::shared_ptr<Store> place_of(const std::shared_ptr<Store>& root, const std::string& path) {
  return path.empty() ? root : sub_store(root, path);
}

// Tells this copy from others with the same target.
ResumeNote note_of(const TreeSource& source, const TreePlan& plan, const ConvertOptions& options) {
  ResumeNote note;
  note.source = fmt::format("{} (files {:016x})", source.uri, fingerprint(*source.store(source.uri)));
  note.target = fmt::format("{} tree of {} items", plan.format, plan.items.size());
  for (const TreeItem& item : plan.items) {
    note.target += fmt::format("; {}", item.path);
    for (const Attribute& a : item.target.schema.attributes) {
      note.target += fmt::format(" {}", display_name(a.type));
      for (const Filter& filter : a.filters) note.target += " " + display_name(filter);
    }
    if (!item.group && !item.target.schema.sparse && !item.target.schema.table)
      for (const std::uint64_t extent : item.target.schema.chunks()) note.target += fmt::format(" {}", extent);
  }
  if (options.create.format_version) note.target += fmt::format(" v{}", *options.create.format_version);
  note.blocks = plan.items.size();
  return note;
}

class TreeCopy {
 public:
  TreeCopy(const TreeSource& source, const TreePlan& plan, std::shared_ptr<Store> root, const ConvertOptions& options,
           const Work& work)
      : source_(source),
        plan_(plan),
        root_(std::move(root)),
        options_(options),
        work_(work),
        can_(capabilities(plan.format)) {
    options_.create.overwrite = false;
    options_.target.format = plan.format;
  }

  std::vector<CopiedItem> run(ResumeNote& note) {
    std::vector<CopiedItem> out(plan_.items.size());
    for (std::uint64_t i = 0; i < plan_.items.size(); ++i) {
      work_.check();
      const TreeItem& item = plan_.items[i];
      const Context doing([&] { return fmt::format("copying '{}'", item.source); });
      if (item.group) {
        if (i >= note.done) make_group(item);
      } else {
        copy(item, i < note.done, out[i]);
      }
      if (i < note.done) continue;
      note.done = i + 1;
      write_note(*root_, note);
    }
    add_members();
    return out;
  }

 private:
  void make_group(const TreeItem& item) const {
    const std::shared_ptr<Store> place = place_of(root_, item.path);
    if (!can_.groups) return;
    // It is there when the run before was stopped between the group and the note.
    OpenOptions again;
    again.unfinished = true;
    const std::shared_ptr<Group> group = probe(*place).kind == ObjectKind::group && !is_plain_folder(*place)
                                             ? open_group(place, again)
                                             : create_group(place, plan_.format, options_.create);
    const auto metadata = metadata_for(metadata_of(item), plan_.format);
    if (!metadata.empty()) group->update_metadata(metadata);
  }

  Metadata metadata_of(const TreeItem& item) const {
    const std::shared_ptr<Store> store = source_.store(item.source);
    if (item.source_is_array) return open(store, source_.open)->metadata();
    return probe(*store).kind == ObjectKind::group && !is_plain_folder(*store)
               ? open_group(store, source_.open)->metadata()
               : Metadata();
  }

  void copy(const TreeItem& item, bool finished, CopiedItem& out) const {
    const std::shared_ptr<Array> from = open(source_.store(item.source), source_.open);
    const std::shared_ptr<Store> place = place_of(root_, item.path);
    // Without a note of its own it cannot be gone on with: it may be empty still.
    if (!finished && !read_note(*place)) root_->remove_tree(item.path);
    std::shared_ptr<Array> made;
    if (finished) {
      OpenOptions opening;
      opening.key = options_.create.key;
      made = open(place, opening);
      if (options_.verify) out.compared = compare_copy(*from, item.target, *made, work_);
    } else {
      ConvertOptions options = options_;
      options.target.field = item.field;
      options.source_name = item.source;
      Converted converted = convert(*from, place, options, work_);
      made = converted.array;
      out.passed = converted.passed;
      out.compared = std::move(converted.compared);
    }
    out.source_bytes = from->info(work_).stored_bytes;
    out.bytes = made->info(work_).stored_bytes;
  }

  // Where groups list their members.
  void add_members() const {
    if (!can_.members) return;
    for (const TreeItem& item : plan_.items) {
      if (!item.group) continue;
      OpenOptions again;
      again.unfinished = true;
      const std::shared_ptr<Store> place = place_of(root_, item.path);
      const std::shared_ptr<Group> group = open_group(place, again);
      const std::vector<Member> there = group->members();
      for (const TreeItem& below : plan_.items) {
        const std::size_t slash = below.path.rfind('/');
        const bool direct =
            !below.path.empty() && below.path.substr(0, slash == std::string::npos ? 0 : slash) == item.path;
        const std::string name = below.path.substr(slash == std::string::npos ? 0 : slash + 1);
        if (direct && std::ranges::find(there, name, &Member::name) == there.end()) group->add(place->uri(name), name);
      }
    }
  }

  const TreeSource& source_;
  const TreePlan& plan_;
  const std::shared_ptr<Store> root_;
  ConvertOptions options_;
  const Work& work_;
  const Capabilities& can_;
};

// What the format cannot hold is refused before anything is written.
void check_targets(const TreePlan& plan, CreateOptions options) {
  options.overwrite = false;
  for (const TreeItem& item : plan.items) {
    if (item.group) continue;
    const Context doing([&] { return fmt::format("planning the copy of '{}'", item.source); });
    create(make_memory_store(), item.target.schema, options);
  }
}

// Starts the note, or takes up that of an interrupted run. Returns whether there was one.
bool take_up(Store& store, ResumeNote& note, bool fresh) {
  const std::optional<ResumeNote> found = fresh ? std::nullopt : read_note(store);
  if (found && found->source == note.source && found->target == note.target) {
    note = *found;
    return true;
  }
  if (found)
    fail(ErrorKind::invalid_argument,
         "'{}' is an unfinished copy that differs from this one, or its source has changed; overwrite it to start anew",
         store.describe(""));
  for (const Entry& entry : store.list(""))
    if (!entry.name.starts_with(kTemporaryPrefix))
      fail(ErrorKind::invalid_argument, "there is something already at '{}'; choose another place", store.describe(""));
  write_note(store, note);
  return false;
}

}  // namespace

CopiedTree convert_tree(const TreeSource& source, const TreePlan& plan, std::shared_ptr<Store> store,
                        const ConvertOptions& options, const Work& work) {
  for (const TreeItem& item : plan.items) {
    if (!item.losses.empty() && !options.lossy)
      fail(ErrorKind::unsupported, "'{}': {} cannot hold {}", item.source, plan.format, item.losses.front());
    if (overlap(*source.store(item.source), *store))
      fail(ErrorKind::invalid_argument, "'{}' is the source or overlaps it; the copy has to go elsewhere",
           store->describe(""));
  }
  check_targets(plan, options.create);
  ResumeNote note = note_of(source, plan, options);
  std::unique_ptr<Replacement> replacement;
  if (options.create.overwrite) {
    const bool unfinished = read_note(*store).has_value();
    if (unfinished || is_replaceable(*store)) replacement = begin_replacement(store);
  }
  const std::shared_ptr<Store> place = replacement ? replacement->store() : store;
  CopiedTree out;
  if (replacement) {
    const std::optional<ResumeNote> found = read_note(*place);
    if (!found || found->source != note.source || found->target != note.target) replacement->clear();
  }
  out.resumed = take_up(*place, note, false);
  out.items = TreeCopy(source, plan, place, options, work).run(note);
  remove_note(*place);
  if (replacement) replacement->take_place(work);
  return out;
}

}  // namespace tegula
