#include "format/bcolz/pending_set.h"

#include <algorithm>
#include <optional>

#include "base/fail.h"
#include "base/json.h"
#include "codec/checksum/crc32c.h"
#include "store/wrap/wait_each.h"

namespace tegula::bcolz {

namespace {

struct Replaced {
  std::uint64_t chunk = 0;
  std::uint32_t before = 0, after = 0;  // CRC-32C of the chunk file
};

std::string folder_key(std::string_view prefix) { return join(prefix, kPendingFolder); }
std::string commit_key(std::string_view prefix) { return join(folder_key(prefix), "commit"); }

std::vector<Replaced> decode_commit(ByteView text, const std::string& file) {
  std::vector<Replaced> out;
  const Json document = parse_json(text, file);
  for (const Json& row : document.is_object() && document.contains("chunks") ? document["chunks"] : Json()) {
    if (!row.is_array() || row.size() != 3 || !row[0].is_number_unsigned() || !row[1].is_number_unsigned() ||
        !row[2].is_number_unsigned())
      fail(ErrorKind::corrupt, "'{}': expected a list of chunk, checksum, checksum, found {}", file, dump_json(row));
    out.push_back({row[0].get<std::uint64_t>(), row[1].get<std::uint32_t>(), row[2].get<std::uint32_t>()});
  }
  std::sort(out.begin(), out.end(), [](const Replaced& a, const Replaced& b) { return a.chunk < b.chunk; });
  return out;
}

std::string encode_commit(const std::vector<Replaced>& chunks) {
  Json rows = Json::array();
  for (const Replaced& row : chunks) rows.push_back({row.chunk, row.before, row.after});
  Json document;
  document["chunks"] = std::move(rows);
  return dump_json(document) + "\n";
}

// 0 for a file that is not there.
std::uint32_t checksum(const Store& store, const std::string& key) {
  const std::optional<Bytes> bytes = store.get(key);
  return bytes ? codec::crc32c(*bytes) : 0;
}

// Bytes of two chunks, as they are and as they are stored.
std::uint64_t at_work(const Carray& carray) { return 2 * carray.storage.chunklen * carray.row_bytes; }

void apply(const Carray& carray, const std::vector<Replaced>& chunks, const Work& work) {
  Store& store = *carray.store;
  const std::string& prefix = carray.prefix;
  wait_each(store, work, chunks.size(), at_work(carray), [&](std::size_t i) {
    const std::string key = pending_key(prefix, chunks[i].chunk);
    const std::optional<Bytes> bytes = store.get(key);
    if (!bytes) fail(ErrorKind::io, "'{}' was removed while it was copied", store.describe(key));
    if (codec::crc32c(*bytes) != chunks[i].after)
      fail(ErrorKind::corrupt, "'{}' has {} bytes that are not those written", store.describe(key), bytes->size());
    store.put(chunk_key(prefix, chunks[i].chunk), *bytes);
  });
}

// The first chunk whose pending file is not what the commit file says; none when all are there.
std::optional<std::uint64_t> lost_file(const Store& store, const std::string& prefix,
                                       const std::vector<Replaced>& rows) {
  for (const Replaced& row : rows)
    if (checksum(store, pending_key(prefix, row.chunk)) != row.after) return row.chunk;
  return std::nullopt;
}

// What the commit file lists. Empty when there is none, and when somebody else has changed one of the chunks since.
std::vector<Replaced> pending_rows(const Store& store, const std::string& prefix) {
  const std::string key = commit_key(prefix);
  std::optional<Bytes> text = store.get(key);
  while (text) {
    std::vector<Replaced> rows = decode_commit(*text, store.describe(key));
    for (const Replaced& row : rows)
      if (const std::uint32_t now = checksum(store, chunk_key(prefix, row.chunk));
          now != row.before && now != row.after)
        return {};
    const std::optional<std::uint64_t> lost = lost_file(store, prefix, rows);
    if (!lost) return rows;
    // Whoever has copied all of them removes the commit file first. While it is there, some chunks may be in place and
    // others not, and only the pending files say what they hold.
    std::optional<Bytes> again = store.get(key);
    if (again == text)
      fail(ErrorKind::corrupt, "'{}' lists chunk {}, but '{}' is missing or damaged", store.describe(key), *lost,
           store.describe(pending_key(prefix, *lost)));
    text = std::move(again);
  }
  return {};
}

// "commit" is removed first: what is left without it is ignored.
void clear(Store& store, const std::string& prefix) {
  if (store.list(folder_key(prefix)).empty()) return;
  store.remove(commit_key(prefix));
  store.sync_folder(folder_key(prefix));
  store.remove_tree(folder_key(prefix));
}

}  // namespace

std::string pending_key(std::string_view prefix, std::uint64_t chunk) {
  return join(folder_key(prefix), fmt::format("__{}.blp", chunk));
}

std::vector<std::uint64_t> find_pending(const Store& store, const std::string& prefix) {
  std::vector<std::uint64_t> out;
  for (const Replaced& row : pending_rows(store, prefix)) out.push_back(row.chunk);
  return out;
}

void replace_chunks(const Carray& carray, const std::vector<std::uint64_t>& chunks,
                    const std::function<Bytes(std::size_t)>& make, const Work& work) {
  Store& store = *carray.store;
  if (chunks.size() == 1) return store.put(chunk_key(carray.prefix, chunks[0]), make(0));
  std::vector<Replaced> replaced(chunks.size());
  wait_each(store, work, chunks.size(), at_work(carray), [&](std::size_t i) {
    const std::uint32_t before = checksum(store, chunk_key(carray.prefix, chunks[i]));
    const Bytes file = make(i);
    replaced[i] = {chunks[i], before, codec::crc32c(file)};
    store.put(pending_key(carray.prefix, chunks[i]), file);
  });
  store.put_text(commit_key(carray.prefix), encode_commit(replaced));
  apply(carray, replaced, work);
  clear(store, carray.prefix);
}

void finish_pending(const Carray& carray, const Work& work) {
  if (!carray.pending.empty()) apply(carray, pending_rows(*carray.store, carray.prefix), work);
  clear(*carray.store, carray.prefix);
}

}  // namespace tegula::bcolz
