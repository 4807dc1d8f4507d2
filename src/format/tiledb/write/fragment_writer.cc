// The order of a write: data files, __fragment_metadata.tdb, commit file. Each appears as a whole, and readers start
// from the commit file, so that the array is unchanged wherever a write stops.
#include "format/tiledb/write/fragment_writer.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "base/context.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/fragment/metadata_encoder.h"
#include "format/tiledb/listing/commit_files.h"

namespace tegula::tiledb {

namespace {

using Data = Fragment::Data;

std::string fragment_name(std::uint32_t version, const FragmentTimes& times) {
  // Versions 3 and 4 have no suffix.
  return make_timed_name(times.first, times.last, make_ordered_uuid(), version >= 5 ? version : 0);
}

std::string fragment_folder(std::uint32_t version, const std::string& name) {
  return in_commits_folder(version) ? join(kFragmentsFolder, name) : name;
}

// Whether the first filter of a text field also stores where its cells begin.
bool carries_offsets(const StoredField& field, const FilterPlan& plan, std::uint32_t version) {
  if (!field.var() || !may_carry_offsets(plan)) return false;
  if (field.type.id == TypeId::utf8) return rle_carries_utf8(version);
  if (field.type.id != TypeId::ascii) return false;
  return plan.steps[0].filter.type == FilterType::rle ? rle_carries_ascii(version) : dictionary_carries_ascii(version);
}

bool one_chunk(const FilterPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.filter.type == FilterType::webp; });
}

}  // namespace

std::uint32_t written_version(const ArraySchema& schema) {
  if (schema.version > kWriteVersion)
    fail(ErrorKind::unsupported, "the schema has format version {}, this build writes up to {}", schema.version,
         kWriteVersion);
  return schema.version >= 3 ? schema.version : kWriteVersion;
}

void FragmentWriter::File::append(ByteView tile) {
  offsets.push_back(size);
  upload->append(tile);
  size += tile.size();
}

void FragmentWriter::File::append(const StoredTiles::Part& tiles) {
  if (!upload) return;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : tiles.ends) {
    offsets.push_back(size + begin);
    begin = end;
  }
  upload->append(tiles.bytes);
  size += tiles.bytes.size();
}

FragmentWriter::FragmentWriter(WriteTarget target, bool dense, const FragmentTimes& times)
    : target_(std::move(target)),
      dense_(dense),
      times_(times),
      version_(written_version(*target_.schema)),
      name_(fragment_name(version_, times)),
      folder_(fragment_folder(version_, name_)),
      fields_(stored_fields(*target_.schema, {version_, dense, times.timestamps, times.deletes}, folder_)) {
  open_columns();
}

FragmentWriter::~FragmentWriter() {
  if (committed_) return;
  columns_.clear();  // unfinished uploads
  try {
    target_.store->remove_tree(folder_);
  } catch (...) {  // the files stay, but without a commit they are not part of the array
  }
}

void FragmentWriter::open_columns() {
  const FilterVersions versions{version_, version_};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const StoredField& field = fields_[i];
    if (field.in_coords && field.index > 0) {
      columns_.back().fields.push_back(i);
      continue;
    }
    Column column;
    column.fields = {i};
    column.plan = field_plan(*target_.schema, field, Data::fixed, versions, target_.key);
    column.data.key = field.file();
    if (field.var()) {
      column.var_plan = field_plan(*target_.schema, field, Data::var, versions, target_.key);
      column.text = carries_offsets(field, column.var_plan, version_);
      column.var.key = field.var_file();
    }
    if (field.nullable) {
      column.validity_plan = field_plan(*target_.schema, field, Data::validity, versions, target_.key);
      column.validity.key = field.validity_file();
    }
    columns_.push_back(std::move(column));
  }
  for (Column& column : columns_)
    for (File* file : {&column.data, &column.var, &column.validity})
      if (!file->key.empty()) file->upload = target_.store->begin(file->key);
}

