#include "query/request/request.h"

#include <charconv>

#include "base/error_message.h"
#include "base/fail.h"
#include "query/language/dates.h"
#include "query/language/parse_aggregates.h"
#include "query/request/value_text.h"

namespace tegula {

namespace {

// What a range may name: a dimension, or a label of one.
struct Axis {
  std::string name;
  Datatype type;
  bool text = false;
  Range domain;
};

std::string known_names(const Schema& schema, bool labels) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  if (labels)
    for (const Label& label : schema.labels) add(label.name);
  else
    for (const Dimension& dimension : schema.dimensions) add(dimension.name);
  return names.empty() ? "none" : names;
}

Axis axis_of(const std::string& name, const Schema& schema, bool labels) {
  if (!labels) {
    if (const Dimension* d = schema.dimension(name)) return {name, d->type, d->values_per_cell == kVar, d->domain};
  } else {
    for (const Label& label : schema.labels)
      if (label.name == name) return {name, label.type, label.values_per_cell == kVar, {}};
  }
  fail(ErrorKind::invalid_argument, "there is no {} '{}'; known: {}", labels ? "label" : "dimension", name,
       known_names(schema, labels));
}

[[noreturn]] void bad_bound(const Axis& axis, const std::string& text) {
  fail(ErrorKind::invalid_argument, "'{}' is not a bound of '{}', which is {}", text, axis.name,
       display_name(axis.type));
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Value> parse_bound(const Axis& axis, const std::string& text) {
  if (axis.text || axis.type.is_text() || axis.type.id == TypeId::blob) return text;
  if (axis.type.is_date()) {
    if (const auto ticks = parse_number<std::int64_t>(text)) return *ticks;
    const auto parsed =
        axis.type.id == TypeId::datetime ? parse_datetime(text, axis.type) : parse_timedelta(text, axis.type);
    if (!parsed || parsed->floor > INT64_MAX || parsed->floor < INT64_MIN) return std::nullopt;
    return static_cast<std::int64_t>(parsed->floor);
  }
  if (axis.type.is_float()) {
    if (const auto value = parse_number<double>(text)) return *value;
  } else if (axis.type.is_signed()) {
    if (const auto value = parse_number<std::int64_t>(text)) return *value;
  } else if (const auto value = parse_number<std::uint64_t>(text)) {
    return *value;
  }
  return std::nullopt;
}

Value bound_of_text(const Axis& axis, const std::string& text) {
  if (auto value = parse_bound(axis, text)) return *std::move(value);
  bad_bound(axis, text);
}

Value bound_of_json(const Axis& axis, const Json& json) {
  if (json.is_object() && json.size() == 1 && json.contains("hex") && json["hex"].is_string()) {
    const Bytes bytes = bytes_of_hex(json["hex"].get<std::string>(), "a bound of '" + axis.name + "'");
    return std::string(text_of(bytes));
  }
  if (json.is_string()) return bound_of_text(axis, json.get<std::string>());
  if (!json.is_number() || axis.text) bad_bound(axis, dump_json(json));
  if (axis.type.is_float()) return json.get<double>();
  if (json.is_number_float()) bad_bound(axis, dump_json(json));
  const bool is_signed = axis.type.is_signed() || axis.type.is_date();
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (!is_signed) return value;
    if (value > static_cast<std::uint64_t>(INT64_MAX)) bad_bound(axis, dump_json(json));
    return static_cast<std::int64_t>(value);
  }
  const auto value = json.get<std::int64_t>();
  if (!is_signed && value < 0) bad_bound(axis, dump_json(json));
  return is_signed ? Value(value) : Value(static_cast<std::uint64_t>(value));
}

Range range_of_json(const Axis& axis, const Json& json) {
  if (!json.is_array() || json.size() != 2)
    fail(ErrorKind::invalid_argument, "a range of '{}' is written [low, high], both included", axis.name);
  return {bound_of_json(axis, json[0]), bound_of_json(axis, json[1])};
}

std::vector<DimensionRanges> ranges_of_json(const Json& json, const Schema& schema, bool labels) {
  if (!json.is_object()) fail(ErrorKind::invalid_argument, "ranges are written {{\"dimension\": [low, high]}}");
  std::vector<DimensionRanges> out;
  for (const auto& [name, value] : json.items()) {
    const Axis axis = axis_of(name, schema, labels);
    DimensionRanges ranges{name, {}};
    const bool several = value.is_array() && !value.empty() && value[0].is_array();
    if (several)
      for (const Json& range : value) ranges.ranges.push_back(range_of_json(axis, range));
    else
      ranges.ranges.push_back(range_of_json(axis, value));
    out.push_back(std::move(ranges));
  }
  return out;
}

std::string string_of(const Json& json, std::string_view key) {
  if (!json.is_string()) fail(ErrorKind::invalid_argument, "'{}' of the query document must be text", key);
  return json.get<std::string>();
}

std::vector<Aggregate> aggregates_of_json(const Json& json) {
  if (!json.is_object())
    fail(ErrorKind::invalid_argument, "aggregates are written {{\"name\": {{\"op\": \"sum\", \"field\": \"a\"}}}}");
  std::vector<Aggregate> out;
  for (const auto& [name, value] : json.items()) {
    const std::string op = value.is_object() && value.contains("op") ? string_of(value["op"], "op") : "";
    const std::string field = value.is_object() && value.contains("field") && !value["field"].is_null()
                                  ? string_of(value["field"], "field")
                                  : "";
    out.push_back({name, aggregate_op(op), field});
  }
  return out;
}

std::uint64_t time_of(const Json& json) {
  if (!json.is_number_unsigned())
    fail(ErrorKind::invalid_argument, "open_at holds milliseconds since 1970: T or [T1, T2]");
  return json.get<std::uint64_t>();
}

std::string unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

// One end of a range, the end of the domain when it is left out.
std::optional<Value> range_end(const Axis& axis, std::string_view text, const Value& default_end) {
  if (!text.empty()) return parse_bound(axis, unquoted(text));
  if (std::holds_alternative<std::monostate>(default_end)) return std::nullopt;
  return default_end;
}

// Colons that may separate two bounds: those outside of quotes.
std::vector<std::size_t> separators(std::string_view text) {
  std::vector<std::size_t> out;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote)
      quote = text[i] == quote ? 0 : quote;
    else if (text[i] == '\'' || text[i] == '"')
      quote = text[i];
    else if (text[i] == ':')
      out.push_back(i);
  }
  return out;
}

