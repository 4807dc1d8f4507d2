// A file or folder by its URI: the store it is in, and its key there.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "capi/core/context.h"
#include "store/store.h"

namespace tegula::capi {

struct Place {
  std::shared_ptr<Store> store;
  std::string key;  // empty: the root
  std::string uri;  // absolute, without a slash at the end

  bool is_file() const { return !key.empty() && store->has(key); }
  bool is_folder() const;
};

// `memory` names the place of mem:// URIs.
Place place_of(const ContextState& context, std::string_view uri, const std::string& memory);
// For what is not a file of its own: arrays and groups of the context.
Place place_of(const ContextState& context, std::string_view uri);

// Copies a file piece by piece.
void copy_file(const Place& from, const Place& to);
// Everything below a folder. Empty folders too.
void copy_folder(const Place& from, const Place& to);

// The answer of a callback: 1 goes on, 0 stops, -1 stops with an error.
enum class Answer : std::int32_t { fail = -1, stop = 0, go_on = 1 };

}  // namespace tegula::capi
