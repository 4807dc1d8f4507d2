// Values as text: the JSON of results, and what a person reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula {

// How values are spelled: as everywhere in tegula; as libtiledb does on request, which has no NaT and whose booleans
// are 0 and 1; or as objects (zarr's json2 codec), which come as text that is JSON already.
enum class Dialect : unsigned char { common, libtiledb, objects };

// JSON, appended: integers exact; floats the shortest decimals of their double, or "nan", "inf", "-inf"; complex {"re",
// "im"}; dates tick counts or "NaT"; text as a string when it is printable UTF-8, other bytes {"hex"}; a cell of
// several values a list; records objects; null cells null.
void append_json_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect);
void append_json_value(std::string& out, const Datatype& type, const std::byte* value, Dialect dialect);
void append_json_string(std::string& out, std::string_view utf8);
// A key of an object: names that are no UTF-8 keep their bytes as lone surrogates (Python's surrogateescape).
void append_json_key(std::string& out, std::string_view name);
// Text or {"hex"}.
void append_json_bytes(std::string& out, ByteView bytes);

// What a person reads, appended: dates as ISO 8601, float32 with its own digits, text without quotes and with its
// control characters as visible() shows them. Null cells are `null`.
void append_plain_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect,
                       std::string_view null = "null");
// The same with text as it is, for programs. Bytes that are no UTF-8 are hexadecimal in both.
void append_exact_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect,
                       std::string_view null);
// A scalar of a schema (a domain bound, an extent) of that type.
std::string plain_value(const Datatype& type, const Value& value);

// Safe to print on a terminal: control characters become \xHH, so that no name moves the cursor.
std::string visible(std::string_view text);
// Columns a terminal shows for UTF-8 text: one per code point.
std::size_t width_of(std::string_view text);
// Valid UTF-8 without control characters other than tab and line ends.
bool printable_utf8(std::string_view text);
std::string hex_of(ByteView bytes);
// Throws invalid_argument.
Bytes bytes_of_hex(std::string_view hex, std::string_view what);

}  // namespace tegula
