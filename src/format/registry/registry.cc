// Every format family, in the order in which they are asked. Adding one touches its own folder and this list.
#include "format/registry/registry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "base/context.h"
#include "base/fail.h"
#include "format/bcolz/driver.h"
#include "format/driver.h"
#include "format/registry/overwrite.h"
#include "format/tiledb/driver.h"
#include "format/zarr/driver.h"
#include "store/open/open_store.h"
#include "store/wrap/indexed_store.h"

namespace tegula {

namespace {

// Families that tests add come first.
std::vector<const Driver*>& drivers() {
  static std::vector<const Driver*> all = {
      &tiledb::kTiledbDriver,
      &bcolz::kBcolzDriver,
      &zarr::kZarrDriver,
  };
  return all;
}

std::string joined(const std::vector<std::string_view>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? last : ", ", names[i]);
  return text;
}

// What an array or group has only while it is being made.
constexpr std::array kNotes = {kConversionKey, kPlacingKey};

// What is not whole would read as the fill value where cells are still missing.
void refuse_unfinished(const KnownStore& known, const OpenOptions& options) {
  // Without listings it is a web server, where nothing is being made, and where any name may get a page as its answer.
  if (!known.hints().lists) return;
  const auto has = [&](std::string_view key) {
    try {
      return known.has(key);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::permission || !known.hints().remote()) throw;
      return false;  // S3 denies names that are not there to those who may not list
    }
  };
  if (has(kPlacingKey))
    fail(ErrorKind::corrupt,
         "it was being overwritten when that was stopped; `tegula repair` puts the new files in "
         "their place");
  if (!options.unfinished && has(kConversionKey))
    fail(ErrorKind::corrupt,
         "this is an unfinished copy, and cells that are missing would read as fill values; the same call that began "
         "it goes on with it, and starts again when told to overwrite it");
}

struct Match {
  const Driver* driver = nullptr;
  Found found;
};

// Families whose documents were found are asked first: where names are not all known, to ask costs requests.
Match look(KnownStore& known) {
  std::vector<std::string_view> documents;
  for (const Driver* driver : drivers())
    documents.insert(documents.end(), driver->documents.begin(), driver->documents.end());
  if (known.hints().lists) documents.insert(documents.end(), kNotes.begin(), kNotes.end());
  known.look(documents);
  const bool remote = known.hints().remote();
  std::vector<const Driver*> order = drivers();
  std::ranges::stable_partition(order, [&](const Driver* driver) {
    return remote && !known.complete() &&
           std::ranges::any_of(driver->documents, [&](std::string_view name) { return known.has(name); });
  });
  for (const Driver* driver : order)
    if (Found found = driver->probe(known); found.kind != ObjectKind::none) return {driver, std::move(found)};
  return {};
}

// What was found, and the store that it was found in: the given one, or that with the index beside its files.
struct Sight {
  std::shared_ptr<Store> store;
  std::unique_ptr<KnownStore> known;
  Match match;
};

// The index of a store without listings is asked for only when its documents do not say what is there: most arrays do
// without it, and it must not be able to get in their way.
Sight look(std::shared_ptr<Store> store) {
  Sight sight{store, std::make_unique<KnownStore>(*store), {}};
  if (store->hints().lists) {
    sight.match = look(*sight.known);
    return sight;
  }
  std::exception_ptr denied;
  try {
    sight.match = look(*sight.known);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    denied = std::current_exception();
  }
  if (sight.match.driver) return sight;
  if (std::shared_ptr<Store> listed = with_index(store); listed != store) return look(std::move(listed));
  if (denied) std::rethrow_exception(denied);
  return sight;
}
// Only read from while the sight lasts.
Sight look(const Store& store) {
  return look(std::shared_ptr<Store>(std::shared_ptr<void>(), const_cast<Store*>(&store)));
}

std::shared_ptr<Array> array_of(const Sight& sight, const OpenOptions& options) {
  if (options.at) require(capabilities(sight.match.found.format), &Capabilities::history);
  return sight.match.driver->open_known(sight.store, options, *sight.known);
}

std::shared_ptr<Group> group_of(const Sight& sight, const OpenOptions& options) {
  try {
    return sight.match.driver->open_group_known(sight.store, options, *sight.known);
  } catch (const Error& error) {
    // The document of a group need not name its members.
    if (error.kind() != ErrorKind::unsupported || sight.store->hints().lists) throw;
    const std::shared_ptr<Store> listed = with_index(sight.store);
    if (listed == sight.store) throw;
    return open_group(listed, options);
  }
}

