#include "format/tiledb/read/snapshot.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"

namespace tegula::tiledb {

Snapshot::Snapshot(std::shared_ptr<Store> store, const OpenOptions& options, const Snapshot* before)
    : Snapshot(store, options, open_contents(store, options, false)) {
  if (before) before_ = before->known();
}

Snapshot::Snapshot(std::shared_ptr<Store> store, const OpenOptions& options, ArrayContents contents)
    : store_(std::move(store)),
      options_(options),
      contents_(std::move(contents)),
      fields_(field_infos(*contents_.model)) {
  if (!contents_.schema->sparse) grid_ = make_grid(*contents_.schema);
}

const FieldInfo* Snapshot::field(std::string_view name) const {
  const auto at = std::find_if(fields_.begin(), fields_.end(), [&](const FieldInfo& f) { return f.name == name; });
  return at == fields_.end() ? nullptr : &*at;
}

void Snapshot::load(const Work& work) const {
  if (loaded_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  if (loaded_) return;
  const Context doing([&] { return fmt::format("opening array '{}'", store_->describe("")); });
  if (contents_.fragments.size() != contents_.entries.size()) load_fragments(contents_, work, before_);
  if (grid_) planner_ = std::make_unique<DensePlanner>(contents_.files, *grid_, contents_.fragments);
  before_ = {};
  loaded_.store(true, std::memory_order_release);
}

KnownFragments Snapshot::known() const {
  const std::lock_guard lock(mutex_);
  return loaded_ ? KnownFragments{contents_.fragments, contents_.conditions} : before_;
}

const std::vector<std::shared_ptr<const Fragment>>& Snapshot::fragments(const Work& work) const {
  load(work);
  return contents_.fragments;
}

const std::vector<TimedCondition>& Snapshot::conditions(const Work& work) const {
  load(work);
  return contents_.conditions;
}

const DensePlanner& Snapshot::planner(const Work& work) const {
  load(work);
  return *planner_;
}

std::uint64_t stored_tiles(const Fragment& fragment) {
  const std::uint64_t listed = fragment.tile_offsets(fragment.fields().front().slot).size();
  if (listed != fragment.tiles())
    fail(ErrorKind::corrupt, "{}: the footer says {} tiles, the list of tile offsets has {}",
         join(fragment.folder(), kFragmentMetadataFile), fragment.tiles(), listed);
  return listed;
}

const StoredField* stored_attribute(const Fragment& fragment, const FieldInfo& field) {
  const StoredField* stored = fragment.field(field.name);
  if (!stored || stored->kind != FieldKind::attribute || stored->var() != field.var()) return nullptr;
  if (!field.var() && stored->cell_size() != field.cell_size())
    fail(ErrorKind::unsupported,
         "fragment {} holds attribute '{}' with cells of {} bytes, the schema has {}: it was dropped and added again "
         "with another "
         "type; open the array at a time before that",
         fragment.name(), field.name, stored->cell_size(), field.cell_size());
  return stored;
}

}  // namespace tegula::tiledb
