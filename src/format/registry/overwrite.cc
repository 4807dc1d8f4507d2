#include "format/registry/overwrite.h"

#include <algorithm>
#include <vector>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/registry/registry.h"
#include "store/wrap/sub_store.h"

namespace tegula {

namespace {

constexpr std::uint64_t kPart = std::uint64_t{16} << 20;  // bytes of a large file to hold at once

// The documents of most formats are files in the root: they go first, so that the rest is no array rather than half of
// one. Of folders the last by name go first, which are those of schemas and counts.
void remove_old(Store& store) {
  std::vector<Entry> entries = store.list("");
  std::erase_if(entries, [](const Entry& e) { return e.name == kWaitingFolder || e.name == kPlacingKey; });
  std::ranges::stable_partition(entries, [](const Entry& e) { return !e.folder; });
  bool files = true;
  const auto folders = std::ranges::find_if(entries, &Entry::folder);
  std::reverse(folders, entries.end());
  for (const Entry& entry : entries) {
    if (!entry.folder) {
      store.remove(entry.name);
      continue;
    }
    if (files) store.sync_folder("");
    files = false;
    store.remove_tree(entry.name);
  }
  store.sync_folder("");
}

struct Tree {
  std::vector<std::string> folders, files;  // below the folder that was walked
};

Tree walk(const Store& store, std::string_view top) {
  Tree tree;
  if (!store.hints().empty_folders) {
    for (const ListedFile& file : store.list_all(top).files) tree.files.push_back(file.key.substr(top.size() + 1));
    return tree;
  }
  std::vector<std::string> left = {""};
  while (!left.empty()) {
    const std::string folder = std::move(left.back());
    left.pop_back();
    for (const Entry& entry : store.list(join(top, folder))) {
      std::string key = join(folder, entry.name);
      if (entry.folder) left.push_back(key);
      (entry.folder ? tree.folders : tree.files).push_back(std::move(key));
    }
  }
  return tree;
}

void copy(Store& store, const std::string& from, const std::string& to, std::uint64_t memory) {
  const std::optional<std::uint64_t> size = store.size(from);
  if (!size) fail(ErrorKind::io, "'{}' vanished while it was put in its place", store.describe(from));
  const std::unique_ptr<Upload> upload = store.begin(to);
  const std::uint64_t part = std::min(kPart, std::max<std::uint64_t>(memory, 1 << 16));
  for (std::uint64_t at = 0; at < *size; at += part) {
    const std::optional<Bytes> bytes = store.get(from, at, std::min(part, *size - at));
    if (!bytes) fail(ErrorKind::io, "'{}' vanished while it was put in its place", store.describe(from));
    upload->append(*bytes);
  }
  upload->commit();
}

// May be repeated after a stop at any step.
void place(Store& store, const Work& work) {
  remove_old(store);
  Tree tree = walk(store, kWaitingFolder);
  for (const std::string& folder : tree.folders) store.make_folder(folder);
  const auto in_root = [](const std::string& key) { return key.find('/') == std::string::npos; };
  const auto documents =
      std::ranges::stable_partition(tree.files, [&](const std::string& key) { return !in_root(key); });
  const auto copy_all = [&](auto begin, auto end) {
    Work loop = work;
    const unsigned in_flight = store.hints().in_flight;
    if (in_flight) loop.threads = in_flight;
    const auto count = static_cast<std::size_t>(end - begin);
    parallel_for(loop, count, [&](std::size_t i) {
      const std::string& key = begin[static_cast<std::ptrdiff_t>(i)];
      copy(store, join(kWaitingFolder, key), key, work.memory / 4 / std::max<std::uint64_t>(1, in_flight));
    });
  };
  copy_all(tree.files.begin(), documents.begin());
  copy_all(documents.begin(), documents.end());
  store.remove(kPlacingKey);
  store.sync_folder("");
  store.remove_tree(kWaitingFolder);
}

class StagedReplacement final : public Replacement {
 public:
  explicit StagedReplacement(std::shared_ptr<Store> store)
      : store_(std::move(store)), waiting_(sub_store(store_, std::string(kWaitingFolder))) {}
  const std::shared_ptr<Store>& store() const override { return waiting_; }
  void clear() override { store_->remove_tree(kWaitingFolder); }
  void take_place(const Work& work) override {
    placing_ = true;
    store_->put_text(kPlacingKey, "new files are being put in the place of old ones\n");
    place(*store_, work);
  }
  void discard() noexcept override {
    try {
      if (!placing_) clear();
    } catch (const std::exception&) {
      // What made it fail may forbid removals as well.
    }
  }

 private:
  const std::shared_ptr<Store> store_, waiting_;
  bool placing_ = false;
};

// Tells the families when something new is in its place.
class ToldReplacement final : public Replacement {
 public:
  ToldReplacement(std::unique_ptr<Replacement> inner, std::shared_ptr<Store> store)
      : inner_(std::move(inner)), store_(std::move(store)) {}
  const std::shared_ptr<Store>& store() const override { return inner_->store(); }
  void clear() override { inner_->clear(); }
  void take_place(const Work& work) override {
    inner_->take_place(work);
    tell_placed(store_);
  }
  void discard() noexcept override { inner_->discard(); }

 private:
  const std::unique_ptr<Replacement> inner_;
  const std::shared_ptr<Store> store_;
};

}  // namespace

bool is_replaceable(const Store& store) { return probe(store).kind != ObjectKind::none && !is_plain_folder(store); }

std::unique_ptr<Replacement> begin_replacement(const std::shared_ptr<Store>& store) {
  std::unique_ptr<Replacement> replacement = store->replacement();
  if (!replacement) replacement = std::make_unique<StagedReplacement>(store);
  return std::make_unique<ToldReplacement>(std::move(replacement), store);
}

bool finish_placing(Store& store, const Work& work) {
  if (!store.has(kPlacingKey)) return false;
  place(store, work);
  return true;
}

}  // namespace tegula
