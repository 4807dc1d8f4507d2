// The handles that callers of the C ABI hold. Every one that is alive is in a table, so that a pointer that is null, of
// another kind, freed or foreign is told without looking at what it points to.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

// Before every function of the ABI. cmake/capi.cmake hides everything else.
#define TEGULA_CAPI extern "C" __attribute__((visibility("default")))

namespace tegula::capi {

// A call that fails with exactly this text.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw Refusal(fmt::format(format, std::forward<Args>(args)...));
}

// `kind` is T::kName of the handle's type.
void add_live(const void* handle, std::string_view kind);
bool is_live(const void* handle, std::string_view kind) noexcept;
bool remove_live(const void* handle, std::string_view kind) noexcept;  // false: it was not there

// The handle, if it is one. Throws Refusal.
template <class T>
T& checked(T* handle) {
  if (!is_live(handle, T::kName)) refuse("C API: Invalid TileDB {} object", T::kName);
  return *handle;
}

// Where a result goes. Throws Refusal for null.
template <class T>
T& out(T* place) {
  if (!place) refuse("C API: Invalid output pointer: it is null");
  return *place;
}

// A new handle for the caller.
template <class T>
void give(T** place, T object) {
  T*& target = out(place);
  auto handle = std::make_unique<T>(std::move(object));
  add_live(handle.get(), T::kName);
  target = handle.release();
}

// Sets the caller's pointer to null, whatever it was.
template <class T>
void free_handle(T** handle) noexcept {
  if (!handle || !*handle) return;
  if (remove_live(*handle, T::kName)) delete *handle;
  *handle = nullptr;
}

// A text that the caller passed. Throws Refusal for null.
inline std::string_view given(const char* text, std::string_view what) {
  if (!text) refuse("C API: Invalid {}: it is null", what);
  return text;
}

}  // namespace tegula::capi
