// Small arrays that released libraries wrote (tests/data/tiledb; from the corpus of the same names).
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/fragment/tile_stream.h"
#include "format/tiledb/hex.h"
#include "format/tiledb/read/array_contents.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/read/snapshot.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/wrap/counting_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;

std::shared_ptr<Store> data_store(const std::string& name) {
  return open_store(std::string(TEGULA_TEST_DATA) + "/tiledb/" + name);
}

template <class T>
std::vector<T> numbers(const Bytes& bytes) {
  std::vector<T> out;
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) out.push_back(load_le<T>(bytes.data() + i));
  return out;
}

std::vector<std::string> texts(const TileData& tile) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tile.cells; ++i)
    out.emplace_back(text_of(ByteView(tile.data).subspan(tile.offsets[i], tile.offsets[i + 1] - tile.offsets[i])));
  return out;
}

TileData tile_of(const ArrayContents& array, std::size_t fragment, std::string_view field, std::uint64_t tile = 0) {
  const StoredField* stored = array.fragments.at(fragment)->field(field);
  if (!stored) throw std::runtime_error("no such field");
  const TileRef ref{array.fragments[fragment].get(), stored, tile};
  return std::move(load_tiles(array.files, std::span(&ref, 1), {}).at(0));
}

// Everything of every fragment, as one number. Throws for what cannot be read.
std::size_t read_all(const ArrayContents& array) {
  std::size_t bytes = 0;
  for (const auto& fragment : array.fragments) {
    if (!fragment->dense()) bytes += fragment->rtree().tiles();
    bytes += fragment->statistics().size() + fragment->processed_conditions().size();
    for (std::size_t slot = 0; slot < fragment->footer().slots.size(); ++slot)
      bytes += fragment->mins(slot).fixed.size() + fragment->maxs(slot).var.size() + fragment->sums(slot).size() +
               fragment->null_counts(slot).size();
    for (const StoredField& field : fragment->fields()) {
      std::vector<TileRef> refs;
      for (std::uint64_t tile = 0; tile < fragment->tiles(); ++tile) refs.push_back({fragment.get(), &field, tile});
      for (const TileData& tile : load_tiles(array.files, refs, {}))
        bytes += tile.data.size() + tile.offsets.size() + tile.validity.size();
    }
  }
  return bytes;
}

