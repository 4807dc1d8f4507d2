// A TileDB array behind the public interface. Reads after a write see it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "format/tiledb/read/snapshot.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/array.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

class TiledbArray final : public Array {
 public:
  // `known` is the store with what was read of it just before, or null.
  TiledbArray(std::shared_ptr<Store> store, const OpenOptions& options, const Store* known = nullptr);

  // As it was when the array was opened, or after the last evolve() or upgrade(). A reference stays valid as long as
  // the array.
  const Schema& schema() const override;
  Metadata metadata() const override;
  Info info(const Work& work) const override;
  std::unique_ptr<BatchStream> query(const Query& query) const override;
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override;
  std::vector<Problem> verify(const Work& work) const override;

  void write(const Selection& selection, std::string_view field, const StridedView& values,
             const WriteOptions& options) override;
  void write(const Selection& selection, const Batch& cells, const WriteOptions& options) override;
  void write(const Batch& cells, const WriteOptions& options) override;
  std::unique_ptr<CellWriter> write_stream(const std::optional<Selection>& box, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

  // Like write_stream, for a box of cells anywhere in a dense domain, counted from its start.
  std::unique_ptr<CellWriter> write_box_stream(const std::vector<std::uint64_t>& first,
                                               const std::vector<std::uint64_t>& count, const WriteOptions& options);

  // See tegula/tiledb.h.
  void evolve(const Evolution& changes, const WriteOptions& options);
  void upgrade(std::uint32_t format_version, const WriteOptions& options);
  void delete_cells(std::string_view where, const WriteOptions& options, bool as_libtiledb);
  std::vector<std::string> delete_fragments(std::uint64_t first, std::uint64_t last);

  const std::shared_ptr<Store>& store() const { return store_; }
  const OpenOptions& options() const { return options_; }

  // The array as reads see it now. Whoever holds it goes on seeing that.
  std::shared_ptr<const Snapshot> snapshot() const;
  // The next snapshot() opens the array again.
  void changed() { stale_->store(true); }
  // Where writes go: the newest schema, which somebody else may have stored since the array was opened.
  WriteTarget target() const;

 private:
  void changed_schema();
  std::shared_ptr<const Schema> model() const;

  const std::shared_ptr<Store> store_;
  const OpenOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const Schema> schema_;
  mutable std::vector<std::shared_ptr<const Schema>> returned_;  // schemas that schema() referred to
  mutable std::shared_ptr<const ArraySchema> newest_;            // schema of the last write
  mutable std::string newest_name_;
  // Shared with streams, which may outlive the array.
  const std::shared_ptr<std::atomic<bool>> stale_ = std::make_shared<std::atomic<bool>>(false);
};

// Throws invalid_argument for an array of another format.
TiledbArray& tiledb_array(Array& array);
const TiledbArray& tiledb_array(const Array& array);

}  // namespace tegula::tiledb
