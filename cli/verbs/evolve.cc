// `tegula evolve`: attributes and enumerations of a TileDB array, columns of a bcolz table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/verbs.h"
#include "base/fail.h"
#include "convert/filters.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "query/request/cell_input.h"
#include "query/request/iso_dates.h"
#include "query/request/request.h"
#include "run/opening.h"
#include "run/rehearsal.h"
#include "schema/schema_input.h"
#include "schema/schema_text.h"
#include "tegula/bcolz.h"
#include "tegula/capabilities.h"
#include "tegula/tiledb.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, fill, filters, at;
  std::optional<std::string> enumeration;
  std::vector<std::string> add, drop, rename, add_enums, extend_enums, drop_enums, domain;
  OpenFlags open;
  bool ordered = false, dry_run = false;
};

std::pair<std::string, std::string> split_pair(const std::string& text, const char* option, const char* form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(ErrorKind::invalid_argument, "{} {}: write {}", option, text, form);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<Attribute> added_attributes(const Flags& flags, const std::string& format) {
  std::vector<Attribute> out;
  for (const std::string& text : flags.add) {
    Attribute attribute = parse_attribute(text, "--add");
    if (!flags.fill.empty()) set_fill(attribute, json_argument(flags.fill, "--fill"));
    attribute.filters =
        flags.filters.empty() ? default_filters(format, attribute.type) : parse_filters(flags.filters, format);
    if (flags.enumeration) attribute.enumeration = *flags.enumeration;
    out.push_back(std::move(attribute));
  }
  return out;
}

Datatype type_of_values(const Json& values) {
  if (values.at(0).is_string()) return TypeId::utf8;
  if (values.at(0).is_number_float()) return TypeId::float64;
  return TypeId::int64;
}

Json value_list(const std::string& text, const char* option) {
  Json values = json_argument(text, option);
  if (!values.is_array() || values.empty())
    fail(ErrorKind::invalid_argument, "{}: '{}' is no list of values, as in '[\"red\", \"blue\"]'", option, text);
  return values;
}

Enumeration new_enumeration(const std::string& text, bool ordered) {
  const auto [head, list] = split_pair(text, "--add-enum", "NAME=[VALUES] or NAME:TYPE=[VALUES]");
  const Json values = value_list(list, "--add-enum");
  Enumeration out;
  const std::size_t colon = head.find(':');
  out.name = head.substr(0, colon);
  out.type = colon == std::string::npos ? type_of_values(values) : parse_datatype(head.substr(colon + 1));
  if (out.type.is_text()) out.values_per_cell = kVar;
  out.ordered = ordered;
  append_values(out, values);
  return out;
}

Enumeration longer_enumeration(const std::string& text, const Schema& schema) {
  const auto [name, list] = split_pair(text, "--extend-enum", "NAME=[MORE VALUES]");
  const Enumeration* known = schema.enumeration(name);
  if (!known) fail(ErrorKind::invalid_argument, "there is no enumeration '{}'", name);
  Enumeration out = *known;
  append_values(out, value_list(list, "--extend-enum"));
  return out;
}

std::optional<std::vector<Range>> new_domain(const Flags& flags, const Schema& schema) {
  if (flags.domain.empty()) return std::nullopt;
  std::vector<Range> out;
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i)
    out.push_back(schema.current_domain ? schema.current_domain->at(i) : schema.dimensions[i].domain);
  std::vector<DimensionRanges> given;
  for (const std::string& text : flags.domain) add_range(given, text, schema);
  for (const DimensionRanges& one : given) {
    const Dimension* dimension = schema.dimension(one.name);
    if (!dimension || one.ranges.size() != 1)
      fail(ErrorKind::invalid_argument, "--current-domain takes one range for a dimension; look at '{}'", one.name);
    out[static_cast<std::size_t>(dimension - schema.dimensions.data())] = one.ranges[0];
  }
  return out;
}

void evolve_array(Array& array, const Flags& flags, const WriteOptions& options) {
  if (!flags.rename.empty())
    fail(ErrorKind::invalid_argument, "only the columns of {} tables can be renamed",
         formats_with(&Capabilities::tables));
  const Schema& schema = array.schema();
  tiledb::Evolution changes;
  changes.add_attributes = added_attributes(flags, schema.format);
  changes.drop_attributes = flags.drop;
  for (const std::string& text : flags.add_enums)
    changes.add_enumerations.push_back(new_enumeration(text, flags.ordered));
  for (const std::string& text : flags.extend_enums)
    changes.extend_enumerations.push_back(longer_enumeration(text, schema));
  changes.drop_enumerations = flags.drop_enums;
  changes.current_domain = new_domain(flags, schema);
  tiledb::evolve(array, changes, options);
}

