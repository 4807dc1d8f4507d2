// Opens what a store holds, whatever its format, and says what formats can do.
#pragma once

#include <memory>

#include "format/driver.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// As the functions of tegula/array.h, for callers that bring their own store.
Found probe(const Store& store);
std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options = {});
std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions& options = {});
// An array or a group, whichever is there: looks once, where probe() and then one of the above would look twice.
struct Opened {
  std::shared_ptr<Array> array;
  std::shared_ptr<Group> group;
};
Opened open_any(std::shared_ptr<Store> store, const OpenOptions& options = {});
std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options = {});
std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options = {});

// The format, or the newest of the family, of that name. Throws invalid_argument.
struct FoundFormat {
  const Driver& driver;
  const Format& format;
};
FoundFormat find_format(std::string_view name);
// The driver of an open array.
const Driver& driver_of(const Array& array);
// Is what is there a plain folder that holds arrays, though a family takes it for a group?
bool is_plain_folder(const Store& store);
// The store, and where names cannot be listed and no document says what is there, with the index beside its files
// (store/wrap/indexed_store.h), as the functions above look at it.
std::shared_ptr<Store> with_needed_index(std::shared_ptr<Store> store);

// Lets every family know that something new is in the place of the store (Driver::placed).
void tell_placed(const std::shared_ptr<Store>& store);

// Titles of the formats with a capability, as part of a sentence: "zarr v2 and zarr v3".
std::string formats_with(bool Capabilities::* capability);

// One capability by its name.
struct CapabilityName {
  std::string_view name;
  bool Capabilities::* member;
  std::string_view lacking;  // completes "zarr v2 has no ..."
};
std::span<const CapabilityName> capability_names();

// Throws unsupported unless the format has the capability; the text names both.
void require(const Capabilities& format, bool Capabilities::* capability);

// A family that is known while this lives, and asked before the others. For tests: not thread-safe.
class ExtraDriver {
 public:
  explicit ExtraDriver(const Driver& driver);
  ~ExtraDriver();
  ExtraDriver(const ExtraDriver&) = delete;
  ExtraDriver& operator=(const ExtraDriver&) = delete;
};

}  // namespace tegula
