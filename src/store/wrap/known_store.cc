#include "store/wrap/known_store.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "tegula/error.h"

namespace tegula {

namespace {

// Nothing but const functions can be reached through a KnownStore that is const, as the users of one have it.
std::shared_ptr<Store> borrowed(const Store& store) {
  return std::shared_ptr<Store>(std::shared_ptr<void>(), const_cast<Store*>(&store));
}

std::string below(std::string_view prefix) { return prefix.empty() ? std::string() : std::string(prefix) + "/"; }

Tail last_of(const Tail& tail, std::uint64_t most) {
  const std::size_t n = std::min<std::uint64_t>(most, tail.bytes.size());
  Tail out{Bytes(n), tail.size, tail.state};
  std::copy_n(tail.bytes.end() - static_cast<std::ptrdiff_t>(n), n, out.bytes.begin());
  return out;
}

}  // namespace

KnownStore::KnownStore(const Store& store) : WrappedStore(borrowed(store)) {}

void KnownStore::look(std::span<const std::string_view> documents) {
  constexpr std::size_t kPage = 1000;  // files that S3 lists with one request
  const StoreHints hints = store_->hints();
  if (!hints.remote()) return;
  if (hints.lists) {
    try {
      learn(store_->list_all("", kPage));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::permission) throw;  // who may not list may still read
    }
  }
  // S3 hides absence from those who may not list, and web servers deny names for many reasons.
  std::vector<FileRead> reads;
  for (const std::string_view key : documents)
    if (!known_absent(key)) reads.push_back({.key = key, .may_fail = true});
  if (reads.empty()) return;
  store_->get(std::span<FileRead>(reads));
  const bool found = std::ranges::any_of(reads, [](const FileRead& read) { return read.found.has_value(); });
  for (const FileRead& read : reads)
    if (read.failure && !found) std::rethrow_exception(read.failure);
  for (FileRead& read : reads) learn(std::string(read.key), UINT64_MAX, std::move(read.found));
}

void KnownStore::learn(Listing listing) {
  complete_ = listing.complete;
  for (ListedFile& file : listing.files) {
    std::string key = file.key;
    listing_.emplace(std::move(key), std::move(file));
  }
}

void KnownStore::learn_files(std::span<const std::string> keys, std::uint64_t most) {
  std::vector<FileRead> reads;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& key : keys)
      if (!known_absent(key) && !find(key, most)) reads.push_back({.key = key, .most = most});
  }
  if (!reads.empty()) store_->get(std::span<FileRead>(reads));
  for (FileRead& read : reads) learn(std::string(read.key), most, std::move(read.found));
}

void KnownStore::learn(const std::string& key, std::uint64_t most, std::optional<Tail> found) {
  const std::lock_guard lock(mutex_);
  files_.insert_or_assign(key, File{most, std::move(found)});
}

void KnownStore::learn(const RangeRead& read) {
  const auto [at, added] = ranges_.try_emplace({read.key, read.offset}, read);
  if (!added && at->second.into.size() < read.into.size()) at->second = read;
}

bool KnownStore::known_absent(std::string_view key) const { return complete_ && !listing_.contains(key); }

const KnownStore::File* KnownStore::find(std::string_view key, std::uint64_t most) const {
  const auto at = files_.find(key);
  if (at == files_.end()) return nullptr;
  const File& file = at->second;
  const bool enough = !file.found || file.most >= most || file.found->bytes.size() == file.found->size;
  return enough ? &file : nullptr;
}

std::optional<Bytes> KnownStore::get(std::string_view key) const {
  if (known_absent(key)) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (const File* file = find(key, UINT64_MAX))
      return file->found ? std::optional(copy_of(file->found->bytes)) : std::nullopt;
  }
  std::optional<Bytes> bytes = store_->get(key);
  const std::lock_guard lock(mutex_);
  files_.insert_or_assign(std::string(key),
                          File{UINT64_MAX, bytes ? std::optional(Tail{copy_of(*bytes), bytes->size()}) : std::nullopt});
  return bytes;
}

