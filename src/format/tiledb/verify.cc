#include "format/tiledb/verify.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include "base/fail.h"
#include "base/product.h"
#include "format/tiledb/disk/ordered_bits.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/listing/uncommitted.h"
#include "format/tiledb/read/metadata.h"
#include "store/wrap/indexed_store.h"
#include "store/wrap/known_store.h"
#include "store/wrap/wait_each.h"

namespace tegula::tiledb {

namespace {

class Verifier {
 public:
  Verifier(const Snapshot& snapshot, const Work& work)
      : snapshot_(snapshot), work_(work), store_(*snapshot.store()), known_(store_) {}

  std::vector<Problem> run() {
    // Names and sizes of all files, with one listing.
    if (store_.hints().remote() && store_.hints().lists) known_.learn(store_.list_all(""));
    SchemaCache schemas(snapshot_.files(), snapshot_.listing().schemas.front());
    for (const std::string& key : snapshot_.listing().schemas) attempt(key, [&] { schemas.at(key); });
    attempt(std::string(kMetadataFolder), [&] { read_metadata(known_, snapshot_.files().key, TimeWindow{}); });
    const std::vector<FragmentEntry>& entries = snapshot_.listing().fragments;
    if (work_.progress) work_.progress->begin("verifying fragments", entries.size());
    const auto check_entry = [&](const FragmentEntry& entry) {
      work_.check();
      std::shared_ptr<const Fragment> fragment;
      attempt(join(entry.folder, kFragmentMetadataFile), [&] {
        fragment =
            Fragment::open(snapshot_.files(), entry, [&](const std::string& file) { return schemas.named(file); });
      });
      if (fragment) check(*fragment);
      if (work_.progress) work_.progress->advance(1);
    };
    if (store_.hints().remote())
      wait_each(store_, work_, entries.size(), tile_bytes(), [&](std::size_t i) { check_entry(entries[i]); });
    else
      for (const FragmentEntry& entry : entries) check_entry(entry);
    if (work_.progress) work_.progress->end();
    // Conditions are loaded together with the fragments, whose damage is reported already.
    if (problems_.empty() && !snapshot_.listing().conditions.empty())
      attempt(std::string(kCommitsFolder), [&] { snapshot_.conditions(work_); });
    leftovers();
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
      return std::tie(a.file, a.text) < std::tie(b.file, b.text);
    });
    return std::move(problems_);
  }

 private:
  void report(Problem::Severity severity, std::string file, std::string text, std::string remedy = "") {
    const std::lock_guard lock(mutex_);
    problems_.push_back({severity, std::move(file), std::move(text), std::move(remedy)});
  }

  // A file that the system cannot read is damage. A missing key, a file that this user may not read, and a cancellation
  // end the verification.
  template <class F>
  bool attempt(const std::string& file, const F& f) {
    try {
      f();
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::invalid_argument ||
          error.kind() == ErrorKind::permission)
        throw;
      report(Problem::Severity::damage, file, error.what());
      return false;
    }
  }

  void check(const Fragment& fragment) {
    if (!attempt(join(fragment.folder(), kFragmentMetadataFile), [&] { stored_tiles(fragment); })) return;
    for (const StoredField& field : fragment.fields()) {
      std::vector<Fragment::Data> parts{Fragment::Data::fixed};
      if (field.var()) parts.push_back(Fragment::Data::var);
      if (field.nullable) parts.push_back(Fragment::Data::validity);
      const FooterSlot& slot = fragment.footer().slots[field.slot];
      for (const Fragment::Data part : parts) {
        const std::string file = fragment.file(field, part);
        const std::uint64_t expected = part == Fragment::Data::fixed ? slot.file_size
                                       : part == Fragment::Data::var ? slot.var_file_size
                                                                     : slot.validity_file_size;
        attempt(file, [&] {
          const std::optional<std::uint64_t> size = known_.size(file);
          if (!size) fail(ErrorKind::corrupt, "{}: missing", store_.describe(file));
          if (*size != expected)
            fail(ErrorKind::corrupt, "{}: {} bytes, the fragment's metadata says {}", store_.describe(file), *size,
                 expected);
        });
      }
      check_tiles(fragment, field);
    }
    attempt(join(fragment.folder(), kFragmentMetadataFile), [&] {
      if (!fragment.dense()) fragment.rtree();
      fragment.statistics();
      fragment.processed_conditions();
    });
  }

  // What a tile of the largest field takes, stored and decoded, as far as the schema tells.
  std::uint64_t tile_bytes() const {
    const std::uint64_t cells = snapshot_.schema().sparse ? snapshot_.schema().capacity
                                                          : std::max<std::uint64_t>(1, snapshot_.grid().tile_cells);
    std::uint64_t cell = 16;
    for (const FieldInfo& field : snapshot_.fields()) cell = std::max<std::uint64_t>(cell, field.cell_size());
    return saturated_product(saturated_product(cells, cell), 2);
  }

  void check_tiles(const Fragment& fragment, const StoredField& field) {
    // One tile per task keeps the memory at a few tiles, whatever the fragment's size.
    wait_each(store_, work_, fragment.tiles(), tile_bytes(), [&](std::size_t tile) {
      Work alone = work_;
      alone.threads = 1;
      attempt(field.file(), [&] {
        const TileRef ref{&fragment, &field, tile};
        const TileData data = std::move(load_tiles(snapshot_.files(), std::span(&ref, 1), alone)[0]);
        if (field.kind == FieldKind::dimension && !field.var()) check_box(fragment, field, tile, data);
      });
    });
  }

  void check_box(const Fragment& fragment, const StoredField& field, std::uint64_t tile, const TileData& data) const {
    const MbrTable& mbrs = fragment.rtree().leaves();
    const std::uint64_t low = to_ordered(field.type, mbrs.low(field.index, tile).data());
    const std::uint64_t high = to_ordered(field.type, mbrs.high(field.index, tile).data());
    for (std::uint64_t i = 0; i < data.cells; ++i) {
      const std::uint64_t value = to_ordered(field.type, data.data.data() + i * field.type.size);
      if (value < low || value > high)
        fail(ErrorKind::corrupt,
             "{}: cell {} of tile {} lies outside of the rectangle that the fragment's metadata gives the tile",
             store_.describe(field.file()), i, tile);
    }
  }

  // Uncommitted fragments, unfinished writes, and what a vacuum would remove.
  void leftovers() {
    for (const Entry& entry : known_.list(""))
      if (entry.name.starts_with(kTemporaryPrefix) && entry.name != kIndexKey)
        report(Problem::Severity::note, entry.name, "left by a write that did not finish", "repair removes it");
    for (std::string& key : uncommitted_fragments(known_, snapshot_.listing()))
      report(Problem::Severity::note, std::move(key), "a fragment that was never committed; readers pass over it",
             "repair removes it, once no writer is at work");
    std::set<std::string> replaced;
    for (const VacuumEntry& vacuum : snapshot_.listing().vacuumed)
      replaced.insert(vacuum.items.begin(), vacuum.items.end());
    for (const std::string& folder : {std::string(), std::string(kFragmentsFolder)})
      for (const Entry& entry : known_.list(folder))
        if (const std::string key = join(folder, entry.name); entry.folder && replaced.contains(key))
          report(Problem::Severity::note, key, "replaced by a consolidated fragment", "vacuum removes it");
  }

  const Snapshot& snapshot_;
  const Work& work_;
  const Store& store_;
  KnownStore known_;
  std::mutex mutex_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> verify_array(const Snapshot& snapshot, const Work& work) { return Verifier(snapshot, work).run(); }

}  // namespace tegula::tiledb