[[noreturn]] void nothing_there(const KnownStore& known, std::string_view wanted) {
  if (!known.hints().lists)
    fail(ErrorKind::not_found,
         "there is no document of zarr or bcolz, and names cannot be listed there; TileDB arrays need the index that "
         "`tegula index` makes");
  if (known.list("").empty()) fail(ErrorKind::not_found, "there is no such folder, or it is empty");
  std::vector<std::string_view> families;
  for (const Driver* driver : drivers())
    families.push_back(driver->formats.size() == 1 ? driver->formats[0].capabilities.title : driver->family);
  fail(ErrorKind::not_found, "the folder holds no {} of a known format ({})", wanted, joined(families, ", "));
}

}  // namespace

Found probe(const Store& store) { return look(store).match.found; }
Found probe(const std::string& uri, const std::map<std::string, std::string>& storage) {
  const std::shared_ptr<Store> store = open_store(uri, {.settings = storage});
  store->recover();
  return probe(*store);
}

namespace {

// Makes something new by `make`, which gets the store to make it in and the options, and where it replaces something,
// opens it by `open` once it is in its place.
template <class Make, class Open>
auto made(std::shared_ptr<Store> store, const CreateOptions& options, Make make, Open open) {
  store->recover();
  // Far away, whether files are still to be put in their place is one more request.
  if (options.overwrite || !store->hints().remote()) finish_placing(*store, options.work);
  if (!options.overwrite || !is_replaceable(*store)) return make(std::move(store), options);
  const std::unique_ptr<Replacement> replacement = begin_replacement(store);
  try {
    replacement->clear();
    CreateOptions fresh = options;
    fresh.overwrite = false;
    make(replacement->store(), fresh);
    replacement->take_place(options.work);
  } catch (...) {
    replacement->discard();
    throw;
  }
  OpenOptions reopen;
  reopen.key = options.key;
  reopen.work = options.work;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (options.at > static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()))
    reopen.at = {0, options.at};
  return open(std::move(store), reopen);
}

}  // namespace

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening '{}'", where); });
  store->recover();
  if (!options.format.empty()) {
    const auto [driver, format] = find_format(options.format);
    if (options.at) require(format.capabilities, &Capabilities::history);
    OpenOptions resolved = options;
    resolved.format = format.capabilities.format;
    // A family without documents is found by its names.
    if (driver.documents.empty()) store = with_index(std::move(store));
    KnownStore known(*store);
    if (driver.documents.empty())
      known.look({});
    else if (known.hints().remote() && known.hints().lists)
      known.learn_files(std::vector<std::string>(kNotes.begin(), kNotes.end()));
    refuse_unfinished(known, options);
    return driver.open_known(store, resolved, known);
  }
  const Sight sight = look(std::move(store));
  refuse_unfinished(*sight.known, options);
  if (!sight.match.driver) nothing_there(*sight.known, "array");
  if (sight.match.found.kind != ObjectKind::array)
    fail(ErrorKind::not_found, "this is a {} group, not an array", sight.match.found.format);
  return array_of(sight, options);
}
std::shared_ptr<Array> open(const std::string& uri, const OpenOptions& options) {
  return open(open_store(uri, {.sync = options.sync, .settings = options.storage}), options);
}

std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening group '{}'", where); });
  store->recover();
  const Sight sight = look(std::move(store));
  refuse_unfinished(*sight.known, options);
  if (!sight.match.driver) nothing_there(*sight.known, "group");
  if (sight.match.found.kind != ObjectKind::group)
    fail(ErrorKind::not_found, "this is a {} array, not a group", sight.match.found.format);
  return group_of(sight, options);
}
std::shared_ptr<Group> open_group(const std::string& uri, const OpenOptions& options) {
  return open_group(open_store(uri, {.sync = options.sync, .settings = options.storage}), options);
}

Opened open_any(std::shared_ptr<Store> store, const OpenOptions& options) {
  if (!options.format.empty()) return {open(std::move(store), options), nullptr};
  const Context doing([where = store->describe("")] { return fmt::format("opening '{}'", where); });
  store->recover();
  const Sight sight = look(std::move(store));
  refuse_unfinished(*sight.known, options);
  if (!sight.match.driver) nothing_there(*sight.known, "array");
  if (sight.match.found.kind == ObjectKind::group) return {nullptr, group_of(sight, options)};
  return {array_of(sight, options), nullptr};
}

std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating '{}'", where); });
  const auto [driver, format] = find_format(schema.format);
  const Capabilities& can = format.capabilities;
  require(can, &Capabilities::create);
  if (!options.key.empty()) require(can, &Capabilities::encryption);
  if (schema.sparse) require(can, &Capabilities::sparse);
  if (schema.table) require(can, &Capabilities::tables);
  const auto make = [&](std::shared_ptr<Store> in, const CreateOptions& how) {
    return driver.create(std::move(in), schema, how);
  };
  const auto reopen = [&](std::shared_ptr<Store> in, const OpenOptions& how) { return driver.open(in, how); };
  return made(std::move(store), options, make, reopen);
}
std::shared_ptr<Array> create(const std::string& uri, const Schema& schema, const CreateOptions& options) {
  return create(open_store(uri, {.sync = options.sync, .settings = options.storage}), schema, options);
}

