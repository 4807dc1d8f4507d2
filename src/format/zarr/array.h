// An open array of any version.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/meta/array_meta.h"
#include "format/zarr/snapshot.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// One attribute without a name, dimensions that count from 0. Reads and writes may run at once; writes of overlapping
// selections, and changes of shape and attributes, do not lose each other inside a process, whichever handle they go
// through. Text is read by query() and written in batches.
class ZarrArray final : public Array {
 public:
  ZarrArray(std::shared_ptr<Store> store, ArrayMeta meta, Missing missing);

  const Schema& schema() const override { return current()->schema; }
  Metadata metadata() const override;
  Info info(const Work& work) const override;
  std::unique_ptr<BatchStream> query(const Query& query) const override;
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override;
  std::vector<Problem> verify(const Work& work) const override;

  void write(const Selection& selection, std::string_view field, const StridedView& values,
             const WriteOptions& options) override;
  // One column, in row order of the selection; how text is written.
  void write(const Selection& selection, const Batch& cells, const WriteOptions& options) override;
  // All cells of the array.
  void write(const Batch& cells, const WriteOptions& options) override;
  void append(const Batch& rows, const WriteOptions& options) override;
  void resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

  // What copies of encoded chunks need; the reference stays valid as long as the handle.
  const Store& store() const { return *store_; }
  const ArrayMeta& meta() const { return current()->meta; }

 private:
  std::shared_ptr<const Snapshot> current() const;
  // After a look at the store: another handle may have changed the shape. Called under the lock of the document.
  std::shared_ptr<const Snapshot> refreshed();
  void publish(ArrayMeta meta);
  ChunkStore chunks(const Snapshot& snapshot) const { return {store_, snapshot.meta, locks_, missing_}; }
  void write_batch(const Snapshot& snapshot, const Batch& batch, const Shape& shape, const Picks& picks, Order order,
                   const Work& work) const;
  void put_document(ArrayMeta& meta) const;
  void remove_outside(const ArrayMeta& meta) const;

  class Source;

  std::shared_ptr<Store> store_;
  ChunkLocks locks_;
  Missing missing_;
  mutable std::mutex snapshots_mutex_;
  std::vector<std::shared_ptr<const Snapshot>> snapshots_;
};

}  // namespace tegula::zarr
