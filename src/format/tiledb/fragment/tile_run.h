// Neighbouring tiles of a fragment, which are fetched together and decoded one by one into reused memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/fragment/tile_source.h"

namespace tegula::tiledb {

// Buffers for loading tiles, to be reused by many runs. Safe to share between threads.
struct RunPools {
  ObjectPool<std::vector<Bytes>> stored;
  ScratchPool scratch;
};

// Tiles first .. last of some fields of one fragment. Borrows everything.
class TileRun {
 public:
  // Fetches with one batch: a request per file. `from` stands for the store of the files and may know what plan_run()
  // wants; it is not used afterwards.
  TileRun(const ArrayFiles& files, const Fragment& fragment, std::span<const StoredField* const> fields,
          std::uint64_t first, std::uint64_t last, RunPools& pools, const Work& work, TileParts parts,
          const Store& from);

  // Decodes a tile of fields[index]. Reuses the memory of `out`.
  void decode(std::size_t index, std::uint64_t tile, TileData& out) const;

 private:
  using Data = Fragment::Data;
  struct Part {
    std::string key, name;
    std::uint64_t begin = 0;
    MutableBytes bytes;
    bool wanted = false;
  };
  // One tile of one field.
  struct At {
    const StoredField& field;
    const Part* parts;
    std::uint64_t tile;
    const Part& part(Data data) const { return parts[static_cast<std::size_t>(data)]; }
  };

  void fetch(std::uint64_t first, std::uint64_t last, TileParts parts, const Store& from);
  TilePlace place(const At& at, Data data) const;
  std::vector<Chunk> chunks(const At& at, Data data) const;
  void decode_all(const At& at, Data data, Bytes& out) const;
  void decode_var(const At& at, TileData& out) const;
  void decode_text(const At& at, TileData& out) const;
  void decode_coordinates(const At& at, Bytes& out) const;
  bool coordinates_split() const;

  const ArrayFiles& files_;
  const Fragment& fragment_;
  const std::span<const StoredField* const> fields_;
  RunPools& pools_;
  const Work& work_;
  ObjectPool<std::vector<Bytes>>::Lease stored_;
  std::vector<Part> parts_;  // three for each field
};

// What a TileRun reads.
void plan_run(const Fragment& fragment, std::span<const StoredField* const> fields, std::uint64_t first,
              std::uint64_t last, TileParts parts, Wants& wants);

// Some fields of one tile.
struct TileJob {
  const Fragment* fragment = nullptr;
  std::uint64_t tile = 0;
  std::vector<const StoredField*> fields;
};
// Loads the lists that tell where the tiles lie in their files: the first job of a fragment says for which fields.
void prefetch_tile_places(const ArrayFiles& files, std::span<const TileJob> jobs, const Work& work);
// Calls body(i, tiles of the fields of jobs[i]) in parallel, with memory for a few tiles per thread. Neighbours that
// follow each other in `jobs` are fetched together.
void for_each_tile(const ArrayFiles& files, std::span<const TileJob> jobs, const Work& work,
                   const std::function<void(std::size_t, std::span<const TileData>)>& body);

// Whether a part of a field is stored and asked for.
bool has_part(const StoredField& field, Fragment::Data data, TileParts parts);

// Cuts 0 .. count into runs [begin, end). A new run begins at i when follows(i) is false, or when the bytes of the run
// would be too many to fetch at once.
struct Span {
  std::size_t begin = 0, end = 0;
};
std::vector<Span> make_runs(std::size_t count, const std::function<bool(std::size_t)>& follows,
                            const std::function<std::uint64_t(std::size_t)>& bytes);

}  // namespace tegula::tiledb
