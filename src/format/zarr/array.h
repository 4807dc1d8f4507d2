// The open array behind the public Array, for every version.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/snapshot.h"
#include "model/schema_keeper.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// One attribute without a name; dimensions start at 0. Thread-safe: reads and writes may run at the same time, and of
// overlapping writes, and of changes of shape and metadata, none is lost within a process, even through different
// handles. Text is read by query() and written as batches.
class ZarrArray final : public Array {
 public:
  ZarrArray(std::shared_ptr<Store> store, ArrayMeta meta, Missing missing);

  const Schema& schema() const override { return schemas_.keep(snapshot()->schema); }
  Metadata metadata() const override;
  Info info(const Work& work) const override;
  std::unique_ptr<BatchStream> query(const Query& query) const override;
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override;
  std::vector<Problem> verify(const Work& work) const override;

  void write(const Selection& selection, std::string_view field, const StridedView& values,
             const WriteOptions& options) override;
  // One column, in row order of the selection; the way to write text.
  void write(const Selection& selection, const Batch& cells, const WriteOptions& options) override;
  // All cells of the array.
  void write(const Batch& cells, const WriteOptions& options) override;
  void append(const Batch& rows, const WriteOptions& options) override;
  void resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

  // What copying encoded chunks needs.
  const Store& store() const { return *store_; }
  std::shared_ptr<const Snapshot> snapshot() const;
  Missing missing() const { return missing_; }

 private:
  // The snapshot, made anew if the stored shape differs, as after a change through another handle. The caller holds
  // locks_.document().
  std::shared_ptr<const Snapshot> refreshed();
  void publish(ArrayMeta meta);
  ChunkStore chunks(const Snapshot& snapshot) const { return {store_, snapshot.meta, locks_, missing_}; }
  // As ChunkStore::write().
  bool write_batch(const Snapshot& snapshot, const Batch& batch, const Shape& shape, const Picks& picks, Order order,
                   const Work& work, const Go& go = {}) const;
  // Puts the shape into the document as it is stored now; what else is in it stays. With `from`: unless the stored
  // shape is another one, then no value.
  std::optional<ArrayMeta> put_shape(const ArrayMeta& known, const Shape& shape, const Shape* from) const;
  void remove_outside(const ArrayMeta& meta) const;

  class Source;

  std::shared_ptr<Store> store_;
  ChunkLocks locks_;
  Missing missing_;
  mutable std::mutex mutex_;  // of snapshot_
  std::shared_ptr<const Snapshot> snapshot_;
  SchemaKeeper schemas_;
};

}  // namespace tegula::zarr
