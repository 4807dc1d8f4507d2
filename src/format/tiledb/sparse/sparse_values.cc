// Fixed-size cells are copied from their chunks straight to their place in a column; variable ones are kept by tile
// until the total length is known.
#include "format/tiledb/sparse/sparse_values.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/parallel.h"
#include "format/tiledb/fragment/tile_run.h"
#include "format/tiledb/fragment/tile_stream.h"
#include "format/tiledb/read/tile_pruning.h"
#include "format/tiledb/sparse/pick_cells.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

// Copies the hits of a tile out of its chunks.
class HitSink final : public TileSink {
 public:
  HitSink(const TileHits& hits, std::size_t size, std::byte* out) : hits_(hits), size_(size), out_(out) {}

  bool wants(std::uint64_t begin, std::uint64_t end) const override {
    if (hits_.all) return true;
    const auto at = first_from(begin / size_);
    return at != hits_.cells.end() && std::uint64_t{*at} * size_ < end;
  }

  MutableBytes place(std::uint64_t begin, std::uint64_t end) override {
    return hits_.all ? MutableBytes(out_ + begin, end - begin) : MutableBytes();
  }

  bool pieces(std::uint64_t begin, std::uint64_t end, std::vector<MutableBytes>& out) override {
    if (hits_.all) out.push_back(place(begin, end));
    return hits_.all;
  }

  void take(std::uint64_t begin, ByteView bytes) override {
    const std::uint64_t end = begin + bytes.size();
    auto at = first_from(begin / size_);
    std::byte* out = out_ + static_cast<std::size_t>(at - hits_.cells.begin()) * size_;
    for (; at != hits_.cells.end() && std::uint64_t{*at} * size_ < end; ++at, out += size_) {
      // A cell may be split between two chunks.
      const std::uint64_t cell = std::uint64_t{*at} * size_;
      const std::uint64_t from = std::max(cell, begin), to = std::min(cell + size_, end);
      std::memcpy(out + (from - cell), bytes.data() + (from - begin), to - from);
    }
  }

 private:
  std::vector<std::uint32_t>::const_iterator first_from(std::uint64_t cell) const {
    return std::lower_bound(hits_.cells.begin(), hits_.cells.end(), cell);
  }

  const TileHits& hits_;
  const std::size_t size_;
  std::byte* const out_;
};

class HitReader {
 public:
  HitReader(const SparseQuery& query, const SparseHits& hits, std::span<const FieldInfo> fields, const Work& work)
      : query_(query), hits_(hits), fields_(fields), work_(work), pieces_(fields.size()), missing_(fields.size()) {}

