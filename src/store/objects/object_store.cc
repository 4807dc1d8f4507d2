#include "store/objects/object_store.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "store/file/file_store.h"
#include "store/file_states.h"
#include "store/http/arrivals.h"
#include "store/objects/object_list.h"
#include "store/objects/object_reads.h"
#include "store/objects/object_upload.h"
#include "store/objects/object_writes.h"

namespace tegula::objects {

namespace {

// A lock for each key that somebody writes.
class KeyLocks {
 public:
  std::shared_ptr<std::mutex> of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(locks_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<std::mutex> found = locks_[key].lock();
    if (!found) locks_[key] = found = std::make_shared<std::mutex>();
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<std::mutex>> locks_;
};

class ObjectStore final : public Store, public FileStates {
 public:
  ObjectStore(std::shared_ptr<Bucket> bucket, std::string prefix, std::shared_ptr<KeyLocks> writers)
      : bucket_(std::move(bucket)), prefix_(std::move(prefix)), writers_(std::move(writers)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    FileRead read{key};
    get(std::span(&read, 1));
    if (!read.found) return std::nullopt;
    return std::move(read.found->bytes);
  }
  void get(std::span<RangeRead> reads) const override { read_ranges(*bucket_, prefix_, reads, {}); }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    if (request_count(*bucket_, reads) > 1) {
      http::use_arrivals([&](const auto& came) { read_ranges(*bucket_, prefix_, reads, came); }, arrived);
      return;
    }
    read_ranges(*bucket_, prefix_, reads, {});
    for (std::size_t i = 0; i < reads.size(); ++i) arrived(i);
  }
  void get(std::span<FileRead> reads) const override { read_files(*bucket_, prefix_, reads); }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    FileRead read{key, most};
    get(std::span(&read, 1));
    return std::move(read.found);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override { return object_size(*bucket_, full(key)); }
  std::vector<Entry> list(std::string_view prefix) const override {
    return list_level(*bucket_, prefix.empty() ? prefix_ : full(prefix));
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    if (!prefix.empty()) check_key(prefix);
    return list_flat(*bucket_, prefix_, std::string(prefix), most);
  }
  StatedFile get_stated(std::string_view key) const override { return read_stated(*bucket_, full(key)); }
  void states(std::span<FileState> files) const override { read_states(*bucket_, prefix_, files); }

  void put(std::string_view key, std::span<const ByteView> parts) override { put_object(*bucket_, full(key), parts); }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    if (bucket_->settings().conditional_put) return put_object_if(*bucket_, full(key), parts, state);
    // The server knows no conditions: compare and put, with at least the writers of this store one after the other.
    const std::shared_ptr<std::mutex> one_writer = writers_->of(full(key));
    const std::lock_guard lock(*one_writer);
    if (read_stated(*bucket_, full(key)).state != state) return false;
    put_object(*bucket_, full(key), parts);
    return true;
  }
  std::unique_ptr<Upload> begin(std::string_view key) override { return begin_upload(*bucket_, full(key)); }
  std::unique_ptr<Scratch> scratch() override { return local_scratch(); }
  void remove(std::string_view key) override {
    const std::string name = full(key);
    bucket_->remove(std::span(&name, 1));
  }
  void remove(std::span<const std::string> keys) override {
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const std::string& key : keys) names.push_back(full(key));
    bucket_->remove(names);
  }
  void remove_tree(std::string_view prefix) override {
    remove_below(*bucket_, prefix.empty() ? prefix_ : full(prefix));
  }
  void make_folder(std::string_view key) override { check_key(key); }
  void sync_folder(std::string_view) override {}

  StoreHints hints() const override {
    const Settings& settings = bucket_->settings();
    StoreHints hints;
    hints.gap = settings.merge_gap;
    hints.part = settings.read_part;
    hints.in_flight = static_cast<unsigned>(settings.limits.at_once);
    hints.conditional = settings.conditional_put;
    hints.empty_folders = false;
    return hints;
  }
  std::string describe(std::string_view key) const override { return bucket_->uri(join(prefix_, key)); }
  std::string uri(std::string_view key) const override { return describe(key); }
  std::string identity() const override { return join(bucket_->identity(), prefix_); }
  std::optional<FolderOf> around() const override {
    if (prefix_.empty()) return std::nullopt;
    const std::size_t slash = prefix_.rfind('/');
    const std::string outer = slash == std::string::npos ? "" : prefix_.substr(0, slash);
    return FolderOf{std::make_shared<ObjectStore>(bucket_, outer, writers_),
                    prefix_.substr(slash == std::string::npos ? 0 : slash + 1)};
  }

 private:
  std::string full(std::string_view key) const {
    check_key(key);
    return join(prefix_, key);
  }

  std::shared_ptr<Bucket> bucket_;  // has a state of its own, which reads change too
  std::string prefix_;
  std::shared_ptr<KeyLocks> writers_;
};

}  // namespace

std::shared_ptr<http::Client> make_client(const Settings& settings, const StoreOptions& options) {
  http::Observer observer;
  if (options.trace) observer = [trace = options.trace](const http::Call& call) { trace(http::trace_line(call)); };
  return std::make_shared<http::Client>(http::open_transport(settings.transport), settings.limits, http::real_clock(),
                                        std::move(observer), options.traffic);
}

std::shared_ptr<Store> object_store(std::unique_ptr<Bucket> bucket, std::string prefix) {
  return std::make_shared<ObjectStore>(std::move(bucket), std::move(prefix), std::make_shared<KeyLocks>());
}

BucketUri parse_bucket_uri(std::string_view uri) {
  std::string_view rest = uri.substr(uri.find("://") + 3);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  return {std::string(rest.substr(0, slash)), std::string(rest.substr(std::min(slash + 1, rest.size())))};
}

}  // namespace tegula::objects