std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating group '{}'", where); });
  const auto [driver, found] = find_format(format);
  require(found.capabilities, &Capabilities::groups);
  const auto make = [&](std::shared_ptr<Store> in, const CreateOptions& how) {
    return driver.create_group(std::move(in), found.capabilities.format, how);
  };
  const auto reopen = [&](std::shared_ptr<Store> in, const OpenOptions& how) { return driver.open_group(in, how); };
  return made(std::move(store), options, make, reopen);
}
std::shared_ptr<Group> create_group(const std::string& uri, std::string_view format, const CreateOptions& options) {
  return create_group(open_store(uri, {.sync = options.sync, .settings = options.storage}), format, options);
}

FoundFormat find_format(std::string_view name) {
  for (const Driver* driver : drivers()) {
    for (const Format& format : driver->formats)
      if (format.capabilities.format == name) return {*driver, format};
    if (driver->family == name) return {*driver, driver->formats.back()};
  }
  fail(ErrorKind::invalid_argument, "'{}' is not a format; known are {}", name, joined(formats(), ", "));
}

void tell_placed(const std::shared_ptr<Store>& store) {
  for (const Driver* driver : drivers())
    if (driver->placed) driver->placed(store);
}

bool is_plain_folder(const Store& store) {
  const auto [seen, known, match] = look(store);
  return match.found.kind == ObjectKind::group && match.driver->plain_folder && match.driver->plain_folder(*known);
}

std::shared_ptr<Store> with_needed_index(std::shared_ptr<Store> store) { return look(std::move(store)).store; }

const Driver& driver_of(const Array& array) { return find_format(array.schema().format).driver; }

std::vector<std::string_view> formats() {
  std::vector<std::string_view> out;
  for (const Driver* driver : drivers())
    for (const Format& format : driver->formats) out.push_back(format.capabilities.format);
  return out;
}

const Capabilities& capabilities(std::string_view format) { return find_format(format).format.capabilities; }
const Capabilities& capabilities(const Array& array) { return capabilities(array.schema().format); }

std::string formats_with(bool Capabilities::* capability) {
  std::vector<std::string_view> out;
  for (const Driver* driver : drivers())
    for (const Format& format : driver->formats)
      if (format.capabilities.*capability) out.push_back(format.capabilities.title);
  return joined(out, " and ");
}

std::span<const CapabilityName> capability_names() {
  static constexpr CapabilityName kNames[] = {
      {"create", &Capabilities::create, "way to create arrays"},
      {"groups", &Capabilities::groups, "groups"},
      {"members", &Capabilities::members, "members that could be added to a group or removed from it"},
      {"append", &Capabilities::append, "way to append rows"},
      {"resize", &Capabilities::resize, "way to change extents"},
      {"fragments", &Capabilities::fragments, "fragments"},
      {"history", &Capabilities::history, "history"},
      {"encryption", &Capabilities::encryption, "encryption"},
      {"versions", &Capabilities::versions, "format versions to choose from"},
      {"repair", &Capabilities::repair, "repair"},
      {"sparse", &Capabilities::sparse, "sparse arrays"},
      {"tables", &Capabilities::tables, "tables"},
      {"many_fields", &Capabilities::many_fields, "arrays of several fields"},
      {"scalars", &Capabilities::scalars, "arrays without dimensions"},
      {"empty_axes", &Capabilities::empty_axes, "dimensions without cells"},
      {"domains", &Capabilities::domains, "domains that begin elsewhere than at 0"},
      {"column_order", &Capabilities::column_order, "cells in column order"},
      {"unwritten", &Capabilities::unwritten, "chunks that are not stored"},
      {"nullable", &Capabilities::nullable, "nullable attributes"},
      {"enumerations", &Capabilities::enumerations, "enumerations"},
      {"text", &Capabilities::text, "text of any length"},
      {"lists", &Capabilities::lists, "cells of several values"},
      {"numpy_types", &Capabilities::numpy_types, "types for text of a fixed size"},
      {"typed_metadata", &Capabilities::typed_metadata, "types of metadata"},
  };
  return kNames;
}

void require(const Capabilities& format, bool Capabilities::* capability) {
  if (format.*capability) return;
  for (const CapabilityName& known : capability_names())
    if (known.member == capability)
      fail(ErrorKind::unsupported, "{} has no {} (capability '{}')", format.title, known.lacking, known.name);
}

ExtraDriver::ExtraDriver(const Driver& driver) { drivers().insert(drivers().begin(), &driver); }
ExtraDriver::~ExtraDriver() { drivers().erase(drivers().begin()); }

}  // namespace tegula