  std::vector<Column> run() {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      Column& column = columns_.emplace_back(empty_column(fields_[f]));
      if (!fields_[f].var()) column.data.resize(hits_.count() * fields_[f].cell_size());
      if (fields_[f].nullable) column.validity.resize(hits_.count());
      pieces_[f].assign(hits_.tiles.size(), nullptr);
      plan(f);
    }
    stream_tiles(query_.snapshot->files(), streams_, work_);
    for_each_tile(query_.snapshot->files(), jobs_, work_, [&](std::size_t i, std::span<const TileData> tiles) {
      const Job& job = job_of_[i];
      loaded_[job.piece] = pick_cells(tiles[0], *jobs_[i].fields[0], hits_.hits[job.tile]);
    });
    for (std::size_t f = 0; f < fields_.size(); ++f) join(f);
    return std::move(columns_);
  }

 private:
  struct Job {
    std::size_t tile, piece;
  };

  const Fragment& fragment(std::size_t t) const { return *query_.snapshot->fragments(work_)[hits_.tiles[t].fragment]; }

  const TileData* kept(const FieldInfo& field, std::size_t t) const {
    for (const SparseHits::Kept& kept : hits_.kept)
      if (kept.field == field.name && kept.tiles[t].cells == hits_.hits[t].count) return &kept.tiles[t];
    return nullptr;
  }

  void plan(std::size_t f) {
    const FieldInfo& field = fields_[f];
    for (std::size_t t = 0; t < hits_.tiles.size(); ++t) {
      const TileHits& hits = hits_.hits[t];
      if (hits.count == 0) continue;
      const StoredField* stored = stored_field(fragment(t), field);
      if (!stored) {
        fill(f, t);
      } else if (const TileData* tile = kept(field, t)) {
        pieces_[f][t] = tile;
      } else if (stored->var() || stored->in_coords) {
        pieces_[f][t] = &loaded_.emplace_back();
        jobs_.push_back({&fragment(t), hits_.tiles[t].tile, {stored}});
        job_of_.push_back({t, loaded_.size() - 1});
      } else {
        const std::size_t size = field.cell_size();
        stream(t, stored, false, size, columns_[f].data.data() + hits.first * size);
        if (stored->nullable) stream(t, stored, true, 1, columns_[f].validity.data() + hits.first);
      }
      if (stored && field.nullable && !stored->nullable)
        std::fill_n(columns_[f].validity.begin() + static_cast<std::ptrdiff_t>(hits.first), hits.count, std::byte{1});
    }
  }

  void stream(std::size_t t, const StoredField* stored, bool validity, std::size_t size, std::byte* out) {
    streams_.push_back(
        {{&fragment(t), stored, hits_.tiles[t].tile}, validity, &sinks_.emplace_back(hits_.hits[t], size, out)});
  }

  // The fragment is older than the attribute.
  void fill(std::size_t f, std::size_t t) {
    const Attribute& attribute = *query_.snapshot->model().attribute(fields_[f].name);
    const TileHits& hits = hits_.hits[t];
    Column& column = columns_[f];
    if (column.var()) missing_[f].push_back(t);
    for (std::uint64_t i = hits.first; !column.var() && i < hits.first + hits.count; ++i)
      std::memcpy(column.data.data() + i * attribute.fill.size(), attribute.fill.data(), attribute.fill.size());
    if (column.nullable)
      std::fill_n(column.validity.begin() + static_cast<std::ptrdiff_t>(hits.first), hits.count,
                  std::byte{attribute.fill_valid});
  }

  void join(std::size_t f) {
    Column& column = columns_[f];
    if (column.var()) return join_var(f);
    const std::size_t size = fields_[f].cell_size();
    parallel_for(work_, hits_.tiles.size(), [&](std::size_t t) {
      const TileData* piece = pieces_[f][t];
      if (!piece) return;
      std::memcpy(column.data.data() + hits_.hits[t].first * size, piece->data.data(), hits_.hits[t].count * size);
      join_validity(column, t, *piece);
    });
  }

  void join_validity(Column& column, std::size_t t, const TileData& piece) const {
    if (column.nullable && !piece.validity.empty())
      std::memcpy(column.validity.data() + hits_.hits[t].first, piece.validity.data(), hits_.hits[t].count);
  }

  void join_var(std::size_t f) {
    Column& column = columns_[f];
    const std::size_t n = hits_.tiles.size();
    const Attribute* attribute = fields_[f].dimension ? nullptr : query_.snapshot->model().attribute(fields_[f].name);
    std::vector<std::uint64_t> starts(n + 1, 0);
    for (const std::size_t t : missing_[f]) starts[t + 1] = hits_.hits[t].count * attribute->fill.size();
    for (std::size_t t = 0; t < n; ++t) {
      if (const TileData* piece = pieces_[f][t]) starts[t + 1] = piece->offsets.back() - piece->offsets.front();
      starts[t + 1] += starts[t];
    }
    column.offsets.resize(hits_.count() + 1);
    column.offsets[hits_.count()] = starts[n];
    column.data.resize(starts[n]);
    parallel_for(work_, n, [&](std::size_t t) {
      const TileHits& hits = hits_.hits[t];
      std::uint64_t* offsets = column.offsets.data() + hits.first;
      if (const TileData* piece = pieces_[f][t]) {
        const std::uint64_t base = piece->offsets.front();
        for (std::uint64_t i = 0; i < hits.count; ++i) offsets[i] = starts[t] + (piece->offsets[i] - base);
        if (starts[t + 1] > starts[t])
          std::memcpy(column.data.data() + starts[t], piece->data.data() + base, starts[t + 1] - starts[t]);
        join_validity(column, t, *piece);
      } else {
        for (std::uint64_t i = 0; i < hits.count; ++i) {
          offsets[i] = starts[t] + i * attribute->fill.size();
          if (!attribute->fill.empty())
            std::memcpy(column.data.data() + offsets[i], attribute->fill.data(), attribute->fill.size());
        }
      }
    });
  }

  const SparseQuery& query_;
  const SparseHits& hits_;
  const std::span<const FieldInfo> fields_;
  const Work& work_;
  std::vector<Column> columns_;
  std::vector<std::vector<const TileData*>> pieces_;  // by field and tile; null: in place already
  std::vector<std::vector<std::size_t>> missing_;     // by field: tiles whose fragment lacks it
  std::deque<TileData> loaded_;
  std::vector<TileJob> jobs_;
  std::vector<Job> job_of_;
  std::deque<HitSink> sinks_;
  std::vector<TileStream> streams_;
};

}  // namespace

std::vector<Column> read_hits(const SparseQuery& query, const SparseHits& hits, std::span<const FieldInfo> fields,
                              const Work& work) {
  return HitReader(query, hits, fields, work).run();
}

}  // namespace tegula::tiledb
