// `dflt` of meta/storage: the value of rows that resize adds, as JSON text and as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::bcolz {

// One item. No value when the JSON does not fit the type. A nested list, as bcolz before 1.1 wrote for N-d carrays,
// gives its first item.
std::optional<Bytes> default_item(std::string_view dflt, const Datatype& type);
// One row of `inner` items: the item repeated, or the nested list of that shape.
std::optional<Bytes> default_row(std::string_view dflt, const Datatype& type, std::span<const std::uint64_t> inner);
// The inverse of default_item. No value for what bcolz's JSON cannot say (complex numbers with an imaginary part).
std::optional<std::string> default_json(ByteView item, const Datatype& type);

}  // namespace tegula::bcolz
