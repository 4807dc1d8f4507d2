#include "format/tiledb/read/array_contents.h"

#include <algorithm>
#include <unordered_map>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/disk/consolidated_footers.h"
#include "format/tiledb/disk/enumeration.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/disk/schema_model.h"

namespace tegula::tiledb {

namespace {

// Reads a generic tile that fills a file, or the given part of one.
Bytes read_payload(const ArrayFiles& files, const BytesPlace& place, const Store& from) {
  const std::optional<Bytes> bytes = place.size ? from.get(place.key, place.offset, *place.size) : from.get(place.key);
  const std::string name = files.store->describe(place.key);
  if (!bytes) fail(ErrorKind::not_found, "{}: missing", name);
  Cursor in(*bytes, name, place.offset);
  GenericTile tile = decode_generic_tile(in, files.key);
  if (files.key && !tile.encrypted)
    fail(ErrorKind::invalid_argument, "{} is not encrypted: open the array without a key", name);
  return std::move(tile.payload);
}

Bytes read_payload(const ArrayFiles& files, const BytesPlace& place) {
  return read_payload(files, place, *files.store);
}

constexpr std::uint64_t kSmallFile = 65536;  // what enumerations and conditions are expected to take

std::vector<Enumeration> read_enumerations(const ArrayFiles& files, const ArraySchema& schema, const Work& work) {
  std::vector<Enumeration> enumerations(schema.enumerations.size());
  const auto key_of = [&](std::size_t i) {
    return join(join(kSchemaFolder, kEnumerationsFolder), schema.enumerations[i].second);
  };
  const auto plan = [&](std::size_t i, Wants& wants) { wants.file(key_of(i), kSmallFile); };
  fetch_each(*files.store, work, enumerations.size(), plan, [&](std::size_t i, const Store& from) {
    const std::string key = key_of(i);
    const Context doing([&] { return fmt::format("reading enumeration '{}'", schema.enumerations[i].first); });
    const Bytes payload = read_payload(files, {key, 0, std::nullopt}, from);
    enumerations[i] = decode_enumeration(Cursor(payload, files.store->describe(key) + " (unpacked)")).enumeration;
  });
  return enumerations;
}

// The footers in the newest consolidated file. It only repeats what the fragments hold, so a damaged one is ignored.
struct Footers {
  Bytes payload;
  std::map<std::string, ByteView> by_name;
};

Footers read_footers(const ArrayContents& array) {
  Footers footers;
  const std::string& key = array.listing.footer_files.back();
  try {
    footers.payload = read_payload(array.files, {key, 0, std::nullopt});
    footers.by_name = decode_footers(Cursor(footers.payload, array.files.store->describe(key) + " (unpacked)"));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::not_found) throw;
    footers.by_name.clear();
  }
  return footers;
}

// libtiledb 2.30 stores wrong offsets behind the footers of version 11: null when the footer does not fit, and the
// fragment's own footer is read.
std::shared_ptr<const Fragment> open_consolidated(const ArrayContents& array, const FragmentEntry& entry,
                                                  ByteView footer) {
  try {
    auto fragment =
        Fragment::open(array.files, entry, [&](const std::string& file) { return array.schemas->named(file); }, footer);
    return fragment->version() == entry.time.version || entry.time.version < 5 ? fragment : nullptr;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::permission || error.kind() == ErrorKind::cancelled)
      throw;
    return nullptr;
  }
}

std::vector<std::shared_ptr<const Fragment>> open_fragments(const ArrayContents& array, const Work& work,
                                                            const KnownFragments& known) {
  std::unordered_map<std::string_view, const std::shared_ptr<const Fragment>*> by_name;
  for (const std::shared_ptr<const Fragment>& fragment : known.fragments) by_name.emplace(fragment->name(), &fragment);
  std::vector<std::shared_ptr<const Fragment>> fragments(array.entries.size());
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < array.entries.size(); ++i) {
    const auto found = by_name.find(array.entries[i].name);
    if (found != by_name.end())
      fragments[i] = *found->second;
    else
      unknown.push_back(i);
  }
  const Footers footers = array.listing.footer_files.empty() || unknown.size() < 2 ? Footers() : read_footers(array);
  const auto plan = [&](std::size_t n, Wants& wants) {
    const FragmentEntry& entry = array.entries[unknown[n]];
    if (!footers.by_name.contains(entry.name)) Fragment::plan_footer(entry, wants);
  };
  fetch_each(*array.files.store, work, unknown.size(), plan, [&](std::size_t n, const Store& from) {
    const std::size_t i = unknown[n];
    const FragmentEntry& entry = array.entries[i];
    const Context doing([&] { return fmt::format("opening fragment {}", entry.name); });
    if (const auto found = footers.by_name.find(entry.name); found != footers.by_name.end())
      fragments[i] = open_consolidated(array, entry, found->second);
    if (!fragments[i])
      fragments[i] = Fragment::open(
          array.files, entry, [&](const std::string& file) { return array.schemas->named(file); }, std::nullopt, from);
  });
  return fragments;
}

