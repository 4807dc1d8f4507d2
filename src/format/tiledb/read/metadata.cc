#include "format/tiledb/read/metadata.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/fail.h"
#include "format/tiledb/listing/array_listing.h"
#include "store/wrap/wait_each.h"

namespace tegula::tiledb {

std::vector<MetadataEntry> decode_metadata(Cursor in) {
  std::vector<MetadataEntry> entries;
  while (!in.done()) {
    MetadataEntry entry;
    entry.key = in.string(in.read<std::uint32_t>(), "a metadata key");
    if (in.read<std::uint8_t>() == 0) {
      MetaValue value;
      const std::uint8_t code = in.read<std::uint8_t>();
      if (tiledb_name(code).empty()) in.fail("key '{}' has datatype {}, expected 0 to 43", entry.key, code);
      value.type = datatype_from_tiledb(code);
      value.count = in.read<std::uint32_t>();
      value.data = copy_of(in.bytes(std::uint64_t{value.count} * value.type.size, "a metadata value"));
      entry.value = std::move(value);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void encode_metadata(std::span<const MetadataEntry> entries, Bytes& out) {
  ByteWriter writer(out);
  for (const MetadataEntry& entry : entries) {
    writer.put(static_cast<std::uint32_t>(entry.key.size()));
    writer.text(entry.key);
    writer.put(static_cast<std::uint8_t>(!entry.value));
    if (!entry.value) continue;
    const std::optional<std::uint8_t> code = tiledb_code(entry.value->type);
    if (!code || entry.value->data.size() != std::uint64_t{entry.value->count} * entry.value->type.size)
      fail(ErrorKind::invalid_argument, "metadata key '{}': TileDB cannot store {} values of {} in {} bytes", entry.key,
           entry.value->count, display_name(entry.value->type), entry.value->data.size());
    writer.put(*code);
    writer.put(entry.value->count);
    writer.bytes(entry.value->data);
  }
}

std::vector<std::string> timed_files(const Store& store, std::string_view folder, const TimeWindow& window) {
  struct File {
    TimedName time;
    std::string key;
  };
  std::vector<File> files;
  std::set<std::string> hidden;
  for (const Entry& entry : store.list(folder)) {
    const std::optional<TimedName> time = parse_timed_name(entry.name);
    if (!time || entry.folder || !window.contains(time->first, time->last)) continue;
    std::string key = join(folder, entry.name);
    const std::string_view kind = extension(entry.name);
    if (kind == ".vac") {
      if (const std::optional<Bytes> lines = store.get(key))
        for (const CommitLine& line : decode_commits(*lines, key, false)) hidden.insert(vacuumed_key(line.path));
    } else if (kind.empty()) {
      files.push_back({*time, std::move(key)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return std::tie(a.time.first, a.key) < std::tie(b.time.first, b.key); });
  std::vector<std::string> keys;
  for (File& file : files)
    if (!hidden.contains(file.key)) keys.push_back(std::move(file.key));
  return keys;
}

Metadata read_metadata(const Store& store, const Key& key, const TimeWindow& window, const Work& work) {
  return read_metadata(store, key, timed_files(store, kMetadataFolder, window), work);
}

Metadata read_metadata(const Store& store, const Key& key, std::span<const std::string> files, const Work& work) {
  std::vector<std::vector<MetadataEntry>> contents(files.size());
  wait_each(store, work, files.size(), 0, [&](std::size_t i) {
    const std::optional<Bytes> bytes = store.get(files[i]);
    if (!bytes) fail(ErrorKind::io, "{}: listed, but gone when read; open the array again", store.describe(files[i]));
    Cursor in(*bytes, store.describe(files[i]));
    const GenericTile tile = decode_generic_tile(in, key);
    contents[i] = decode_metadata(Cursor(tile.payload, store.describe(files[i]) + " (unpacked)"));
  });
  Metadata metadata;
  for (std::vector<MetadataEntry>& entries : contents) {
    for (MetadataEntry& entry : entries) {
      if (entry.value) {
        metadata.insert_or_assign(std::move(entry.key), std::move(*entry.value));
      } else {
        metadata.erase(entry.key);
      }
    }
  }
  return metadata;
}

}  // namespace tegula::tiledb
