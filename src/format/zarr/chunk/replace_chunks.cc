#include "format/zarr/chunk/replace_chunks.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/product.h"
#include "store/replace_file.h"
#include "store/wrap/wait_each.h"

namespace tegula::zarr {

namespace {

constexpr std::uint64_t kMostStaged = 65536;

// A chunk that is written, but has not got its name.
struct Staged {
  std::unique_ptr<Upload> upload;
  std::string state;  // of a chunk that is changed in part: the one that it was made from
};

std::uint64_t chunk_bytes(const ArrayMeta& meta) {
  return saturated_product(meta.chunk_cells(), std::max<std::uint64_t>(meta.cell.item(), 1));
}

class Replacement {
 public:
  Replacement(Store& store, const ChunkChange& change, const Work& work)
      : store_(store), change_(change), plan_(change.plan), work_(work) {}

  // A file by itself needs no other name than its own.
  void replace(std::size_t piece) const {
    const Shape chunk = plan_.chunk(piece);
    const std::string key = key_of(piece);
    const Context doing([&] { return fmt::format("writing '{}'", store_.describe(key)); });
    const std::unique_lock alone(change_.locks.of(chunk));
    if (plan_.whole(piece))
      store_.put(key, ByteView(change_.make(piece, std::nullopt)));
    else
      remake(key, piece);
  }

  void stage(std::size_t first, std::size_t count) {
    staged_ = std::vector<Staged>(count);
    first_ = first;
    wait_each(store_, work_, count, saturated_product(2, chunk_bytes(change_.meta)), [&](std::size_t i) {
      const std::string key = key_of(first + i);
      const Context doing([&] { return fmt::format("writing '{}'", store_.describe(key)); });
      const StatedFile old = plan_.whole(first + i) ? StatedFile() : store_.get_stated(key);
      const Bytes bytes = change_.make(first + i, old.bytes ? std::optional<ByteView>(*old.bytes) : std::nullopt);
      std::unique_ptr<Upload> upload = store_.begin(key);
      upload->append(bytes);
      upload->sync();
      staged_[i] = {std::move(upload), old.state};
    });
  }

  // Renames wait for each other in the system, and take too little time to be stopped; requests do not.
  void appear() {
    const unsigned in_flight = store_.hints().in_flight;
    Work names = work_;
    names.threads = in_flight ? in_flight : 1;
    if (!in_flight) names.cancel = nullptr;
    parallel_for(names, staged_.size(), [&](std::size_t i) {
      const std::string key = key_of(first_ + i);
      const Context doing([&] { return fmt::format("writing '{}'", store_.describe(key)); });
      const std::unique_lock alone(change_.locks.of(plan_.chunk(first_ + i)));
      const std::unique_ptr<Upload> upload = std::move(staged_[i].upload);
      if (plan_.whole(first_ + i))
        upload->appear();
      else if (!upload->appear_if(staged_[i].state))
        remake(key, first_ + i);
    });
    std::set<std::string> folders;
    for (std::size_t i = 0; i < staged_.size(); ++i) {
      const std::string key = key_of(first_ + i);
      const std::size_t slash = key.rfind('/');
      folders.insert(slash == std::string::npos ? "" : key.substr(0, slash));
    }
    for (const std::string& folder : folders) store_.sync_folder(folder);
    staged_.clear();
  }

 private:
  std::string key_of(std::size_t piece) const { return change_.meta.keys.key(plan_.chunk(piece)); }
  void remake(const std::string& key, std::size_t piece) const {
    replace_file(store_, key, [&](std::optional<ByteView> old) { return change_.make(piece, old); });
  }

  Store& store_;
  const ChunkChange& change_;
  const ChunkPlan& plan_;
  const Work& work_;
  std::size_t first_ = 0;
  std::vector<Staged> staged_;
};

// Pieces that are replaced together.
std::uint64_t most_together(const Store& store, const ArrayMeta& meta, const Work& work) {
  if (!store.hints().remote()) return kMostStaged;
  return std::clamp<std::uint64_t>(work.memory / 4 / std::max<std::uint64_t>(chunk_bytes(meta), 1), 1, kMostStaged);
}

}  // namespace

bool replace_chunks(Store& store, const ChunkChange& change, const Work& work) {
  Replacement replacement(store, change, work);
  const std::size_t pieces = change.plan.pieces(), together = most_together(store, change.meta, work);
  for (std::size_t first = 0; first < pieces; first += together) {
    const std::size_t count = std::min(together, pieces - first);
    if (count > 1) replacement.stage(first, count);
    if (first == 0 && change.go && !change.go()) return false;
    if (count > 1)
      replacement.appear();
    else
      replacement.replace(first);
  }
  return true;
}

}  // namespace tegula::zarr