Range parse_range(const Axis& axis, std::string_view text) {
  const std::vector<std::size_t> colons = separators(text);
  // Dates hold colons themselves, so each one may be the separator.
  if (colons.empty() || axis.type.is_date())
    if (const auto point = parse_bound(axis, unquoted(text))) return {*point, *point};
  for (const std::size_t at : colons) {
    const auto low = range_end(axis, text.substr(0, at), axis.domain.low);
    const auto high = range_end(axis, text.substr(at + 1), axis.domain.high);
    if (low && high) return {*low, *high};
  }
  fail(ErrorKind::invalid_argument, "'{}' is not a range of '{}', which is {}; write low:high, both included", text,
       axis.name, display_name(axis.type));
}

}  // namespace

Json json_argument(const std::string& text, const std::string& name) {
  try {
    return parse_json(bytes_of(text), name);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    fail(ErrorKind::invalid_argument, "{}", error_message(error));
  }
}

AggregateOp aggregate_op(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (const auto op = find_aggregate(lower)) return *op;
  fail(ErrorKind::invalid_argument, "'{}' is not an aggregate; known are count, sum, min, max, mean, std, null_count",
       name);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> open_at(const Json& document) {
  if (!document.is_object()) fail(ErrorKind::invalid_argument, "a query document is a JSON object");
  const auto found = document.find("open_at");
  if (found == document.end() || found->is_null()) return std::nullopt;
  if (!found->is_array()) return std::pair<std::uint64_t, std::uint64_t>{0, time_of(*found)};
  if (found->size() != 2) fail(ErrorKind::invalid_argument, "open_at holds milliseconds since 1970: T or [T1, T2]");
  return std::pair<std::uint64_t, std::uint64_t>{time_of((*found)[0]), time_of((*found)[1])};
}

Query query_of(const Json& document, const Schema& schema) {
  Query query;
  for (const auto& [key, value] : document.items()) {
    if (value.is_null() || key == "open_at") continue;
    if (key == "ranges")
      query.ranges = ranges_of_json(value, schema, false);
    else if (key == "label_ranges")
      query.label_ranges = ranges_of_json(value, schema, true);
    else if (key == "layout")
      query.order = parse_order(string_of(value, key));
    else if (key == "where")
      query.where = string_of(value, key);
    else if (key == "select")
      query.select = parse_selection(string_of(value, key));
    else if (key == "aggregates")
      query.aggregates = aggregates_of_json(value);
    else if (key == "fields" && value.is_array()) {
      query.fields.emplace();
      for (const Json& name : value) query.fields->push_back(string_of(name, key));
    } else if (key == "as_libtiledb" && value.is_boolean())
      query.as_libtiledb = value.get<bool>();
    else if (key == "limit" && value.is_number_unsigned())
      query.limit = value.get<std::uint64_t>();
    else
      fail(ErrorKind::invalid_argument,
           "the query document has '{}': {}; known keys are open_at, ranges, label_ranges, layout, where, aggregates, "
           "fields, select, limit, as_libtiledb",
           key, dump_json(value).substr(0, 60));
  }
  return query;
}

void add_range(std::vector<DimensionRanges>& ranges, const std::string& text, const Schema& schema) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    fail(ErrorKind::invalid_argument, "'{}' is no range: write dimension=low:high, both included", text);
  const std::string name = text.substr(0, equals);
  const bool labels = !schema.dimension(name) && !schema.labels.empty();
  Range range = parse_range(axis_of(name, schema, labels), std::string_view(text).substr(equals + 1));
  for (DimensionRanges& known : ranges)
    if (known.name == name) return known.ranges.push_back(std::move(range));
  ranges.push_back({name, {std::move(range)}});
}

Order parse_order(const std::string& text) {
  constexpr std::pair<std::string_view, Order> kOrders[] = {
      {"row", Order::row},
      {"row-major", Order::row},
      {"col", Order::col},
      {"col-major", Order::col},
      {"global", Order::global},
      {"global-order", Order::global},
      {"unordered", Order::unordered},
  };
  for (const auto& [name, order] : kOrders)
    if (text == name) return order;
  fail(ErrorKind::invalid_argument, "'{}' is not an order; known are row, col, global, unordered", text);
}

std::string field_named(const std::string& given, const Schema& schema) {
  const bool alias = given == "value" && schema.attribute("") && !schema.attribute(given) && !schema.dimension(given);
  return alias ? "" : given;
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  }
  for (std::string& name : names) {
    name.erase(0, name.find_first_not_of(' '));
    if (const std::size_t end = name.find_last_not_of(' '); end != std::string::npos) name.resize(end + 1);
  }
  return names;
}

}  // namespace tegula
