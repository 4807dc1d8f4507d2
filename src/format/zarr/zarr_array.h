// An open array of any version.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "format/zarr/array_meta.h"
#include "format/zarr/chunk_store.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// One attribute without a name, dimensions that count from 0. Reads and writes may run at once; writes of overlapping
// selections through the same handle do not lose each other. Text is read by query() and written in batches.
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

 private:
  // What a handle knows at one moment; references to its schema stay valid as long as the handle.
  struct State {
    ArrayMeta meta;
    Schema schema;
  };
  std::shared_ptr<const State> current() const;
  void publish(ArrayMeta meta);
  ChunkStore chunks(const State& state) const { return {store_, state.meta, locks_, missing_}; }
  void write_batch(const State& state, const Batch& batch, const Shape& shape, const Picks& picks, Order order,
                   const Work& work) const;
  void put_document(ArrayMeta& meta) const;
  void remove_outside(const ArrayMeta& meta) const;

  class Source;

  std::shared_ptr<Store> store_;
  std::shared_ptr<ChunkLocks> locks_ = std::make_shared<ChunkLocks>();
  Missing missing_;
  std::mutex change_;  // one change of shape or attributes at a time
  mutable std::mutex states_mutex_;
  std::vector<std::shared_ptr<const State>> states_;
};

// Reads through query() for cells of any length: fields, select or ranges, in blocks along the first axis.
std::unique_ptr<BatchStream> query_items(std::shared_ptr<const void> owner, ChunkStore chunks, const Schema& schema,
                                         const Query& query);

}  // namespace tegula::zarr
