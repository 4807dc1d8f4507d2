// What is known of the fragments of an array without reading cells.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/array/array.h"

namespace tegula::capi {

struct FragmentInfoHandle {
  static constexpr std::string_view kName = "fragment info";
  std::shared_ptr<ContextState> context;
  std::string uri;
  Config config;
  // Once it is loaded.
  struct Loaded {
    std::shared_ptr<const tiledb::Snapshot> snapshot;
    std::vector<std::shared_ptr<const tiledb::Fragment>> fragments;  // oldest first
    std::vector<std::string> uris;
    std::vector<std::string> to_vacuum;  // URIs
    std::vector<bool> consolidated;      // by fragment: is its footer in a consolidated file?
  };
  std::optional<Loaded> loaded;
};

void load(FragmentInfoHandle& info);
// All throw Refusal: before it is loaded, and for what is not there.
const FragmentInfoHandle::Loaded& loaded_info(const FragmentInfoHandle* handle);
std::size_t fragment_index(const FragmentInfoHandle* handle, std::uint32_t index);
const tiledb::Fragment& fragment_at(const FragmentInfoHandle* handle, std::uint32_t index);
std::size_t dimension_at(const tiledb::Fragment& fragment, std::uint32_t index, bool var);
std::uint32_t dimension_named(const tiledb::Fragment& fragment, const char* name);
// Of a tile of a sparse fragment.
Range rectangle_at(const tiledb::Fragment& fragment, std::uint32_t tile, std::size_t dimension);

}  // namespace tegula::capi