TEST(RealArrays, version_1_coordinates_cell_by_cell) {
  const ArrayContents array = open_contents(data_store("non_split_coords_v1_4_0"), {});
  ASSERT_EQ(array.fragments.size(), 1u);
  EXPECT_FALSE(array.fragments[0]->dense());
  EXPECT_EQ(array.fragments[0]->total_cells(), 4u);
  EXPECT_EQ(numbers<std::int32_t>(tile_of(array, 0, "d1").data), (std::vector<std::int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(numbers<std::int32_t>(tile_of(array, 0, "d2").data), (std::vector<std::int32_t>{10, 10, 10, 10}));
  EXPECT_EQ(numbers<std::int32_t>(tile_of(array, 0, "a").data), (std::vector<std::int32_t>{1, 2, 3, 4}));
}

TEST(RealArrays, version_2_coordinates_by_dimension) {
  const ArrayContents array = open_contents(data_store("v02_sparse_2d"), {});
  ASSERT_EQ(array.fragments.size(), 2u);
  EXPECT_EQ(array.fragments[0]->total_cells(), 18u);
  EXPECT_EQ(array.fragments[1]->total_cells(), 8u);
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<int, std::string>> cells;
  for (std::size_t f = 0; f < 2; ++f) {
    for (std::uint64_t t = 0; t < array.fragments[f]->tiles(); ++t) {
      const auto r = numbers<std::int64_t>(tile_of(array, f, "r", t).data),
                 c = numbers<std::int64_t>(tile_of(array, f, "c", t).data);
      const auto a = numbers<std::int32_t>(tile_of(array, f, "a", t).data);
      const auto s = texts(tile_of(array, f, "s", t));
      for (std::size_t i = 0; i < r.size(); ++i) cells[{r[i], c.at(i)}] = {a.at(i), s.at(i)};
    }
  }
  EXPECT_EQ((cells.begin()->first), std::pair(std::int64_t{-17}, std::int64_t{37}));
  EXPECT_EQ((cells[{-17, 37}]), std::pair(-45534593, std::string("ahopj")));
  EXPECT_EQ((cells[{-16, 2}]), std::pair(-873, std::string("d")));
}

TEST(RealArrays, version_8_file_names) {
  const ArrayContents array = open_contents(data_store("v08_special_names"), {});
  EXPECT_EQ(array.fragments.at(0)->field("x&y=z?")->file().substr(array.fragments[0]->folder().size() + 1),
            "x%26y%3Dz%3F.tdb");
  EXPECT_EQ(array.fragments[0]->total_cells(), 4u);
  EXPECT_EQ(tile_of(array, 0, "p%q", 1).cells, 2u);
  EXPECT_GT(read_all(array), 0u);
}

TEST(RealArrays, text_that_carries_its_offsets) {
  const ArrayContents array = open_contents(data_store("v22_filter_rle_strings"), {});
  const std::vector<std::string> s = texts(tile_of(array, 0, "s"));
  ASSERT_GE(s.size(), 4u);
  EXPECT_EQ(s[0], "suahfkey");
  EXPECT_EQ(s[2], "lj");
  const TileData n = tile_of(array, 0, "n");
  EXPECT_EQ(n.validity.at(0), std::byte{0});
  EXPECT_EQ(texts(n).at(1), "gd");
}

// libtiledb from 2.17 on reads these wrong: filters worked on the field's own type before.
TEST(RealArrays, filters_before_types_were_chained) {
  const ArrayContents array = open_contents(data_store("filters_float_scale-2.16"), {});
  EXPECT_EQ(array.fragments.at(0)->writer_version(), 19u);
  const auto values = numbers<double>(tile_of(array, 0, "float64_2").data);
  ASSERT_GE(values.size(), 4u);
  EXPECT_DOUBLE_EQ(values[0], 0.26);
  EXPECT_DOUBLE_EQ(values[2], -6.03);
  EXPECT_EQ(numbers<float>(tile_of(array, 0, "float32_1").data).at(0), 7.5f);
}

TEST(RealArrays, delete_metadata) {
  const ArrayContents array = open_contents(data_store("deletes_consolidated-2.30"), {});
  ASSERT_EQ(array.fragments.size(), 1u);
  const Fragment& fragment = *array.fragments[0];
  EXPECT_TRUE(fragment.has_timestamps());
  EXPECT_TRUE(fragment.has_deletes());
  EXPECT_NE(fragment.special(FieldKind::delete_times), nullptr);
  ASSERT_FALSE(fragment.processed_conditions().empty());
  EXPECT_EQ(fragment.processed_conditions()[0].substr(0, 15), "__commits/__30_");
  EXPECT_EQ(array.conditions.size(), 4u);
  EXPECT_EQ(array.conditions[0].time, 30u);
  OpenOptions early;
  early.at = {{0, 55}};
  EXPECT_EQ(open_contents(data_store("deletes_consolidated-2.30"), early).conditions.size(), 2u);
}

TEST(RealArrays, encryption) {
  OpenOptions options;
  EXPECT_ERROR(invalid_argument, "give the key", open_contents(data_store("encrypted_dense"), options));
  options.key = hex("3031323334353637383961626364654630313233343536373839616263646546");
  const ArrayContents array = open_contents(data_store("encrypted_dense"), options);
  EXPECT_GT(read_all(array), 0u);
  EXPECT_ERROR(invalid_argument, "without a key", open_contents(data_store("v22_filter_rle_strings"), options));
  options.key[0] ^= std::byte{1};
  EXPECT_ERROR(corrupt, "key", open_contents(data_store("encrypted_dense"), options));
}

std::shared_ptr<Store> copy_to_memory(const std::string& name) {
  const auto store = make_memory_store();
  const std::filesystem::path root = std::string(TEGULA_TEST_DATA) + "/tiledb/" + name;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string key = std::filesystem::relative(entry.path(), root).generic_string();
    store->put(key, *data_store(name)->get(key));
  }
  return store;
}

TEST(RealArrays, consolidated_footers_spare_requests) {
  const auto store = copy_to_memory("v22_consolidated_fragment_meta");
  const auto counts = std::make_shared<StoreCounts>();
  const ArrayContents array = open_contents(counting_store(store, counts), {});
  EXPECT_EQ(array.fragments.size(), 3u);
  // The schema, the footers of two fragments, and the third, which came later.
  EXPECT_EQ(counts->reads.load(), 3u);
  EXPECT_EQ(counts->sizes.load(), 0u);
  const std::size_t all = read_all(array);

  // A damaged or missing one only costs the requests.
  const std::string key = array.listing.footer_files.back();
  Bytes damaged = *store->get(key);
  damaged[damaged.size() / 2] ^= std::byte{0x55};
  store->put(key, damaged);
  EXPECT_EQ(read_all(open_contents(store, {})), all);
  store->remove(key);
  EXPECT_EQ(read_all(open_contents(store, {})), all);
}

// The consolidated file has wrong offsets from the second footer on: libtiledb 2.30 forgets a number that it adds to
// version 11.
TEST(RealArrays, wrong_consolidated_footers_are_passed_over) {
  const ArrayContents array = open_contents(data_store("mixed_fragment_meta_2.7_to_2.30"), {});
  ASSERT_EQ(array.fragments.size(), 3u);
  EXPECT_EQ(numbers<std::int32_t>(tile_of(array, 0, "d").data), (std::vector<std::int32_t>{8, 11, 17}));
  EXPECT_EQ(array.fragments[2]->version(), 22u);
  EXPECT_GT(read_all(array), 0u);
}

TEST(RealArrays, an_unnamed_attribute) {
  const ArrayContents array = open_contents(data_store("v05_anonymous_attr"), {});
  EXPECT_EQ(numbers<std::int64_t>(tile_of(array, 0, "").data).at(0), -861);
}

// What another process vacuumed or deleted is not damage.
TEST(RealArrays, a_fragment_that_is_no_more_is_not_corrupt) {
  for (const bool metadata : {false, true}) {
    const auto store = copy_to_memory("v22_filter_rle_strings");
    OpenOptions options;
    const ArrayContents array = open_contents(store, options, !metadata);
    const FragmentEntry entry = array.entries.at(0);
    store->remove("__commits/" + entry.name + ".wrt");
    store->remove_tree(entry.folder);
    if (metadata) {
      EXPECT_ERROR(not_found, "vacuumed or deleted since this handle", Snapshot(store, options, array).fragments({}));
    } else {
      EXPECT_ERROR(not_found, "open the array again", read_all(array));
    }
  }
}

TEST(RealArrays, missing_and_short_files_are_named) {
  const auto store = copy_to_memory("v22_filter_rle_strings");
  const ArrayContents array = open_contents(store, {});
  const std::string file = array.fragments.at(0)->field("s")->var_file();
  const Bytes whole = *store->get(file);
  store->put(file, ByteView(whole).first(whole.size() - 1));
  EXPECT_ERROR(corrupt, "a0_var.tdb", read_all(array));
  store->remove(file);
  EXPECT_ERROR(corrupt, "missing, although the fragment is committed", read_all(array));
  store->put(file, whole);
  EXPECT_GT(read_all(array), 0u);
  const std::string metadata = array.fragments[0]->folder() + "/__fragment_metadata.tdb";
  store->remove(metadata);
  EXPECT_ERROR(corrupt, "__fragment_metadata.tdb", open_contents(store, {}));
}

struct SinkOf : TileSink {
  explicit SinkOf(std::uint64_t size, std::uint64_t begin = 0, std::uint64_t end = UINT64_MAX)
      : bytes(size), first(begin), last(end) {}
  bool wants(std::uint64_t begin, std::uint64_t end) const override { return begin < last && first < end; }
  MutableBytes place(std::uint64_t begin, std::uint64_t end) override {
    return begin / 100 % 2 ? MutableBytes(bytes).subspan(begin, end - begin) : MutableBytes();
  }
  void take(std::uint64_t begin, ByteView data) override {
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  Bytes bytes;
  std::uint64_t first, last;
};

TEST(RealArrays, streaming_gives_what_loading_gives) {
  for (const char* name : {"filters_float_scale-2.16", "v08_special_names", "mixed_fragment_meta_2.7_to_2.30",
                           "deletes_consolidated-2.30"}) {
    SCOPED_TRACE(name);
    const ArrayContents array = open_contents(data_store(name), {});
    for (const auto& fragment : array.fragments) {
      for (const StoredField& field : fragment->fields()) {
        for (const bool validity : {false, true}) {
          if (validity ? !field.nullable : field.var() || field.in_coords) continue;
          std::vector<TileRef> refs;
          std::vector<std::unique_ptr<SinkOf>> sinks;
          std::vector<TileStream> streams;
          for (std::uint64_t tile = 0; tile < fragment->tiles(); ++tile) {
            refs.push_back({fragment.get(), &field, tile});
            sinks.push_back(std::make_unique<SinkOf>(
                fragment->raw_bytes(field, validity ? Fragment::Data::validity : Fragment::Data::fixed, tile)));
            streams.push_back({refs.back(), validity, sinks.back().get()});
          }
          stream_tiles(array.files, streams, {});
          const std::vector<TileData> loaded = load_tiles(array.files, refs, {});
          for (std::size_t i = 0; i < refs.size(); ++i)
            EXPECT_EQ(sinks[i]->bytes, validity ? loaded[i].validity : loaded[i].data);
        }
      }
    }
  }
}

// Flips, cuts and zeroes bytes of every file: an error or an answer, never a crash.
TEST(RealArrays, damage_never_crashes) {
  std::mt19937 random(11);
  for (const char* name :
       {"v02_sparse_2d", "v08_special_names", "v22_filter_rle_strings", "deletes_consolidated-2.30"}) {
    SCOPED_TRACE(name);
    const auto store = copy_to_memory(name);
    std::vector<std::string> files;
    const std::filesystem::path root = std::string(TEGULA_TEST_DATA) + "/tiledb/" + name;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
      if (entry.is_regular_file() && entry.file_size() > 0)
        files.push_back(std::filesystem::relative(entry.path(), root).generic_string());
    for (const std::string& file : files) {
      const Bytes good = *store->get(file);
      for (int round = 0; round < 12; ++round) {
        Bytes bad = good;
        const std::size_t at = random() % bad.size();
        if (round % 3 == 0) bad[at] ^= static_cast<std::byte>(1 + random() % 255);
        if (round % 3 == 1) bad.resize(at);
        if (round % 3 == 2)
          std::fill(bad.begin() + static_cast<std::ptrdiff_t>(at),
                    bad.begin() + static_cast<std::ptrdiff_t>(std::min(bad.size(), at + 8)), std::byte{0xFF});
        store->put(file, bad);
        try {
          read_all(open_contents(store, {}));
        } catch (const Error& error) {
          EXPECT_NE(error.kind(), ErrorKind::io) << error.what();
        }
      }
      store->put(file, good);
    }
    EXPECT_GT(read_all(open_contents(store, {})), 0u);
  }
}

}  // namespace
}  // namespace tegula::tiledb
