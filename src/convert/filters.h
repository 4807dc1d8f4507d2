// Filter pipelines as a person writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/schema.h"

namespace tegula {

// "byteshuffle,zstd:5", "blosc:lz4:5:shuffle", "zstd:level=5"; "none" or "" is no filter. The options get the names
// that the format's own documents use. Throws invalid_argument.
std::vector<Filter> parse_filters(std::string_view text, std::string_view format);

// A sensible choice for values of `type`.
std::vector<Filter> default_filters(std::string_view format, const Datatype& type);

// The filters of a zarr array as another version of zarr spells them, so that the chunks stay what they are. No value
// when that version lacks them, or for other formats.
std::optional<std::vector<Filter>> same_filters(const std::vector<Filter>& filters, std::string_view from,
                                                std::string_view to);

}  // namespace tegula
