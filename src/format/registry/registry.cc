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

constexpr const Driver* kDrivers[] = {
    &tiledb::kTiledbDriver,
    &bcolz::kBcolzDriver,
    &zarr::kZarrDriver,
};

const Driver* find_driver(std::string_view format) {
  for (const Driver* driver : kDrivers)
    if (std::find(driver->formats.begin(), driver->formats.end(), format) != driver->formats.end()) return driver;
  std::string known;
  for (const Driver* driver : kDrivers)
    for (const std::string_view name : driver->formats) known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  fail(ErrorKind::invalid_argument, "'{}' is not a format; known are {}", format, known);
}

struct Match {
  const Driver* driver = nullptr;
  Found found;
};

Match look(const Store& store) {
  for (const Driver* driver : kDrivers)
    if (Found found = driver->probe(store); found.kind != ObjectKind::none) return {driver, std::move(found)};
  return {};
}

[[noreturn]] void nothing_there(const Store& store, std::string_view wanted) {
  const bool empty = store.list("").empty();
  fail(ErrorKind::not_found, "{}",
       empty ? "there is no such folder, or it is empty"
             : fmt::format("the folder holds no {} of a known format (TileDB, bcolz, zarr)", wanted));
}

}  // namespace

Found probe(const Store& store) { return look(store).found; }
Found probe(const std::string& uri) { return probe(*open_store(uri)); }

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening '{}'", where); });
  if (!options.format.empty()) return find_driver(options.format)->open(std::move(store), options);
  const Match match = look(*store);
  if (!match.driver) nothing_there(*store, "array");
  if (match.found.kind != ObjectKind::array)
    fail(ErrorKind::not_found, "this is a {} group, not an array; `tegula ls` shows what it holds", match.found.format);
  return match.driver->open(std::move(store), options);
}
std::shared_ptr<Array> open(const std::string& uri, const OpenOptions& options) {
  return open(open_store(uri, {.sync = options.sync}), options);
}

std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("opening group '{}'", where); });
  const Match match = look(*store);
  if (!match.driver) nothing_there(*store, "group");
  if (match.found.kind != ObjectKind::group)
    fail(ErrorKind::not_found, "this is a {} array, not a group", match.found.format);
  return match.driver->open_group(std::move(store), options);
}
std::shared_ptr<Group> open_group(const std::string& uri, const OpenOptions& options) {
  return open_group(open_store(uri, {.sync = options.sync}), options);
}

std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating '{}'", where); });
  const Driver* driver = find_driver(schema.format);
  if (!driver->create) fail(ErrorKind::unsupported, "{} arrays cannot be created", schema.format);
  return driver->create(std::move(store), schema, options);
}
std::shared_ptr<Array> create(const std::string& uri, const Schema& schema, const CreateOptions& options) {
  return create(open_store(uri, {.sync = options.sync}), schema, options);
}

std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options) {
  const Context doing([where = store->describe("")] { return fmt::format("creating group '{}'", where); });
  const Driver* driver = find_driver(format);
  if (!driver->create_group) fail(ErrorKind::unsupported, "{} groups cannot be created", format);
  return driver->create_group(std::move(store), format, options);
}
std::shared_ptr<Group> create_group(const std::string& uri, std::string_view format, const CreateOptions& options) {
  return create_group(open_store(uri, {.sync = options.sync}), format, options);
}

}  // namespace tegula
