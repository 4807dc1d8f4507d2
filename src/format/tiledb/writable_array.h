// A TileDB array that can be read and written. Reads after a write see it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "format/tiledb/tiledb_array.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/array.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

class WritableArray final : public Array {
 public:
  WritableArray(std::shared_ptr<Store> store, const OpenOptions& options);

  // Of the moment of opening, or of the last evolve(); a reference stays valid as long as the array.
  const Schema& schema() const override { return schema_of_.back()->schema(); }
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
  std::unique_ptr<CellWriter> write_stream(const std::optional<Selection>& box, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

  // The same for a box of cells anywhere in a dense domain, counted from its start.
  std::unique_ptr<CellWriter> write_box_stream(const std::vector<std::uint64_t>& first,
                                               const std::vector<std::uint64_t>& count, const WriteOptions& options);

  // See tegula/tiledb.h.
  void evolve(const Evolution& changes, const WriteOptions& options);
  void upgrade(std::uint32_t format_version, const WriteOptions& options);
  void delete_cells(std::string_view where, const WriteOptions& options, bool as_libtiledb);
  std::vector<std::string> delete_fragments(std::uint64_t first, std::uint64_t last);

  const std::shared_ptr<Store>& store() const { return store_; }
  const OpenOptions& options() const { return options_; }
  void changed();  // what reads see: they open the array again

  // What copies of stored tiles start from: the array as reads see it now, and the newest schema.
  std::shared_ptr<const TiledbArray> reader() const;
  WriteTarget target() const;

 private:
  void changed_schema();

  const std::shared_ptr<Store> store_;
  const OpenOptions options_;
  std::vector<std::shared_ptr<const TiledbArray>> schema_of_;  // those whose schema was given out
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TiledbArray> reader_;
  mutable std::shared_ptr<const ArraySchema> newest_;  // schema of the last write
  mutable std::string newest_name_;
  const std::shared_ptr<std::atomic<bool>> stale_ = std::make_shared<std::atomic<bool>>(false);  // reader_ is old
};

// Throws invalid_argument for an array of another format.
WritableArray& writable(Array& array);
const WritableArray& writable(const Array& array);

}  // namespace tegula::tiledb
