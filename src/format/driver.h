// What a format family provides. The registry of all families is format/registry/registry.cc.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/stored_copy.h"
#include "format/stored_grid.h"
#include "store/store.h"
#include "store/wrap/known_store.h"
#include "tegula/array.h"
#include "tegula/capabilities.h"

namespace tegula {

// How a format spells filters.
struct FilterNotation {
  std::string_view blosc_level = "clevel";  // its name for Blosc's level
  bool shuffle_names = true;                // Blosc's shuffles have names; otherwise they are counted
  bool explicit_none = false;               // no filters means those of its choice; "none" means none
};

struct Format {
  Capabilities capabilities;
  FilterNotation filters = {};
};

struct Driver {
  std::string_view family;
  std::span<const Format> formats;  // oldest first
  // Looks at names, reads as little as possible; ObjectKind::none when it is not this family's.
  Found (*probe)(const Store& store);
  // OpenOptions::format, when set, is one of `formats`. `known` is the store with what was read of it while it was
  // looked at: what the opening reads goes through it, and the array keeps the store.
  std::shared_ptr<Array> (*open_known)(std::shared_ptr<Store> store, const OpenOptions& options, KnownStore& known);
  // Null members: what it says is not possible.
  std::shared_ptr<Group> (*open_group_known)(std::shared_ptr<Store> store, const OpenOptions& options,
                                             KnownStore& known) = nullptr;
  std::shared_ptr<Array> (*create)(std::shared_ptr<Store> store, const Schema& schema,
                                   const CreateOptions& options) = nullptr;
  std::shared_ptr<Group> (*create_group)(std::shared_ptr<Store> store, std::string_view format,
                                         const CreateOptions& options) = nullptr;

  // Documents in the root by which arrays and groups are told from others without a listing. None: it takes a listing.
  std::span<const std::string_view> documents = {};
  // Is the group that probe() found a plain folder that holds arrays, without a document of its own? Null: never.
  bool (*plain_folder)(const Store& store) = nullptr;
  // Called for every family after something came to the place of the store otherwise than by create(), as by a rename:
  // brings in step what groups around it keep about it. Null: nothing is kept.
  void (*placed)(const std::shared_ptr<Store>& store) = nullptr;
  // Where an open array is; lives as long as the array. Null: not known.
  const Store& (*store_of)(const Array& array) = nullptr;

  // Filters for new values of `type`, as parse_filters() takes them: "byteshuffle,zstd:5". Null: none.
  std::string_view (*default_filters)(std::string_view format, const Datatype& type) = nullptr;
  // The filters of an attribute of the format `from` as `to`, another format of the family, spells them, so that
  // stored chunks stay what they are. No value when that format lacks them. Null: never.
  std::optional<std::vector<Filter>> (*carry_filters)(const Attribute& attribute, std::string_view from,
                                                      std::string_view to) = nullptr;
  // The value that stands for missing ones (_FillValue of the CF conventions), as JSON, and how a new array with that
  // schema and metadata says it. Null: as the entry `_FillValue` of the metadata.
  std::optional<MetaValue> (*missing_value)(const Array& array) = nullptr;
  void (*mark_missing)(Schema& schema, const MetaValue& value,
                       std::map<std::string, std::optional<MetaValue>>& metadata) = nullptr;
  // What old versions of the format call an attribute without a name. Empty: nothing.
  std::string_view unnamed_attribute = {};
  CopyHooks copy = {};
  // The chunks of a field as they lie in files, where others decode them too. Null, or no value: they do not.
  std::optional<StoredGrid> (*stored_grid)(const Array& array, std::string_view field) = nullptr;
  // Another text after every change of the array in the store, chunks that are replaced where they are excepted. Reads
  // documents and names only.
  std::string (*state)(const Store& store) = nullptr;

  // For those who did not look at the store before.
  std::shared_ptr<Array> open(const std::shared_ptr<Store>& store, const OpenOptions& options) const {
    KnownStore known(*store);
    return open_known(store, options, known);
  }
  std::shared_ptr<Group> open_group(const std::shared_ptr<Store>& store, const OpenOptions& options) const {
    KnownStore known(*store);
    return open_group_known(store, options, known);
  }
};

}  // namespace tegula
