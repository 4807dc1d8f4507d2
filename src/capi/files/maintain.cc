#include "capi/files/maintain.h"

#include <algorithm>

#include "capi/array/array.h"
#include "capi/core/uris.h"
#include "capi/files/object.h"
#include "format/tiledb/disk/names.h"

namespace tegula::capi {

namespace {

std::shared_ptr<Array> open_to_change(const ContextState& context, const Config& config, const char* uri) {
  OpenOptions options = open_options(config);
  options.at = {0, UINT64_MAX};
  return open_engine(context, absolute_uri(given(uri, "URI")), options,
                     "TileDB internal: Cannot open array; Array does not exist.");
}

tiledb::Part part_of(const std::string& mode) {
  if (mode == "fragments") return tiledb::Part::fragments;
  if (mode == "fragment_meta") return tiledb::Part::fragment_metadata;
  if (mode == "commits") return tiledb::Part::commits;
  if (mode == "array_meta") return tiledb::Part::array_metadata;
  refuse("Consolidator: there is no mode '{}'", mode);
}

std::string last_of(std::string_view uri) {
  while (uri.ends_with('/')) uri.remove_suffix(1);
  const std::size_t slash = uri.rfind('/');
  return std::string(slash == std::string_view::npos ? uri : uri.substr(slash + 1));
}

void consolidate(const ContextState& context, const char* uri, const Config& config,
                 std::vector<std::string> fragments) {
  const std::shared_ptr<Array> array = open_to_change(context, config, uri);
  tiledb::ConsolidateOptions options;
  options.part = fragments.empty() ? part_of(config.text("sm.consolidation.mode")) : tiledb::Part::fragments;
  options.fragments = std::move(fragments);
  const std::uint64_t first = config.number("sm.consolidation.timestamp_start"),
                      last = config.number("sm.consolidation.timestamp_end");
  if (options.fragments.empty() && (first != 0 || last != UINT64_MAX)) options.at = {first, last};
  options.max_fragment_size = config.number("sm.consolidation.max_fragment_size");
  options.purge_deleted = config.flag("sm.consolidation.purge_deleted_cells");
  options.work = work_of(context);
  tiledb::consolidate(*array, options);
}

// With the texts that programs look for.
void check_enumerations(const tiledb::Evolution& changes, const Schema& schema) {
  const auto added = [&](const std::string& name) {
    return std::any_of(changes.add_enumerations.begin(), changes.add_enumerations.end(),
                       [&](const Enumeration& e) { return e.name == name; });
  };
  const auto dropped = [&](const std::string& name) {
    return std::find(changes.drop_attributes.begin(), changes.drop_attributes.end(), name) !=
           changes.drop_attributes.end();
  };
  for (const Attribute& attribute : changes.add_attributes) {
    const std::string& name = attribute.enumeration;
    if (!name.empty() && !schema.enumeration(name) && !added(name))
      refuse("ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration");
  }
  for (const std::string& name : changes.drop_enumerations)
    for (const Attribute& attribute : schema.attributes)
      if (attribute.enumeration == name && !dropped(attribute.name))
        refuse("ArraySchema: Unable to drop enumeration '{}' as it is used by attribute '{}'.", name, attribute.name);
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_array_consolidate(ContextHandle* context, const char* uri, ConfigHandle* config) {
  return enter(context, [&](const auto& state) { consolidate(*state, uri, config_or(config, state->config), {}); });
}

TEGULA_CAPI std::int32_t tiledb_array_consolidate_fragments(ContextHandle* context, const char* uri,
                                                            const char** fragments, std::uint64_t count,
                                                            ConfigHandle* config) {
  return enter(context, [&](const auto& state) {
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) names.push_back(last_of(given((&out(fragments))[i], "fragment")));
    if (names.empty()) refuse("Consolidator: there are no fragments to consolidate");
    consolidate(*state, uri, config_or(config, state->config), std::move(names));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_vacuum(ContextHandle* context, const char* uri, ConfigHandle* config) {
  return enter(context, [&](const auto& state) {
    const Config& how = config_or(config, state->config);
    const std::shared_ptr<Array> array = open_to_change(*state, how, uri);
    tiledb::VacuumOptions options;
    options.part = part_of(how.text("sm.vacuum.mode"));
    options.work = work_of(*state);
    tiledb::vacuum(*array, options);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_upgrade_version(ContextHandle* context, const char* uri, ConfigHandle* config) {
  return enter(context, [&](const auto& state) {
    const std::shared_ptr<Array> array = open_to_change(*state, config_or(config, state->config), uri);
    if (array->schema().format_version < 22) tiledb::upgrade(*array);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_delete(ContextHandle* context, const char* uri) {
  return enter(context, [&](const auto& state) {
    const Place place = place_of(*state, given(uri, "URI"));
    if (object_at(place) != ObjectType::array)
      refuse("[TileDB::Array] Error: Cannot delete array; Array does not exist at '{}'", place.uri);
    place.store->remove_tree(place.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_delete_fragments_v2(ContextHandle* context, const char* uri, std::uint64_t first,
                                                          std::uint64_t last) {
  return enter(context, [&](const auto& state) {
    tiledb::delete_fragments(*open_to_change(*state, state->config, uri), first, last);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_alloc(ContextHandle* context, EvolutionHandle** handle) {
  return enter(context, [&](const auto&) { give(handle, EvolutionHandle{}); });
}

TEGULA_CAPI void tiledb_array_schema_evolution_free(EvolutionHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_add_attribute(ContextHandle* context, EvolutionHandle* handle,
                                                                     AttributeHandle* attribute) {
  return enter(context, [&](const auto&) {
    tiledb::Evolution& changes = checked(handle).changes;
    const tiledb::SchemaAttribute& from = *checked(attribute).attribute;
    for (const Attribute& other : changes.add_attributes)
      if (other.name == from.name)
        refuse("ArraySchemaEvolution: Cannot add attribute; Input attribute name is already there");
    Attribute added;
    added.name = from.name;
    added.type = from.type;
    added.values_per_cell = from.values_per_cell;
    added.nullable = from.nullable;
    added.fill = from.fill;
    added.fill_valid = from.fill_valid;
    added.filters = tiledb::to_model(from.filters);
    added.enumeration = from.enumeration;
    changes.add_attributes.push_back(std::move(added));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_drop_attribute(ContextHandle* context, EvolutionHandle* handle,
                                                                      const char* name) {
  return enter(context, [&](const auto&) {
    checked(handle).changes.drop_attributes.emplace_back(given(name, "attribute name"));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_add_enumeration(ContextHandle* context, EvolutionHandle* handle,
                                                                       EnumerationHandle* enumeration) {
  return enter(context, [&](const auto&) {
    checked(handle).changes.add_enumerations.push_back(*checked(enumeration).enumeration);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_extend_enumeration(ContextHandle* context,
                                                                          EvolutionHandle* handle,
                                                                          EnumerationHandle* enumeration) {
  return enter(context, [&](const auto&) {
    checked(handle).changes.extend_enumerations.push_back(*checked(enumeration).enumeration);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_drop_enumeration(ContextHandle* context, EvolutionHandle* handle,
                                                                        const char* name) {
  return enter(context, [&](const auto&) {
    checked(handle).changes.drop_enumerations.emplace_back(given(name, "enumeration name"));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_expand_current_domain(ContextHandle* context,
                                                                             EvolutionHandle* handle,
                                                                             CurrentDomainHandle* domain) {
  return enter(context, [&](const auto&) {
    checked(handle).changes.current_domain = stored_current_domain(*checked(domain).domain);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_evolution_set_timestamp_range(ContextHandle* context,
                                                                           EvolutionHandle* handle, std::uint64_t first,
                                                                           std::uint64_t last) {
  return enter(context, [&](const auto&) {
    if (first != last) refuse("ArraySchemaEvolution: Cannot set timestamp range; first and last are different");
    checked(handle).time = first;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_evolve(ContextHandle* context, const char* uri, EvolutionHandle* handle) {
  return enter(context, [&](const auto& state) {
    const EvolutionHandle& evolution = checked(handle);
    const std::shared_ptr<Array> array = open_to_change(*state, state->config, uri);
    check_enumerations(evolution.changes, array->schema());
    WriteOptions options;
    options.at = evolution.time;
    options.work = work_of(*state);
    tiledb::evolve(*array, evolution.changes, options);
  });
}

}  // namespace tegula::capi