void FragmentWriter::encode(const Column& column, std::uint64_t tile, const TileFiller& fill, EncodedTile& out,
                            const Work& work) {
  out.data.clear();
  out.var.clear();
  out.validity.clear();
  const StoredField& field = fields_[column.fields[0]];
  ObjectPool<TileColumn>::Lease lease(cells_);
  TileColumn& cells = *lease;
  cells.clear();
  fill(tile, column.fields[0], cells);
  if (has_tile_statistics(version_)) out.statistics = tile_statistics(field, cells);
  if (field.in_coords) {
    // The dimensions lie one behind the other; no chunk holds values of two.
    std::vector<std::uint64_t> chunks = cut_cells(cells.data.size(), field.type.size);
    const std::size_t per_dimension = chunks.size();
    for (std::size_t i = 1; i < column.fields.size(); ++i) {
      TileColumn next;
      fill(tile, column.fields[i], next);
      cells.data.insert(cells.data.end(), next.data.begin(), next.data.end());
      chunks.insert(chunks.end(), chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(per_dimension));
    }
    encode_tile(column.plan, cells.data, chunks, out.data, scratch_, work);
    return;
  }
  if (field.var()) {
    out.var_size = cells.data.size();
    if (column.text) {
      ScratchPool::Lease scratch(scratch_);
      encode_text_tile(column.var_plan, cells.data, cells.offsets, out.var, *scratch);
      encode_tile(column.plan, {}, {}, out.data, scratch_, work);
    } else {
      encode_tile(column.var_plan, cells.data,
                  cut_var_cells(cells.data.size(), cells.offsets, field.type.size, version_), out.var, scratch_, work);
      if constexpr (std::endian::native == std::endian::big)
        for (std::uint64_t& offset : cells.offsets) offset = swap_bytes(offset);
      const ByteView offsets = std::as_bytes(std::span<const std::uint64_t>(cells.offsets));
      encode_tile(column.plan, offsets, cut_cells(offsets.size(), 8), out.data, scratch_, work);
    }
  } else {
    const std::vector<std::uint64_t> chunks = one_chunk(column.plan) ? std::vector<std::uint64_t>{cells.data.size()}
                                                                     : cut_cells(cells.data.size(), field.cell_size());
    encode_tile(column.plan, cells.data, chunks, out.data, scratch_, work);
  }
  if (field.nullable)
    encode_tile(column.validity_plan, cells.validity, cut_cells(cells.validity.size(), 1), out.validity, scratch_,
                work);
}

void FragmentWriter::append(Column& column, EncodedTile& tile) {
  column.data.append(tile.data);
  if (column.var.upload) {
    column.var.append(tile.var);
    column.var_sizes.push_back(tile.var_size);
  }
  if (column.validity.upload) column.validity.append(tile.validity);
  column.statistics.push_back(std::move(tile.statistics));
}

void FragmentWriter::add_tiles(std::uint64_t count, std::uint64_t tile_bytes, const TileFiller& fill,
                               const Work& work) {
  const Context doing([&] { return fmt::format("writing fragment {}", name_); });
  threads_ = work.threads;
  // Enough tiles at once for all threads, within the budget: a tile is in memory both raw and filtered.
  const std::uint64_t fit = std::max<std::uint64_t>(1, work.memory / 4 / std::max<std::uint64_t>(1, tile_bytes));
  const std::uint64_t group = std::min<std::uint64_t>({count, fit, 32ull * thread_count(work)});
  Work inside = work;  // threads share the chunks of a tile only where there are too few tiles
  if (group * columns_.size() >= thread_count(work)) inside.threads = 1;
  for (std::uint64_t first = 0; first < count; first += group) {
    const std::size_t n = static_cast<std::size_t>(std::min(group, count - first)) * columns_.size();
    std::vector<std::optional<ObjectPool<EncodedTile>::Lease>> done(n);
    std::mutex mutex;
    std::size_t next = 0;
    bool writing = false;
    parallel_for(work, n, [&](std::size_t i) {
      ObjectPool<EncodedTile>::Lease tile(encoded_);
      encode(columns_[i % columns_.size()], first + i / columns_.size(), fill, *tile, inside);
      // Files grow in the order of tiles. The thread that has the next tile writes it and the finished ones behind it,
      // while the others go on filtering.
      std::unique_lock lock(mutex);
      done[i].emplace(std::move(tile));
      if (writing) return;
      writing = true;
      while (next < n && done[next]) {
        lock.unlock();
        append(columns_[next % columns_.size()], **done[next]);
        done[next].reset();
        lock.lock();
        ++next;
      }
      writing = false;
    });
  }
  tiles_ += count;
}

