#include "capi/files/fragment_info.h"

#include <algorithm>
#include <set>

#include "capi/core/text.h"
#include "capi/core/uris.h"
#include "format/tiledb/disk/consolidated_footers.h"

namespace tegula::capi {

namespace {

std::set<std::string> consolidated_fragments(const tiledb::Snapshot& snapshot) {
  std::set<std::string> names;
  if (snapshot.listing().footer_files.empty()) return names;
  const std::string& newest = snapshot.listing().footer_files.back();
  const std::optional<Bytes> file = snapshot.store()->get(newest);
  if (!file) return names;
  Cursor in(*file, snapshot.store()->describe(newest));
  const tiledb::GenericTile tile = tiledb::decode_generic_tile(in, snapshot.files().key);
  for (const auto& [name, footer] : tiledb::decode_footers(Cursor(tile.payload, newest))) names.insert(name);
  return names;
}

}  // namespace

void load(FragmentInfoHandle& info) {
  OpenOptions options = open_options(info.config);
  options.at = {0, UINT64_MAX};
  const std::shared_ptr<Array> array =
      open_engine(*info.context, info.uri, options, "FragmentInfo: Cannot load fragment info; Array does not exist");
  FragmentInfoHandle::Loaded loaded;
  loaded.snapshot = tiledb::tiledb_array(*array).snapshot();
  loaded.fragments = loaded.snapshot->fragments(work_of(*info.context));
  const std::set<std::string> consolidated = consolidated_fragments(*loaded.snapshot);
  for (const auto& fragment : loaded.fragments) {
    loaded.uris.push_back(info.uri + "/" + fragment->folder());
    loaded.consolidated.push_back(consolidated.contains(fragment->name()));
  }
  for (const tiledb::VacuumEntry& entry : loaded.snapshot->listing().vacuumed)
    for (const std::string& item : entry.items) loaded.to_vacuum.push_back(info.uri + "/" + item);
  info.loaded = std::move(loaded);
}

const FragmentInfoHandle::Loaded& loaded_info(const FragmentInfoHandle* handle) {
  const FragmentInfoHandle& info = checked(handle);
  if (!info.loaded) refuse("FragmentInfo: Fragment info has not been loaded.");
  return *info.loaded;
}

std::size_t fragment_index(const FragmentInfoHandle* handle, std::uint32_t index) {
  const auto& loaded = loaded_info(handle);
  if (index >= loaded.fragments.size())
    refuse("FragmentInfo: Cannot get fragment; Invalid fragment index {}, there are {}", index,
           loaded.fragments.size());
  return index;
}

const tiledb::Fragment& fragment_at(const FragmentInfoHandle* handle, std::uint32_t index) {
  return *loaded_info(handle).fragments[fragment_index(handle, index)];
}

std::size_t dimension_at(const tiledb::Fragment& fragment, std::uint32_t index, bool var) {
  const auto& dimensions = fragment.schema().dimensions;
  if (index >= dimensions.size())
    refuse("FragmentInfo: there is no dimension {}, the array has {}", index, dimensions.size());
  if (dimensions[index].var() != var)
    refuse("FragmentInfo: Dimension '{}' is {}", dimensions[index].name, var ? "fixed-sized" : "variable-sized");
  return index;
}

std::uint32_t dimension_named(const tiledb::Fragment& fragment, const char* name) {
  const auto index = fragment.schema().dimension_index(given(name, "dimension name"));
  if (!index) refuse("FragmentInfo: there is no dimension '{}'", name);
  return static_cast<std::uint32_t>(*index);
}

Range rectangle_at(const tiledb::Fragment& fragment, std::uint32_t tile, std::size_t dimension) {
  if (fragment.dense()) refuse("FragmentInfo: Cannot get MBR; Fragment is not sparse");
  const tiledb::MbrTable& leaves = fragment.rtree().leaves();
  if (tile >= leaves.count())
    refuse("FragmentInfo: Cannot get MBR; Invalid mbr index {}, there are {}", tile, leaves.count());
  return leaves.range(tile)[dimension];
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_alloc(ContextHandle* context, const char* uri,
                                                    FragmentInfoHandle** handle) {
  return enter(context, [&](const auto& state) {
    give(handle, FragmentInfoHandle{state, absolute_uri(given(uri, "URI")), state->config, {}});
  });
}

TEGULA_CAPI void tiledb_fragment_info_free(FragmentInfoHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_fragment_info_set_config(ContextHandle* context, FragmentInfoHandle* handle,
                                                         ConfigHandle* config) {
  return enter(context, [&](const auto&) { checked(handle).config = checked(config).config; });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_config(ContextHandle* context, FragmentInfoHandle* handle,
                                                         ConfigHandle** config) {
  return enter(context, [&](const auto&) { give(config, ConfigHandle{checked(handle).config}); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_load(ContextHandle* context, FragmentInfoHandle* handle) {
  return enter(context, [&](const auto&) { load(checked(handle)); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_fragment_num(ContextHandle* context, FragmentInfoHandle* handle,
                                                               std::uint32_t* count) {
  return enter(context,
               [&](const auto&) { out(count) = static_cast<std::uint32_t>(loaded_info(handle).fragments.size()); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_fragment_uri(ContextHandle* context, FragmentInfoHandle* handle,
                                                               std::uint32_t index, const char** uri) {
  return enter(context,
               [&](const auto&) { out(uri) = loaded_info(handle).uris[fragment_index(handle, index)].c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_fragment_name_v2(ContextHandle* context, FragmentInfoHandle* handle,
                                                                   std::uint32_t index, TextHandle** name) {
  return enter(context, [&](const auto&) { give(name, TextHandle{fragment_at(handle, index).name()}); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_fragment_size(ContextHandle* context, FragmentInfoHandle* handle,
                                                                std::uint32_t index, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    std::uint64_t total = 0;
    const auto& store = loaded_info(handle).snapshot->store();
    for (const ListedFile& file : store->list_all(fragment_at(handle, index).folder()).files) total += file.size;
    out(size) = total;
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_dense(ContextHandle* context, FragmentInfoHandle* handle,
                                                        std::uint32_t index, std::int32_t* dense) {
  return enter(context, [&](const auto&) { out(dense) = fragment_at(handle, index).dense() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_sparse(ContextHandle* context, FragmentInfoHandle* handle,
                                                         std::uint32_t index, std::int32_t* sparse) {
  return enter(context, [&](const auto&) { out(sparse) = fragment_at(handle, index).dense() ? 0 : 1; });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_version(ContextHandle* context, FragmentInfoHandle* handle,
                                                          std::uint32_t index, std::uint32_t* version) {
  return enter(context, [&](const auto&) { out(version) = fragment_at(handle, index).version(); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_timestamp_range(ContextHandle* context, FragmentInfoHandle* handle,
                                                                  std::uint32_t index, std::uint64_t* first,
                                                                  std::uint64_t* last) {
  return enter(context, [&](const auto&) {
    out(first) = fragment_at(handle, index).first_time();
    out(last) = fragment_at(handle, index).last_time();
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_cell_num(ContextHandle* context, FragmentInfoHandle* handle,
                                                           std::uint32_t index, std::uint64_t* count) {
  return enter(context, [&](const auto&) { out(count) = fragment_at(handle, index).total_cells(); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_total_cell_num(ContextHandle* context, FragmentInfoHandle* handle,
                                                                 std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    std::uint64_t total = 0;
    for (const auto& fragment : loaded_info(handle).fragments) total += fragment->total_cells();
    out(count) = total;
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_to_vacuum_num(ContextHandle* context, FragmentInfoHandle* handle,
                                                                std::uint32_t* count) {
  return enter(context,
               [&](const auto&) { out(count) = static_cast<std::uint32_t>(loaded_info(handle).to_vacuum.size()); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_to_vacuum_uri(ContextHandle* context, FragmentInfoHandle* handle,
                                                                std::uint32_t index, const char** uri) {
  return enter(context, [&](const auto&) {
    const auto& all = loaded_info(handle).to_vacuum;
    if (index >= all.size()) refuse("FragmentInfo: Cannot get URI of fragment to vacuum; Invalid index {}", index);
    out(uri) = all[index].c_str();
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_has_consolidated_metadata(ContextHandle* context,
                                                                        FragmentInfoHandle* handle, std::uint32_t index,
                                                                        std::int32_t* has) {
  return enter(context, [&](const auto&) {
    out(has) = loaded_info(handle).consolidated[fragment_index(handle, index)] ? 1 : 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_unconsolidated_metadata_num(ContextHandle* context,
                                                                              FragmentInfoHandle* handle,
                                                                              std::uint32_t* count) {
  return enter(context, [&](const auto&) {
    const auto& all = loaded_info(handle).consolidated;
    out(count) = static_cast<std::uint32_t>(std::count(all.begin(), all.end(), false));
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_array_schema(ContextHandle* context, FragmentInfoHandle* handle,
                                                               std::uint32_t index, SchemaHandle** schema) {
  return enter(context, [&](const auto&) {
    give(schema,
         SchemaHandle{std::make_shared<SchemaParts>(fragment_at(handle, index).schema(), std::vector<Enumeration>{})});
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_array_schema_name(ContextHandle* context, FragmentInfoHandle* handle,
                                                                    std::uint32_t index, const char** name) {
  return enter(context, [&](const auto&) { out(name) = fragment_at(handle, index).footer().schema_name.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_get_mbr_num(ContextHandle* context, FragmentInfoHandle* handle,
                                                          std::uint32_t index, std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    const tiledb::Fragment& fragment = fragment_at(handle, index);
    out(count) = fragment.dense() ? 0 : fragment.rtree().leaves().count();
  });
}

TEGULA_CAPI std::int32_t tiledb_fragment_info_dump_str(ContextHandle* context, const FragmentInfoHandle* handle,
                                                       TextHandle** text) {
  return enter(context, [&](const auto&) {
    const auto& loaded = loaded_info(handle);
    std::string dump = fmt::format(
        "- Fragment num: {}\n- Unconsolidated metadata num: {}\n- To vacuum num: {}\n", loaded.fragments.size(),
        std::count(loaded.consolidated.begin(), loaded.consolidated.end(), false), loaded.to_vacuum.size());
    for (std::size_t i = 0; i < loaded.fragments.size(); ++i) {
      const tiledb::Fragment& fragment = *loaded.fragments[i];
      dump += fmt::format(
          "- Fragment #{}\n  > URI: {}\n  > Schema name: {}\n  > Type: {}\n  > Cell num: {}\n  > Timestamp range: [{}, "
          "{}]\n  > Format version: {}\n  > Has consolidated metadata: {}\n",
          i + 1, loaded.uris[i], fragment.footer().schema_name, fragment.dense() ? "dense" : "sparse",
          fragment.total_cells(), fragment.first_time(), fragment.last_time(), fragment.version(),
          loaded.consolidated[i] ? "yes" : "no");
    }
    give(text, TextHandle{std::move(dump)});
  });
}

}  // namespace tegula::capi
