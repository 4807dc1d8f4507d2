#include "files/spool.h"

#include <filesystem>

#include "store/open/open_store.h"

namespace tegula::cli {

namespace {

constexpr std::uint64_t kKept = 256 << 10;

// Scratch refers to its store.
class HeldScratch final : public Scratch {
 public:
  explicit HeldScratch(const std::string& folder) : store_(open_store(folder)), scratch_(store_->scratch()) {}
  void write(std::uint64_t offset, ByteView bytes) override { scratch_->write(offset, bytes); }
  void read(std::uint64_t offset, MutableBytes into) const override { scratch_->read(offset, into); }

 private:
  const std::shared_ptr<Store> store_;
  const std::unique_ptr<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<Scratch> scratch_beside(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return std::make_unique<HeldScratch>(folder.empty() ? "." : folder.string());
}

std::unique_ptr<Scratch> system_scratch() {
  return std::make_unique<HeldScratch>(std::filesystem::temp_directory_path().string());
}

std::uint64_t SpoolSpace::add(ByteView bytes) {
  if (!scratch_) scratch_ = make_();
  const std::uint64_t at = end_;
  scratch_->write(at, bytes);
  end_ += bytes.size();
  return at;
}

void Spool::append(ByteView bytes) {
  size_ += bytes.size();
  if (rest_.size() + bytes.size() > kKept && !rest_.empty()) {
    parts_.emplace_back(space_->add(rest_), rest_.size());
    rest_.clear();
  }
  if (bytes.size() > kKept)
    parts_.emplace_back(space_->add(bytes), bytes.size());
  else
    rest_.insert(rest_.end(), bytes.begin(), bytes.end());
}

void Spool::each(const std::function<void(ByteView piece)>& take) const {
  Bytes piece;
  for (const auto& [offset, length] : parts_) {
    piece.resize(length);
    space_->read(offset, piece);
    take(piece);
  }
  if (!rest_.empty()) take(rest_);
}

}  // namespace tegula::cli
