// A TileDB array that can be read and written. Reads after a write see it.
#pragma once

#include <memory>
#include <mutex>

#include "format/tiledb/fragment_writer.h"
#include "format/tiledb/tiledb_array.h"
#include "tegula/array.h"

namespace tegula::tiledb {

class WritableArray final : public Array {
 public:
  WritableArray(std::shared_ptr<Store> store, const OpenOptions& options);

  // Of the moment of opening, whatever is written since.
  const Schema& schema() const override { return first_->schema(); }
  Metadata metadata() const override { return reader()->metadata(); }
  Info info(const Work& work) const override { return reader()->info(work); }
  std::unique_ptr<BatchStream> query(const Query& query) const override { return reader()->query(query); }
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override {
    reader()->read(selection, field, out, work);
  }
  std::vector<Problem> verify(const Work& work) const override { return reader()->verify(work); }

  void write(const Selection& selection, std::string_view field, const StridedView& values,
             const WriteOptions& options) override;
  void write(const Selection& selection, const Batch& cells, const WriteOptions& options) override;
  void write(const Batch& cells, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

 private:
  std::shared_ptr<const TiledbArray> reader() const;
  WriteTarget target() const;
  void changed();

  const std::shared_ptr<Store> store_;
  const OpenOptions options_;
  const std::shared_ptr<const TiledbArray> first_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TiledbArray> reader_;  // null: to be opened again
};

}  // namespace tegula::tiledb
