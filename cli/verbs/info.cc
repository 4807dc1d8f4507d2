// `tegula info`: the schema, sizes and metadata of an array.
#include <algorithm>

#include "app/verbs.h"
#include "base/fail.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/metadata_text.h"
#include "schema/schema_text.h"
#include "tegula/bcolz.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
};

std::string ratio_text(std::uint64_t stored, std::uint64_t decoded) {
  if (stored == 0 || decoded == 0) return "";
  return fmt::format("{:.1f} to 1", static_cast<double>(decoded) / static_cast<double>(stored));
}

std::string dimension_lines(const Schema& schema) {
  std::vector<std::vector<std::string>> rows;
  for (const Dimension& d : schema.dimensions)
    rows.push_back({d.name, cell_type_text(d.type, d.values_per_cell == kVar ? kVar : 1, false),
                    range_text(d.type, d.domain),
                    std::holds_alternative<std::monostate>(d.tile)
                        ? ""
                        : "tile " + plain_value(d.type.is_date() ? Datatype(TypeId::int64) : d.type, d.tile),
                    d.filters.empty() ? "" : filters_text(d.filters)});
  return aligned(rows, "    ");
}

std::string attribute_lines(const Schema& schema, const Info& info) {
  std::vector<std::vector<std::string>> rows;
  for (const Attribute& a : schema.attributes) {
    std::string sizes, ratio;
    for (const FieldSize& field : info.fields)
      if (field.name == a.name) {
        sizes = field.decoded ? fmt::format("{} of {}", format_size(field.stored), format_size(field.decoded))
                              : format_size(field.stored);
        ratio = ratio_text(field.stored, field.decoded);
      }
    std::string type = cell_type_text(a.type, a.values_per_cell, a.nullable);
    if (!a.enumeration.empty()) type += fmt::format(", values of '{}'", a.enumeration);
    rows.push_back({a.name.empty() ? "(unnamed)" : a.name, type, "fill " + fill_text(a, schema),
                    filters_text(a.filters), sizes, ratio});
  }
  return aligned(rows, "    ");
}

// The first and the last time of all fragments.
std::optional<std::pair<std::uint64_t, std::uint64_t>> written_times(const Info& info) {
  if (info.fragments.empty()) return std::nullopt;
  std::pair<std::uint64_t, std::uint64_t> times{UINT64_MAX, 0};
  for (const FragmentInfo& f : info.fragments)
    times = {std::min(times.first, f.first_time), std::max(times.second, f.last_time)};
  return times;
}

std::string info_text(const std::string& uri, const Array& array, const Work& work) {
  const Schema& schema = array.schema();
  const Info info = array.info(work);
  std::uint64_t decoded = 0;
  for (const FieldSize& field : info.fields) decoded += field.decoded;
  std::string out = fmt::format("{}: {}\n", visible(uri), what_it_is(schema));
  const bool unlisted = info.fields.empty() && !schema.attributes.empty();
  out += unlisted ? "  on disk     not known: its files cannot be listed"
                  : fmt::format("  on disk     {}", format_size(info.stored_bytes));
  if (decoded) out += fmt::format(", {} decoded", format_size(decoded));
  if (const std::string ratio = ratio_text(info.stored_bytes, decoded); !ratio.empty())
    out += fmt::format(" ({})", ratio);
  out += '\n';
  if (info.chunks_expected)
    out += fmt::format("  chunks      {} of {} present\n", info.chunks_present, info.chunks_expected);
  if (const auto times = written_times(info))
    out += fmt::format("  fragments   {}, written {} .. {}\n", info.fragments.size(), time_text(times->first),
                       time_text(times->second));
  if (info.non_empty_domain) out += fmt::format("  holds       {}\n", domain_text(schema, *info.non_empty_domain));
  if (schema.current_domain) out += fmt::format("  domain now  {}\n", domain_text(schema, *schema.current_domain));
  out +=
      fmt::format("  order       cells {}, tiles {}\n", order_text(schema.cell_order), order_text(schema.tile_order));
  if (schema.sparse)
    out += fmt::format("  capacity    {} cells a tile, duplicates {}\n", schema.capacity,
                       schema.allows_duplicates ? "allowed" : "refused");
  if (!schema.dimensions.empty()) out += "  dimensions\n" + dimension_lines(schema);
  out += fmt::format("  {}\n", schema.table ? "columns" : "attributes") + attribute_lines(schema, info);
  if (!schema.labels.empty()) {
    out += "  labels\n";
    for (const Label& label : schema.labels)
      out += fmt::format("    {}  of {}, {}\n", label.name,
                         label.dimension < schema.dimensions.size() ? schema.dimensions[label.dimension].name : "?",
                         cell_type_text(label.type, label.values_per_cell, false));
  }
  for (const Enumeration& e : schema.enumerations)
    out += fmt::format("  enumeration {}: {} values of {}\n", e.name, e.count(), display_name(e.type));
  const Metadata metadata = array.metadata();
  if (!metadata.empty()) out += "  metadata\n" + metadata_lines(metadata, "    ");
  return out;
}

std::string info_json(const std::string& uri, const Array& array, const Work& work) {
  const Info info = array.info(work);
  JsonWriter json;
  json.begin('{').key("uri").text(uri);
  write_schema(json, array.schema());
  json.key("stored_bytes").number(info.stored_bytes).key("fields").begin('[');
  for (const FieldSize& field : info.fields)
    json.begin('{')
        .key("name")
        .text(field.name)
        .key("stored")
        .number(field.stored)
        .key("decoded")
        .number(field.decoded)
        .end('}');
  json.end(']').key("chunks_present").number(info.chunks_present).key("chunks_expected").number(info.chunks_expected);
  json.key("fragments").number(info.fragments.size());
  if (const auto times = written_times(info))
    json.key("first_time").number(times->first).key("last_time").number(times->second);
  json.key("non_empty_domain");
  if (info.non_empty_domain) {
    json.begin('[');
    for (const Range& range : *info.non_empty_domain) write_range(json, range);
    json.end(']');
  } else {
    json.raw("null");
  }
  json.key("metadata");
  write_metadata(json, array.metadata());
  if (const std::string torn = bcolz::torn_rows(array); !torn.empty())
    json.key("warnings").begin('[').text(torn).end(']');
  return json.end('}').line();
}

int show_info(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  print(globals.json ? info_json(flags.uri, *array, globals.work) : info_text(flags.uri, *array, globals.work));
  return kOk;
}

}  // namespace

void describe_info(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array");
  flags->open.describe(verb);
  verb.examples("  tegula info temps\n  tegula info temps --json").run([flags, &globals] {
    return show_info(*flags, globals);
  });
}

}  // namespace tegula::cli
