// Names of files and folders, and the times in these names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tegula::tiledb {

inline constexpr std::string_view kOldSchemaFile = "__array_schema.tdb";
inline constexpr std::string_view kSchemaFolder = "__schema";
inline constexpr std::string_view kEnumerationsFolder = "__enumerations";
inline constexpr std::string_view kFragmentsFolder = "__fragments";
inline constexpr std::string_view kCommitsFolder = "__commits";
inline constexpr std::string_view kFragmentMetaFolder = "__fragment_meta";
inline constexpr std::string_view kMetadataFolder = "__meta";
inline constexpr std::string_view kLabelsFolder = "__labels";
inline constexpr std::string_view kGroupFolder = "__group";
inline constexpr std::string_view kGroupFile = "__tiledb_group.tdb";
inline constexpr std::string_view kFragmentMetadataFile = "__fragment_metadata.tdb";
inline constexpr std::string_view kCoordsField = "__coords";
inline constexpr std::string_view kTimestampsField = "__timestamps";
inline constexpr std::string_view kDeleteTimesField = "__delete_timestamps";
inline constexpr std::string_view kDeleteConditionField = "__delete_condition_index";

// Milliseconds, both ends included.
struct TimeWindow {
  std::uint64_t first = 0, last = UINT64_MAX;
  bool contains(std::uint64_t t1, std::uint64_t t2) const { return first <= t1 && t2 <= last; }
  bool overlaps(std::uint64_t t1, std::uint64_t t2) const { return t1 <= last && first <= t2; }
  bool contains(std::uint64_t t) const { return first <= t && t <= last; }
};

// __t1_t2_uuid[_version], or __uuid_t of versions 1 and 2.
struct TimedName {
  std::uint64_t first = 0, last = 0;
  std::uint32_t version = 0;  // 5 and later as named; 4 stands for 3 and 4, 2 for 1 and 2
};
// Ignores an extension. No value when the name has none of these forms.
std::optional<TimedName> parse_timed_name(std::string_view name);
// The name of version 5 and later; without a suffix when `version` is 0.
std::string make_timed_name(std::uint64_t first, std::uint64_t last, std::string_view uuid, std::uint32_t version);
std::string make_uuid();  // 32 random hexadecimal digits
// The same, but beginning with the current time: of two files for the same time, the one made later has the greater
// name.
std::string make_ordered_uuid();
std::uint64_t now_ms();  // since 1970

// From the last '.' on; empty when there is none.
std::string_view extension(std::string_view name);
std::string_view without_extension(std::string_view name);

// How version 8 of the format encodes names in file names, which is wrong for four characters.
std::string percent_encode(std::string_view name);
// Names of data files without ".tdb". `index` is the place in the fragment's own schema.
std::string attribute_file(std::uint32_t version, std::string_view name, std::size_t index);
std::string dimension_file(std::uint32_t version, std::string_view name, std::size_t index);

}  // namespace tegula::tiledb
