// What changed between format versions, as named facts. docs/format/tiledb.md describes the same changes in words.
#pragma once

#include <cstdint>

namespace tegula::tiledb {

inline constexpr std::uint32_t kOldestVersion = 1;
inline constexpr std::uint32_t kNewestVersion = 23;  // the newest that is read
inline constexpr std::uint32_t kWriteVersion = 22;   // of new arrays: what libtiledb 2.25 to 2.30 write

// Fragments.
constexpr bool coords_always_split(std::uint32_t v) { return v >= 2; }  // v1: only when a compressor follows
constexpr bool monolithic_metadata(std::uint32_t v) {
  return v <= 2;
}  // one generic tile instead of tiles and a footer
constexpr bool one_file_per_dimension(std::uint32_t v) { return v >= 5; }  // before: __coords
constexpr bool has_validity(std::uint32_t v) { return v >= 7; }
constexpr bool percent_encoded_names(std::uint32_t v) { return v == 8; }
constexpr bool indexed_file_names(std::uint32_t v) { return v >= 9; }  // a0, d0
constexpr bool zero_padding(std::uint32_t v) { return v >= 9; }        // of dense tiles; before: the fill value
constexpr bool hilbert_by_range(std::uint32_t v) { return v >= 9; }    // before: hi - lo + 1
constexpr bool names_schema(std::uint32_t v) { return v >= 10; }
constexpr bool footer_length_always(std::uint32_t v) { return v >= 10; }  // before: only with variable-size dimensions
constexpr bool has_tile_statistics(std::uint32_t v) { return v >= 11; }
constexpr bool whole_var_cells_in_chunks(std::uint32_t v) { return v >= 11; }
constexpr bool has_fragment_statistics(std::uint32_t v) { return v >= 12; }
constexpr bool rle_carries_ascii(std::uint32_t v) { return v >= 12; }
constexpr bool dictionary_carries_ascii(std::uint32_t v) { return v >= 13; }
constexpr bool mixed_types_in_order(std::uint32_t v) { return v >= 14; }  // sparse: in global order for all types
constexpr bool rle_carries_utf8(std::uint32_t v) { return v >= 17; }      // and the dictionary
constexpr bool may_have_timestamps(std::uint32_t v) { return v >= 14; }
constexpr bool may_have_deletes(std::uint32_t v) { return v >= 15; }
constexpr bool visible_in_part(std::uint32_t v) { return v >= 15; }  // sparse: a time window may see a part of it
constexpr bool has_processed_conditions(std::uint32_t v) { return v >= 16; }
constexpr bool padding_free_statistics(std::uint32_t v) { return v >= 16; }  // dense
constexpr bool filters_dates(std::uint32_t v) { return v >= 20; }            // bit-width and positive delta on dates
constexpr bool has_optional_sections(std::uint32_t v) { return v >= 23; }

// The library that wrote the fragment, by the version in its generic tiles.
constexpr bool chains_filter_types(std::uint32_t writer) { return writer >= 20; }

// Where things are.
constexpr bool has_ok_files(std::uint32_t v) { return v >= 5 && v <= 11; }
constexpr bool in_commits_folder(std::uint32_t v) { return v >= 12; }  // and __fragments, __fragment_meta
constexpr bool relative_vacuum_paths(std::uint32_t v) { return v >= 19; }
constexpr bool relative_footer_names(std::uint32_t v) { return v >= 9; }  // in consolidated fragment metadata

// Schemas.
constexpr bool schema_has_duplicates_flag(std::uint32_t v) { return v >= 5; }
constexpr bool schema_has_typed_dimensions(std::uint32_t v) { return v >= 5; }
constexpr bool schema_has_fill(std::uint32_t v) { return v >= 6; }
constexpr bool schema_has_nullable(std::uint32_t v) { return v >= 7; }
constexpr bool schema_in_folder(std::uint32_t v) { return v >= 10; }
constexpr bool schema_has_attribute_order(std::uint32_t v) { return v >= 17; }
constexpr bool schema_has_labels(std::uint32_t v) { return v >= 18; }
constexpr bool schema_has_enumerations(std::uint32_t v) { return v >= 20; }
constexpr bool schema_has_current_domain(std::uint32_t v) { return v >= 22; }

// Filter options.
constexpr bool delta_reinterprets(std::uint32_t v) { return v >= 19; }
constexpr bool double_delta_reinterprets(std::uint32_t v) { return v >= 20; }

// New fragments take the schema's version, except that a library from 2.2 on never writes below 7.
constexpr std::uint32_t fragment_version_for(std::uint32_t schema_version) {
  return schema_version >= 7 ? schema_version : kWriteVersion;
}

}  // namespace tegula::tiledb
