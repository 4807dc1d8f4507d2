#include "format/tiledb/write/evolve.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/disk/enumeration.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/disk/schema_defaults.h"
#include "format/tiledb/disk/schema_model.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/array_listing.h"
#include "format/tiledb/read/array_contents.h"
#include "format/tiledb/write/schema_check.h"

namespace tegula::tiledb {

namespace {

// Readers take the schema whose name sorts last, so the new name must sort behind the others.
std::string next_schema_key(const WriteTarget& target, std::uint64_t time) {
  const std::string name = make_timed_name(time, time, make_ordered_uuid(), 0);
  const std::optional<TimedName> latest = parse_timed_name(target.schema_name);
  if (latest && (latest->last > time || name <= target.schema_name))
    fail(ErrorKind::invalid_argument, "the schema '{}' is not older than time {}; choose a later one",
         target.schema_name, time);
  return join(kSchemaFolder, name);
}

std::vector<Enumeration>::iterator find(std::vector<Enumeration>& all, std::string_view name) {
  return std::find_if(all.begin(), all.end(), [&](const Enumeration& e) { return e.name == name; });
}

bool starts_with(const Enumeration& longer, const Enumeration& start) {
  if (longer.type != start.type || longer.values_per_cell != start.values_per_cell || longer.ordered != start.ordered ||
      longer.count() < start.count())
    return false;
  for (std::size_t i = 0; i < start.count(); ++i)
    if (!std::ranges::equal(longer.value(i), start.value(i))) return false;
  return true;
}

// Fragments may still hold an earlier attribute of that name, whose bytes would be read with the new type.
void check_added(const WriteTarget& target, const SchemaAttribute& added) {
  const SchemaCache schemas({target.store, target.key}, std::string(kOldSchemaFile));
  for (const std::string& key : list_array(*target.store).schemas) {
    const std::shared_ptr<const ArraySchema> schema = schemas.at(key);
    const std::optional<std::size_t> index = schema->attribute_index(added.name);
    if (!index) continue;
    const SchemaAttribute& before = schema->attributes[*index];
    if (before.type_code != added.type_code || before.values_per_cell != added.values_per_cell ||
        before.nullable != added.nullable || before.filters != added.filters)
      fail(ErrorKind::invalid_argument,
           "attribute '{}' had another type before, and fragments may still hold it; choose another name", added.name);
  }
}

void change_enumerations(std::vector<Enumeration>& all, const Evolution& changes) {
  for (const std::string& name : changes.drop_enumerations) {
    const auto found = find(all, name);
    if (found == all.end()) fail(ErrorKind::invalid_argument, "there is no enumeration '{}'", name);
    all.erase(found);
  }
  for (const Enumeration& extended : changes.extend_enumerations) {
    const auto found = find(all, extended.name);
    if (found == all.end()) fail(ErrorKind::invalid_argument, "there is no enumeration '{}'", extended.name);
    if (!starts_with(extended, *found))
      fail(ErrorKind::invalid_argument, "enumeration '{}' can only get new values behind those it has", extended.name);
    *found = extended;
  }
  for (const Enumeration& added : changes.add_enumerations) all.push_back(added);
}

void check_expansion(const NdRange& before, const NdRange& after) {
  for (std::size_t d = 0; d < before.size() && d < after.size(); ++d)
    if (after[d].low > before[d].low || after[d].high < before[d].high)
      fail(ErrorKind::invalid_argument, "a current domain only grows, and dimension {} of the new one is smaller", d);
}

}  // namespace

void put_payload(Store& store, const std::string& key, ByteView payload, std::uint32_t version, const Key& secret) {
  Bytes file;
  encode_generic_tile(payload, version, secret, file);
  store.put(key, file);
}

std::string put_enumeration(Store& store, const Enumeration& enumeration, std::uint32_t version, const Key& secret) {
  std::string file = fmt::format("__{}_0", make_uuid());
  Bytes payload;
  encode_enumeration({file, enumeration}, payload);
  put_payload(store, join(join(kSchemaFolder, kEnumerationsFolder), file), payload, version, secret);
  return file;
}

void put_schema(Store& store, const ArraySchema& schema, const std::string& key, const Key& secret) {
  Bytes payload;
  encode_schema(schema, payload);
  put_payload(store, key, payload, schema.version, secret);
}

void evolve_array(const WriteTarget& target, const Schema& current, const Evolution& changes, std::uint64_t time) {
  ArraySchema schema = *target.schema;
  if (!schema_in_folder(schema.version))
    fail(ErrorKind::unsupported,
         "schemas can change from format version 10 on, the array has version {}; upgrade it first", schema.version);
  written_version(schema);
  for (const std::string& name : changes.drop_attributes) {
    const std::optional<std::size_t> index = schema.attribute_index(name);
    if (!index) fail(ErrorKind::invalid_argument, "there is no attribute '{}'", name);
    schema.attributes.erase(schema.attributes.begin() + static_cast<std::ptrdiff_t>(*index));
  }
  Schema added;
  added.sparse = true;
  added.attributes = changes.add_attributes;
  for (SchemaAttribute& attribute : from_model(with_defaults(added), schema.version).attributes) {
    check_added(target, attribute);
    schema.attributes.push_back(std::move(attribute));
  }
  std::vector<Enumeration> enumerations = current.enumerations;
  change_enumerations(enumerations, changes);
  if (changes.current_domain) {
    if (schema.current_domain) check_expansion(*schema.current_domain, *changes.current_domain);
    schema.current_domain = changes.current_domain;
  }
  const std::vector<std::pair<std::string, std::string>> files = std::move(schema.enumerations);
  schema.enumerations.clear();
  for (const Enumeration& enumeration : enumerations) schema.enumerations.emplace_back(enumeration.name, "");
  check_new_schema(schema, enumerations);

  const std::string key = next_schema_key(target, time);
  for (std::size_t i = 0; i < enumerations.size(); ++i) {
    std::string& file = schema.enumerations[i].second;
    const auto is_new = [&](const std::vector<Enumeration>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const Enumeration& e) { return e.name == enumerations[i].name; });
    };
    for (const auto& [name, old] : files)
      if (name == enumerations[i].name) file = old;
    if (is_new(changes.add_enumerations) || is_new(changes.extend_enumerations))
      file = put_enumeration(*target.store, enumerations[i], schema.version, target.key);
  }
  put_schema(*target.store, schema, key, target.key);
}

void upgrade_array(const WriteTarget& target, std::uint32_t version, std::uint64_t time) {
  if (version > kWriteVersion || !schema_in_folder(version))
    fail(ErrorKind::unsupported, "an array can be upgraded to format versions 10 to {}", kWriteVersion);
  if (target.schema->version >= version)
    fail(ErrorKind::invalid_argument, "the array has format version {} already", target.schema->version);
  ArraySchema schema = *target.schema;
  if (!schema_has_nullable(schema.version)) schema.validity = {.steps = {{.type = FilterType::rle}}};
  schema.version = version;
  put_schema(*target.store, schema, next_schema_key(target, time), target.key);
}

}  // namespace tegula::tiledb
