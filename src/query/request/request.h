// Queries as a person writes them: short texts, or a JSON document.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tegula/query.h"
#include "tegula/schema.h"

namespace tegula {

// JSON that a person gave: what cannot be parsed is invalid_argument, not damage.
Json json_argument(const std::string& text, const std::string& name);

// Times of the document's `open_at`: null or absent, T, or [T1, T2].
std::optional<std::pair<std::uint64_t, std::uint64_t>> open_at(const Json& document);

// The rest of the document: ranges, label_ranges, layout, where, aggregates, fields, select, limit. Throws
// invalid_argument for unknown keys and for bounds that do not fit their dimension.
Query query_of(const Json& document, const Schema& schema);

// "x=2:5", "x=2:", "x=7", "name='a:b':'c'"; added to `ranges`.
void add_range(std::vector<DimensionRanges>& ranges, const std::string& text, const Schema& schema);

// "row", "row-major", "global-order", ... Throws invalid_argument.
Order parse_order(const std::string& text);

// "SUM", "null_count", ... Throws invalid_argument.
AggregateOp aggregate_op(std::string_view name);

// The name a person gives a field in the schema's own: the unnamed one is shown, and may be given, as "value".
std::string field_named(const std::string& given, const Schema& schema);

// "a, b,c"; "" is the unnamed field.
std::vector<std::string> split_names(const std::string& text);

}  // namespace tegula