// One column at a time: only each single change is atomic.
void change_columns(Array& table, const Flags& flags, const WriteOptions& options) {
  if (!flags.add_enums.empty() || !flags.extend_enums.empty() || !flags.drop_enums.empty() || flags.enumeration ||
      !flags.domain.empty())
    fail(ErrorKind::invalid_argument, "{} has no enumerations and no domains", capabilities(table).title);
  if (flags.add.size() + flags.drop.size() + flags.rename.size() > 1)
    fail(ErrorKind::invalid_argument, "change one column of a table at a time");
  for (const Attribute& column : added_attributes(flags, table.schema().format))
    bcolz::add_column(table, column, {}, options);
  for (const std::string& name : flags.drop) bcolz::drop_column(table, name, options);
  for (const std::string& text : flags.rename) {
    const auto [from, to] = split_pair(text, "--rename", "OLD=NEW");
    bcolz::rename_column(table, from, to, options);
  }
}

void change(Array& array, const Flags& flags, const Globals& globals) {
  WriteOptions options;
  options.at = parse_write_time(flags.at);
  options.work = globals.work;
  if (capabilities(array).tables) return change_columns(array, flags, options);
  evolve_array(array, flags, options);
}

// "adds tag, drops old".
std::string summary(const Flags& flags) {
  std::string out;
  const auto part = [&](const char* what, const std::vector<std::string>& items) {
    for (const std::string& item : items) out += fmt::format("{}{}{}", out.empty() ? "" : "; ", what, item);
  };
  part("add ", flags.add);
  part("drop ", flags.drop);
  part("rename ", flags.rename);
  part("add enumeration ", flags.add_enums);
  part("extend enumeration ", flags.extend_enums);
  part("drop enumeration ", flags.drop_enums);
  part("current domain ", flags.domain);
  return out;
}

int run(const Flags& flags, const Globals& globals) {
  const std::string changes = summary(flags);
  if (changes.empty())
    fail(ErrorKind::invalid_argument, "what should change? --add, --drop, --add-enum, ...; `tegula evolve --help`");
  std::shared_ptr<Array> array;
  if (flags.dry_run) {
    rehearse(flags.uri, flags.open, globals, [&](Array& rehearsed) { change(rehearsed, flags, globals); });
  } else {
    array = open_array(flags.uri, flags.open, globals);
    change(*array, flags, globals);
    array = open_array(flags.uri, flags.open, globals);
  }
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run).key("changes").text(changes);
    if (array) write_schema(json, array->schema());
    print(json.end('}').line());
  } else if (flags.dry_run) {
    print(fmt::format("would {}\n", changes));
  } else if (!globals.quiet) {
    std::vector<std::string> names;
    for (const Attribute& a : array->schema().attributes)
      names.push_back(fmt::format("{} {}", a.name.empty() ? "(unnamed)" : a.name,
                                  cell_type_text(a.type, a.values_per_cell, a.nullable)));
    print(fmt::format("{}: {}; {}\n", flags.uri, what_it_is(array->schema()), fmt::join(names, ", ")));
  }
  return kOk;
}

}  // namespace

void describe_evolve(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a TileDB array or a bcolz table");
  verb.option("-a,--add", flags->add, "NAME:TYPE[:var|:N][:nullable]", "add an attribute or column; repeatable")
      .option("--filters", flags->filters, "LIST", "filters of the new attribute: 'byteshuffle,zstd:5', 'none'")
      .option("--fill", flags->fill, "VALUE", "value of the new attribute in existing cells, as JSON (default: zeros)")
      .option("--enum", flags->enumeration, "NAME", "the new attribute holds codes of this enumeration")
      .option("--drop", flags->drop, "NAME", "drop an attribute or column; repeatable")
      .option("--rename", flags->rename, "OLD=NEW", "rename a column of a bcolz table")
      .option("--add-enum", flags->add_enums, "NAME[:TYPE]=[VALUES]", "add an enumeration; the values as JSON")
      .flag("--ordered", flags->ordered, "the values of --add-enum are ordered")
      .option("--extend-enum", flags->extend_enums, "NAME=[VALUES]", "add values to an enumeration")
      .option("--drop-enum", flags->drop_enums, "NAME", "drop an enumeration")
      .option("--current-domain", flags->domain, "DIM=LO:HI", "grow the part of the domain in use; repeatable")
      .option("--at", flags->at, "T", "time of the new schema, milliseconds or an ISO date (default: now)")
      .flag("--dry-run", flags->dry_run, "check the changes, and change nothing");
  flags->open.describe_key(verb);
  verb.examples(
          "  tegula evolve points --add tag:int32 --fill -1 --filters zstd:3\n"
          "  tegula evolve points --drop tag\n"
          "  tegula evolve points --add-enum 'colours=[\"red\", \"blue\"]' --add colour:uint8 --enum colours\n"
          "  tegula evolve points --current-domain x=0:5000\n"
          "  tegula evolve trades.bcolz --rename size=amount")
      .run([flags, &globals] { return run(*flags, globals); });
}

}  // namespace tegula::cli