void FragmentWriter::add_stored(std::uint64_t count, const TileTaker& take, const Work& work) {
  const Context doing([&] { return fmt::format("writing fragment {}", name_); });
  threads_ = work.threads;
  parallel_for(work, columns_.size(), [&](std::size_t i) {
    Column& column = columns_[i];
    ObjectPool<StoredTiles>::Lease lease(stored_);
    StoredTiles& tiles = *lease;
    tiles.clear();
    take(column.fields[0], tiles);
    column.data.append(tiles.data);
    column.var.append(tiles.var);
    column.validity.append(tiles.validity);
    column.var_sizes.insert(column.var_sizes.end(), tiles.var_sizes.begin(), tiles.var_sizes.end());
    std::move(tiles.statistics.begin(), tiles.statistics.end(), std::back_inserter(column.statistics));
  });
  tiles_ += count;
}

Bytes FragmentWriter::metadata_file(const FragmentCover& cover) const {
  WrittenFragment written;
  written.version = version_;
  written.dense = dense_;
  written.schema_name = target_.schema_name;
  written.domain = cover.domain;
  written.rectangles = cover.rectangles;
  written.tiles = tiles_;
  written.last_tile_cells = cover.last_tile_cells;
  written.timestamps = times_.timestamps;
  written.deletes = times_.deletes;
  written.processed = cover.processed;
  for (const Column& column : columns_) {
    const StoredField& field = fields_[column.fields[0]];
    written.fields.push_back({&field, column.data.size, column.var.size, column.validity.size, column.data.offsets,
                              column.var.offsets, column.var_sizes, column.validity.offsets, column.statistics});
  }
  return encode_fragment_metadata(written, *target_.schema, target_.key);
}

void FragmentWriter::finish(const FragmentCover& cover) {
  const Context doing([&] { return fmt::format("writing fragment {}", name_); });
  std::vector<std::unique_ptr<Upload>> uploads;
  for (Column& column : columns_)
    for (File* file : {&column.data, &column.var, &column.validity})
      if (file->upload) uploads.push_back(std::move(file->upload));
  const Bytes metadata = metadata_file(cover);
  const std::string metadata_key = join(folder_, kFragmentMetadataFile);
  // When a commit file follows, the metadata is a file like the others.
  const bool has_commit_file = in_commits_folder(version_) || has_ok_files(version_);
  if (has_commit_file) {
    uploads.push_back(target_.store->begin(metadata_key));
    uploads.back()->append(metadata);
  }
  Work work;
  work.threads = threads_;
  commit_together(*target_.store, folder_, uploads, work);
  scratch_.clear();
  cells_.clear();
  encoded_.clear();
  stored_.clear();
  if (has_commit_file) return;
  // The last step may fail after it took effect: then the fragment is visible and must stay.
  committed_ = true;
  target_.store->put(metadata_key, metadata);
}

std::string FragmentWriter::hand_over() {
  committed_ = true;
  return commit_file(name_, version_);
}

void FragmentWriter::commit(const FragmentCover& cover) {
  finish(cover);
  if (const std::string file = hand_over(); !file.empty()) target_.store->put(file, ByteView());
  if (target_.written) target_.written->push_back(name_);
}

void commit_fragments(Store& store, std::span<const std::unique_ptr<FragmentWriter>> fragments, std::uint64_t first,
                      std::uint64_t last) {
  std::vector<std::string> files;
  std::string lines;
  for (const auto& fragment : fragments) lines += files.emplace_back(fragment->hand_over()) + "\n";
  if (files.size() > 1 && in_commits_folder(fragments[0]->version())) {
    const std::string name = make_timed_name(first, last, make_ordered_uuid(), fragments[0]->version());
    store.put_text(join(kCommitsFolder, name + ".con"), lines);
    return;
  }
  for (const std::string& file : files)
    if (!file.empty()) store.put(file, ByteView());
}

std::uint64_t FragmentWriter::bytes() const {
  std::uint64_t bytes = 0;
  for (const Column& column : columns_) bytes += column.data.size + column.var.size + column.validity.size;
  return bytes;
}

}  // namespace tegula::tiledb
