// What was read of a store, in front of that store.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/wrap/wrapped_store.h"

namespace tegula {

// Answers from what it knows, without a request; asks the store for the rest, and keeps files that it reads whole. What
// it knows may be out of date: it lives as long as one opening or one read. Borrows the store, of which only const
// functions can be called. Thread-safe.
class KnownStore final : public WrappedStore {
 public:
  explicit KnownStore(const Store& store);

  // With a remote store: a flat listing of the root, as far as it takes one request, and `documents`, with one batch.
  // Where the store denies access to a document, it counts as absent if another is found: those who may not list are
  // not told what is absent. Every other failure is thrown.
  void look(std::span<const std::string_view> documents);
  // Everything below the root. Unless it is complete, it only says what is there.
  void learn(Listing listing);
  // Files and ends of files, with one batch. Without those that are known or that a complete listing lacks.
  void learn_files(std::span<const std::string> keys, std::uint64_t most = UINT64_MAX);
  void learn(const std::string& key, std::uint64_t most, std::optional<Tail> found);
  // A range of a file, whose key and bytes are borrowed; `found` as in RangeRead.
  void learn(const RangeRead& read);

  bool complete() const { return complete_; }  // all names are known

  using Store::get;
  std::optional<Bytes> get(std::string_view key) const override;
  void get(std::span<RangeRead> reads) const override;
  void get(std::span<FileRead> reads) const override;
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override;
  std::optional<std::uint64_t> size(std::string_view key) const override;
  std::vector<Entry> list(std::string_view prefix) const override;
  Listing list_all(std::string_view prefix, std::size_t most) const override;

 private:
  struct File {
    std::uint64_t most = 0;  // bytes that were asked for, from the end
    std::optional<Tail> found;
  };
  bool known_absent(std::string_view key) const;
  bool fill(RangeRead& read) const;  // false when not all of it is known
  // The end of a file as far as it is known, if that is enough. Call with the mutex held.
  const File* find(std::string_view key, std::uint64_t most) const;

  bool complete_ = false;
  std::map<std::string, ListedFile, std::less<>> listing_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, File, std::less<>> files_;
  mutable std::map<std::string, std::vector<Entry>, std::less<>> lists_;
  std::map<std::pair<std::string_view, std::uint64_t>, RangeRead> ranges_;  // by key and offset
};

}  // namespace tegula
