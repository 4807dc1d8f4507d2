#include "format/bcolz/verify.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>

#include "base/fail.h"
#include "format/bcolz/carray_write.h"
#include "format/bcolz/metadata.h"
#include "format/bcolz/pending_set.h"
#include "format/bcolz/writer_lock.h"
#include "store/wrap/wait_each.h"

namespace tegula::bcolz {

namespace {

using Severity = Problem::Severity;

constexpr std::string_view kRepair = "repair removes these rows";
constexpr std::string_view kBackup = "restore the file from a copy";

// The carray with the length of its own meta/sizes; that of a table may be shorter.
Carray as_stored(const Carray& carray) {
  Carray out = carray;
  out.sizes.shape[0] = carray.stored_rows;
  return out;
}

struct DataFolder {
  std::map<std::uint64_t, std::uint64_t> chunks;  // by number: the size of the file
  std::vector<std::string> others;
};

DataFolder list_data(const Carray& carray) {
  DataFolder out;
  for (const Entry& entry : carray.store->list(join(carray.prefix, "data"))) {
    const std::optional<std::uint64_t> index = entry.folder ? std::nullopt : chunk_index(entry.name);
    if (index)
      out.chunks.emplace(*index, entry.size);
    else
      out.others.push_back(entry.name);
  }
  return out;
}

// What is wrong with the file of a chunk, without decoding it; empty when its headers and length are right.
std::string trouble_opening(const Carray& carray, std::uint64_t chunk) {
  try {
    Bytes buffer;
    carray.open_chunk(chunk, buffer);
    return {};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return error.what();
  }
}

// Rows that are left when missing and truncated chunks at the end are dropped.
std::uint64_t rows_present(const Carray& carray, const DataFolder& data) {
  // A damaged length can claim any number of chunks: start from the last file that exists.
  std::uint64_t chunk = carray.chunks();
  if (data.chunks.empty()) return 0;
  chunk = std::min(chunk, data.chunks.rbegin()->first + 1);
  while (chunk > 0 && (!data.chunks.contains(chunk - 1) || !trouble_opening(carray, chunk - 1).empty())) --chunk;
  return std::min(carray.rows(), chunk * carray.storage.chunklen);
}

void check_chunk(const Carray& carray, std::uint64_t chunk, std::uint64_t size, const Work& work,
                 std::vector<Problem>& problems, std::mutex& mutex) {
  work.check();
  const std::string name = carray.store->describe(chunk_key(carray.prefix, chunk));
  const auto report = [&](Severity severity, std::string text, std::string_view remedy) {
    const std::lock_guard lock(mutex);
    problems.push_back({severity, name, std::move(text), std::string(remedy)});
  };
  try {
    Bytes buffer;
    ChunkFile file = carray.open_chunk(chunk, buffer);
    if (file.rows() > carray.rows_of(chunk))
      report(Severity::note,
             fmt::format("holds {} rows, {} more than are counted: an append or a trim was not finished", file.rows(),
                         file.rows() - carray.rows_of(chunk)),
             "");
    file.check(carray.storage.maybe_spoiled());
    if (size > file.stored_bytes())
      report(Severity::note,
             fmt::format("{} bytes behind the chunk, which readers pass over", size - file.stored_bytes()), "");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    report(Severity::damage, error.what(), kBackup);
  }
}

void check_carray(const Carray& carray, const Work& work, std::vector<Problem>& problems) {
  const auto note = [&](std::string key, std::string text) {
    problems.push_back({Severity::note, carray.store->describe(key), std::move(text), ""});
  };
  const std::string folder = join(carray.prefix, "data");
  const DataFolder data = list_data(carray);
  if (carray.sizes.nbytes != carray.rows() * carray.row_bytes && !carray.holds_objects())
    note(join(carray.prefix, kSizes),
         fmt::format("nbytes is {}, the shape makes {}", carray.sizes.nbytes, carray.rows() * carray.row_bytes));
  for (const std::string& other : data.others) note(join(folder, other), "not a file of bcolz");
  for (const Entry& entry : carray.store->list(join(carray.prefix, kPendingFolder)))
    note(join(join(carray.prefix, kPendingFolder), entry.name),
         carray.pending.empty()
             ? "left by an unfinished change; the next write removes it"
             : "part of a committed change that is not copied into place yet; the next write copies it");
  if (carray.holds_objects()) {
    note(carray.prefix, "holds Python objects (pickles), which are not checked");
    return;
  }
  if (carray.row_bytes == 0) return;

  const std::uint64_t expected = carray.chunks(), present = rows_present(carray, data);
  const std::uint64_t checked = present / carray.storage.chunklen + (present % carray.storage.chunklen != 0);
  if (present < carray.rows())
    problems.push_back(
        {Severity::damage, carray.file(kSizes),
         fmt::format("{} rows are counted, chunks are there for the first {}: {}", carray.rows(), present,
                     checked < expected && data.chunks.contains(checked)
                         ? trouble_opening(carray, checked)
                         : fmt::format("'{}' is missing", carray.store->describe(chunk_key(carray.prefix, checked)))),
         std::string(kRepair)});
  for (const auto& [chunk, size] : data.chunks)
    if (chunk >= expected)
      note(chunk_key(carray.prefix, chunk), "not one of the carray's chunks; left by a trim or an unfinished append");

  std::mutex mutex;
  const std::uint64_t bytes = 2 * carray.storage.chunklen * carray.row_bytes;
  wait_each(*carray.store, work, checked, bytes, [&](std::size_t chunk) {
    if (const auto file = data.chunks.find(chunk); file != data.chunks.end())
      return check_chunk(carray, chunk, file->second, work, problems, mutex);
    const std::lock_guard lock(mutex);
    problems.push_back(
        {Severity::damage, carray.store->describe(chunk_key(carray.prefix, chunk)),
         fmt::format("missing, while later chunks are there: rows {} to {} are lost", chunk * carray.storage.chunklen,
                     chunk * carray.storage.chunklen + carray.rows_of(chunk) - 1),
         std::string(kBackup)});
  });
}

}  // namespace

std::vector<Problem> verify(const Snapshot& snapshot, const Work& work) {
  std::vector<Problem> problems;
  try {
    read_attributes(*snapshot.store);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    problems.push_back({Severity::damage, snapshot.store->describe(kAttributes), error.what(),
                        "replace the file by one that holds {}"});
  }
  if (snapshot.table) {
    for (std::size_t i = 0; i < snapshot.columns.size(); ++i)
      if (snapshot.columns[i].stored_rows != snapshot.rows)
        problems.push_back({Severity::damage, snapshot.columns[i].file(kSizes),
                            fmt::format("column '{}' has {} rows, the shortest column has {}", snapshot.names[i],
                                        snapshot.columns[i].stored_rows, snapshot.rows),
                            fmt::format("repair makes every column {} rows long", snapshot.rows)});
    for (const Entry& entry : snapshot.store->list(""))
      if (entry.folder && std::find(snapshot.names.begin(), snapshot.names.end(), entry.name) == snapshot.names.end())
        problems.push_back(
            {Severity::note, snapshot.store->describe(entry.name), "a folder that is not a column of the table", ""});
  }
  if (snapshot.store->hints().lists && snapshot.store->has(kWriterFile))
    problems.push_back({Severity::note, snapshot.store->describe(kWriterFile),
                        "somebody is changing the array, or died while doing so; repair removes it", ""});
  if (snapshot.store->hints().remote()) {
    std::vector<std::vector<Problem>> found(snapshot.columns.size());
    wait_each(*snapshot.store, work, found.size(), 0,
              [&](std::size_t i) { check_carray(as_stored(snapshot.columns[i]), work, found[i]); });
    for (std::vector<Problem>& some : found) std::ranges::move(some, std::back_inserter(problems));
  } else {
    for (const Carray& carray : snapshot.columns) check_carray(as_stored(carray), work, problems);
  }
  // Damage first, then by name: chunks were checked in any order.
  std::sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(b.severity, a.file, a.text) < std::tie(a.severity, b.file, b.text);
  });
  return problems;
}

std::vector<Problem> repair(const Snapshot& snapshot, const Work& work) {
  std::vector<Problem> done;
  std::uint64_t rows = snapshot.rows;
  for (const Carray& carray : snapshot.columns)
    if (!carray.holds_objects() && carray.row_bytes > 0) rows = std::min(rows, rows_present(carray, list_data(carray)));
  for (const Carray& carray : snapshot.columns) {
    if (carray.stored_rows == rows || carray.holds_objects()) continue;
    put_sizes(carray, rows, count_cbytes(carray, rows));
    done.push_back({Severity::note, carray.file(kSizes),
                    fmt::format("{} rows are counted now, {} were; chunk files are kept", rows, carray.stored_rows),
                    ""});
  }
  for (Problem& problem : verify(*Snapshot::open(snapshot.store, work), work)) done.push_back(std::move(problem));
  return done;
}

}  // namespace tegula::bcolz
