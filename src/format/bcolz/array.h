// The open carray or ctable behind the public Array.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "format/bcolz/snapshot.h"
#include "format/bcolz/writer_lock.h"
#include "model/schema_keeper.h"
#include "tegula/array.h"

namespace tegula::bcolz {

class BcolzArray final : public Array {
 public:
  explicit BcolzArray(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  const Schema& schema() const override { return schemas_.keep(snapshot()->schema); }
  Metadata metadata() const override;
  Info info(const Work& work) const override;
  std::unique_ptr<BatchStream> query(const Query& query) const override;
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override;
  std::vector<Problem> verify(const Work& work) const override;

  using Array::write;
  void write(const Selection& selection, std::string_view field, const StridedView& values,
             const WriteOptions& options) override;
  void append(const Batch& rows, const WriteOptions& options) override;
  void resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

  std::shared_ptr<const Snapshot> snapshot() const;
  // Opens the array anew, since others may have changed it, runs `body` on that snapshot, and publishes a snapshot of
  // the result. One change at a time (writer_lock.h).
  void change(const Work& work, const std::function<void(const Snapshot&)>& body,
              WriterLock::Others others = WriterLock::Others::waited_for);

 private:
  void publish(std::shared_ptr<const Snapshot> snapshot);

  std::mutex writing_;        // held during a change
  mutable std::mutex mutex_;  // of snapshot_
  std::shared_ptr<const Snapshot> snapshot_;
  SchemaKeeper schemas_;
};

}  // namespace tegula::bcolz
