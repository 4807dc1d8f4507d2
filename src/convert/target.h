// Plans the schema of a copy in another format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/array.h"

namespace tegula {

struct TargetOptions {
  std::string format;                          // empty: the source's
  std::optional<std::string> field;            // only this attribute
  std::vector<std::uint64_t> chunks;           // empty: the source's
  std::optional<std::vector<Filter>> filters;  // default: the source's in its own format, else default_filters()
};

struct Target {
  Schema schema;
  std::vector<std::string> sources;  // for each attribute of `schema`, the field it is copied from
  std::vector<std::string> losses;   // what the target cannot hold
};

// Replaces numpy's text and raw bytes by TileDB's types: S becomes ASCII of that many characters, U becomes UTF-32 code
// units, V becomes a blob; the byte order becomes the machine's. Throws unsupported for types that TileDB lacks.
void to_tiledb_type(Attribute& attribute);
// The same for formats without numpy's types; does nothing for the others.
void to_type_of(std::string_view format, Attribute& attribute);

// Throws unsupported when the format cannot hold the values themselves, and invalid_argument for options that do not
// fit.
Target plan_target(const Array& source, const TargetOptions& options);

// "zarr3 cannot hold:" and a line for each loss.
std::string losses_text(const Target& target);

}  // namespace tegula
