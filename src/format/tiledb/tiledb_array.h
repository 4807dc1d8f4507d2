// A TileDB array behind the public interface.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/array.h"

namespace tegula::tiledb {

class TiledbArray : public Array {
 public:
  TiledbArray(std::shared_ptr<Store> store, const OpenOptions& options);

  const Schema& schema() const override { return state_->model(); }
  Metadata metadata() const override;
  Info info(const Work& work) const override;
  std::unique_ptr<BatchStream> query(const Query& query) const override;
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override;
  std::vector<Problem> verify(const Work& work) const override;

  const std::shared_ptr<const ReadState>& state() const { return state_; }

 protected:
  std::shared_ptr<const ReadState> state_;
};

// Counts and sizes, from footers.
Info array_info(const ReadState& state, const Work& work);
// Decodes all of every committed fragment, visible or not.
std::vector<Problem> verify_array(const ReadState& state, const Work& work);

}  // namespace tegula::tiledb
