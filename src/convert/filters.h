// Filter pipelines as people write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tegula/schema.h"

namespace tegula {

// "byteshuffle,zstd:5", "blosc:lz4:5:shuffle", "zstd:level=5"; "none" or "" is no filter. The options get the names
// that the format's own documents use. Throws invalid_argument.
std::vector<Filter> parse_filters(std::string_view text, std::string_view format);

// The format's default filters for values of `type`.
std::vector<Filter> default_filters(std::string_view format, const Datatype& type);

// The filters of an attribute of the format `from` when it is copied to the format `to`: its own, with the names
// that `to` uses, if both formats have them, otherwise default_filters().
std::vector<Filter> carried_filters(const Attribute& attribute, std::string_view from, std::string_view to);

}  // namespace tegula
