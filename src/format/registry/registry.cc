// Every format family, in the order in which they are asked. Adding one touches its own folder and this list.
#include "format/registry/registry.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/bcolz/driver.h"
#include "format/driver.h"
#include "format/tiledb/driver.h"
#include "format/zarr/driver.h"
#include "store/open/open_store.h"

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

struct Match {
  const Driver* driver = nullptr;
  Found found;
};

// Families whose documents were found are asked first: where names are not all known, to ask costs requests.
Match look(KnownStore& known) {
  std::vector<std::string_view> documents;
  for (const Driver* driver : drivers())
    documents.insert(documents.end(), driver->documents.begin(), driver->documents.end());
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

[[noreturn]] void nothing_there(const KnownStore& known, std::string_view wanted) {
  if (!known.hints().lists)
    fail(ErrorKind::not_found, "there is no document of a known format, and names cannot be listed there");
  if (known.list("").empty()) fail(ErrorKind::not_found, "there is no such folder, or it is empty");
  std::vector<std::string_view> families;
  for (const Driver* driver : drivers())
    families.push_back(driver->formats.size() == 1 ? driver->formats[0].capabilities.title : driver->family);
  fail(ErrorKind::not_found, "the folder holds no {} of a known format ({})", wanted, joined(families, ", "));
}

}  // namespace

Found probe(const Store& store) {
  KnownStore known(store);
  return look(known).found;
}
Found probe(const std::string& uri, const std::map<std::string, std::string>& storage) {
  return probe(*open_store(uri, {.settings = storage}));
}

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening '{}'", where); });
  KnownStore known(*store);
  if (!options.format.empty()) {
    const auto [driver, format] = find_format(options.format);
    if (options.at) require(format.capabilities, &Capabilities::history);
    OpenOptions resolved = options;
    resolved.format = format.capabilities.format;
    if (driver.documents.empty()) known.look({});
    return driver.open_known(store, resolved, known);
  }
  const Match match = look(known);
  if (!match.driver) nothing_there(known, "array");
  if (match.found.kind != ObjectKind::array)
    fail(ErrorKind::not_found, "this is a {} group, not an array", match.found.format);
  if (options.at) require(capabilities(match.found.format), &Capabilities::history);
  return match.driver->open_known(store, options, known);
}
std::shared_ptr<Array> open(const std::string& uri, const OpenOptions& options) {
  return open(open_store(uri, {.sync = options.sync, .settings = options.storage}), options);
}

std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening group '{}'", where); });
  KnownStore known(*store);
  const Match match = look(known);
  if (!match.driver) nothing_there(known, "group");
  if (match.found.kind != ObjectKind::group)
    fail(ErrorKind::not_found, "this is a {} array, not a group", match.found.format);
  return match.driver->open_group_known(store, options, known);
}
std::shared_ptr<Group> open_group(const std::string& uri, const OpenOptions& options) {
  return open_group(open_store(uri, {.sync = options.sync, .settings = options.storage}), options);
}

std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating '{}'", where); });
  const auto [driver, format] = find_format(schema.format);
  const Capabilities& can = format.capabilities;
  require(can, &Capabilities::create);
  if (!options.key.empty()) require(can, &Capabilities::encryption);
  if (schema.sparse) require(can, &Capabilities::sparse);
  if (schema.table) require(can, &Capabilities::tables);
  return driver.create(std::move(store), schema, options);
}
std::shared_ptr<Array> create(const std::string& uri, const Schema& schema, const CreateOptions& options) {
  return create(open_store(uri, {.sync = options.sync, .settings = options.storage}), schema, options);
}

std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating group '{}'", where); });
  const auto [driver, found] = find_format(format);
  require(found.capabilities, &Capabilities::groups);
  return driver.create_group(std::move(store), found.capabilities.format, options);
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

bool is_plain_folder(const Store& store) {
  KnownStore known(store);
  const Match match = look(known);
  return match.found.kind == ObjectKind::group && match.driver->plain_folder && match.driver->plain_folder(known);
}

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