std::vector<TimedCondition> read_conditions(const ArrayContents& array, const Work& work, const KnownFragments& known) {
  std::unordered_map<std::string_view, const TimedCondition*> by_marker;
  for (const TimedCondition& condition : known.conditions) by_marker.emplace(condition.marker, &condition);
  const std::vector<ConditionEntry> entries = visible_conditions(array.listing, array.window);
  std::vector<TimedCondition> conditions(entries.size());
  const auto plan = [&](std::size_t i, Wants& wants) {
    if (!entries[i].place.size && !by_marker.contains(entries[i].marker)) wants.file(entries[i].place.key, kSmallFile);
  };
  fetch_each(*array.files.store, work, entries.size(), plan, [&](std::size_t i, const Store& from) {
    const ConditionEntry& entry = entries[i];
    if (const auto found = by_marker.find(entry.marker); found != by_marker.end()) {
      conditions[i] = *found->second;
      return;
    }
    const Bytes payload = read_payload(array.files, entry.place, from);
    const std::string name = array.files.store->describe(entry.place.key) + " (unpacked)";
    conditions[i] = {entry.marker, entry.time, entry.update, decode_condition(Cursor(payload, name), entry.update)};
  });
  return conditions;
}

}  // namespace

std::shared_ptr<const ArraySchema> SchemaCache::at(const std::string& key) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = schemas_.find(key); found != schemas_.end()) return found->second;
  }
  const Bytes payload = read_payload(files_, {key, 0, std::nullopt});
  auto schema =
      std::make_shared<const ArraySchema>(decode_schema(Cursor(payload, files_.store->describe(key) + " (unpacked)")));
  const std::lock_guard lock(mutex_);
  return schemas_.try_emplace(key, std::move(schema)).first->second;
}

std::shared_ptr<const ArraySchema> SchemaCache::named(const std::string& file) const {
  // Fragments from before version 10 name no schema: there was only one then.
  if (file.empty()) return at(first_);
  return at(file == kOldSchemaFile ? file : join(kSchemaFolder, file));
}

ArrayContents open_contents(std::shared_ptr<const Store> store, const OpenOptions& options, bool fragments,
                            const Store* known) {
  const Context doing([&] { return fmt::format("opening array '{}'", store->describe("")); });
  ArrayContents array;
  array.files = {store, make_key(options.key)};
  array.window = options.at ? TimeWindow{options.at->first, options.at->second} : TimeWindow{0, now_ms()};
  array.listing = list_array(*store, known);
  array.schemas = std::make_shared<SchemaCache>(array.files, array.listing.schemas.front());
  array.schema_key = array.listing.schemas[schema_at(array.listing, array.window.last)];
  array.schema = array.schemas->at(array.schema_key);
  array.model = std::make_shared<const Schema>(
      to_model(*array.schema, read_enumerations(array.files, *array.schema, options.work)));
  array.entries = visible_fragments(array.listing, array.window, array.schema->sparse);
  if (!fragments) return array;
  load_fragments(array, options.work);
  return array;
}

void load_fragments(ArrayContents& array, const Work& work, const KnownFragments& known) {
  // Sets all or nothing, so that a second try meets the same error.
  std::vector<std::shared_ptr<const Fragment>> fragments = open_fragments(array, work, known);
  array.conditions = read_conditions(array, work, known);
  array.fragments = std::move(fragments);
}

}  // namespace tegula::tiledb
