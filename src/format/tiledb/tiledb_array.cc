#include "format/tiledb/tiledb_array.h"

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/dense/dense_query.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/sparse/sparse_query.h"

namespace tegula::tiledb {

TiledbArray::TiledbArray(std::shared_ptr<Store> store, const OpenOptions& options)
    : state_(std::make_shared<ReadState>(std::move(store), options)) {}

Metadata TiledbArray::metadata() const {
  return read_metadata(*state_->store(), state_->files().key, state_->window());
}

Info TiledbArray::info(const Work& work) const { return array_info(*state_, work); }

std::unique_ptr<BatchStream> TiledbArray::query(const Query& query) const {
  const Context doing([&] { return fmt::format("reading '{}'", state_->store()->describe("")); });
  return state_->schema().sparse ? query_sparse(state_, query) : query_dense(state_, query);
}

void TiledbArray::read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                       const Work& work) const {
  const Context doing([&] { return fmt::format("reading '{}'", state_->store()->describe("")); });
  if (state_->schema().sparse) fail(ErrorKind::unsupported, "a sparse array is read with query()");
  read_dense(*state_, selection, field, out, work);
}

std::vector<Problem> TiledbArray::verify(const Work& work) const { return verify_array(*state_, work); }

}  // namespace tegula::tiledb