bool KnownStore::fill(RangeRead& read) const {
  // The last range that begins at or before it: what is planned as one range is read from that one.
  if (auto next = ranges_.upper_bound({read.key, read.offset}); next != ranges_.begin()) {
    const RangeRead& have = std::prev(next)->second;
    if (have.key == read.key) {
      if (read.state) *read.state = have.state ? *have.state : std::string();
      if (!have.found) {
        read.found = false;
        return true;
      }
      const std::uint64_t skipped = read.offset - have.offset;
      if (skipped <= have.into.size() && read.into.size() <= have.into.size() - skipped) {
        read.found = true;
        std::copy_n(have.into.data() + skipped, read.into.size(), read.into.data());
        return true;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(read.key);
  if (file == files_.end()) return false;
  read.found = file->second.found.has_value();
  if (read.state) *read.state = read.found ? file->second.found->state : std::string();
  if (!read.found) return true;
  const Tail& tail = *file->second.found;
  const std::uint64_t start = tail.size - tail.bytes.size();
  if (read.offset < start || read.offset > tail.size || read.into.size() > tail.size - read.offset) return false;
  std::copy_n(tail.bytes.data() + (read.offset - start), read.into.size(), read.into.data());
  return true;
}

void KnownStore::get(std::span<RangeRead> reads) const {
  std::vector<RangeRead> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (known_absent(reads[i].key)) {
      reads[i].found = false;
      if (reads[i].state) reads[i].state->clear();
    } else if (!fill(reads[i])) {
      unknown.push_back(reads[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) return;
  store_->get(std::span<RangeRead>(unknown));
  for (std::size_t i = 0; i < unknown.size(); ++i) reads[places[i]].found = unknown[i].found;
}

void KnownStore::get(std::span<FileRead> reads) const {
  std::vector<FileRead> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    FileRead& read = reads[i];
    read.found.reset();
    read.failure = nullptr;
    if (known_absent(read.key)) continue;
    const std::lock_guard lock(mutex_);
    if (const File* file = find(read.key, read.most)) {
      if (file->found) read.found = last_of(*file->found, read.most);
      continue;
    }
    unknown.push_back({.key = read.key, .most = read.most, .may_fail = read.may_fail});
    places.push_back(i);
  }
  if (unknown.empty()) return;
  store_->get(std::span<FileRead>(unknown));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    reads[places[i]].found = std::move(unknown[i].found);
    reads[places[i]].failure = unknown[i].failure;
  }
}

std::optional<Tail> KnownStore::tail(std::string_view key, std::uint64_t most) const {
  if (known_absent(key)) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (const File* file = find(key, most))
      return file->found ? std::optional(last_of(*file->found, most)) : std::nullopt;
  }
  return store_->tail(key, most);
}

std::optional<std::uint64_t> KnownStore::size(std::string_view key) const {
  if (known_absent(key)) return std::nullopt;
  if (const auto at = listing_.find(key); at != listing_.end()) return at->second.size;
  {
    const std::lock_guard lock(mutex_);
    if (const File* file = find(key, 0)) return file->found ? std::optional(file->found->size) : std::nullopt;
  }
  return store_->size(key);
}

std::vector<Entry> KnownStore::list(std::string_view prefix) const {
  const std::string start = below(prefix);
  if (complete_) {
    std::vector<Entry> entries;
    for (auto at = listing_.lower_bound(start); at != listing_.end() && at->first.starts_with(start); ++at) {
      const std::string_view rest = std::string_view(at->first).substr(start.size());
      const std::size_t slash = rest.find('/');
      const bool folder = slash != std::string_view::npos;
      const std::string_view name = rest.substr(0, slash);
      if (!entries.empty() && entries.back().name == name && entries.back().folder == folder) continue;
      entries.push_back({std::string(name), folder, folder ? 0 : at->second.size});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    const auto same = std::ranges::unique(
        entries, [](const Entry& a, const Entry& b) { return a.name == b.name && a.folder == b.folder; });
    entries.erase(same.begin(), same.end());
    return entries;
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = lists_.find(prefix); at != lists_.end()) return at->second;
  }
  std::vector<Entry> entries = store_->list(prefix);
  const std::lock_guard lock(mutex_);
  return lists_.insert_or_assign(std::string(prefix), std::move(entries)).first->second;
}

Listing KnownStore::list_all(std::string_view prefix, std::size_t most) const {
  if (!complete_) return store_->list_all(prefix, most);
  Listing listing;
  const std::string start = below(prefix);
  for (auto at = listing_.lower_bound(start); at != listing_.end() && at->first.starts_with(start); ++at) {
    if (listing.files.size() == most) {
      listing.complete = false;
      break;
    }
    listing.files.push_back(at->second);
  }
  return listing;
}

}  // namespace tegula
