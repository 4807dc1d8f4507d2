// Boxes of fragments and of their tiles.
#include "capi/array/ranges_out.h"
#include "capi/files/fragment_info.h"

namespace tegula::capi {

namespace {

// Finds the range of a call by dimension, and checks that it is of the wanted kind.
template <class D>
std::size_t dimension_in(const tiledb::Fragment& fragment, D dimension, bool var) {
  if constexpr (std::is_same_v<D, const char*>)
    return dimension_at(fragment, dimension_named(fragment, dimension), var);
  else
    return dimension_at(fragment, dimension, var);
}

template <class D>
Range box_range(const FragmentInfoHandle* handle, std::uint32_t index, D dimension, bool var) {
  const tiledb::Fragment& fragment = fragment_at(handle, index);
  return fragment.domain()[dimension_in(fragment, dimension, var)];
}

template <class D>
Range tile_range(const FragmentInfoHandle* handle, std::uint32_t index, std::uint32_t tile, D dimension, bool var) {
  const tiledb::Fragment& fragment = fragment_at(handle, index);
  return rectangle_at(fragment, tile, dimension_in(fragment, dimension, var));
}

template <class D>
Datatype type_in(const FragmentInfoHandle* handle, std::uint32_t index, D dimension) {
  const tiledb::Fragment& fragment = fragment_at(handle, index);
  return fragment.schema().dimensions[dimension_in(fragment, dimension, false)].type;
}

}  // namespace

// By index and by name: the same three questions about the box of a fragment, and about that of one of its tiles.
#define TEGULA_FRAGMENT_RANGES(by, type)                                                                              \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_non_empty_domain_from_##by(                                       \
      ContextHandle* context, FragmentInfoHandle* handle, std::uint32_t index, type dimension, void* domain) {        \
    return enter(context, [&](const auto&) {                                                                          \
      put_fixed_range(box_range(handle, index, dimension, false), type_in(handle, index, dimension), domain);         \
    });                                                                                                               \
  }                                                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_non_empty_domain_var_size_from_##by(                              \
      ContextHandle* context, FragmentInfoHandle* handle, std::uint32_t index, type dimension, std::uint64_t* low,    \
      std::uint64_t* high) {                                                                                          \
    return enter(context, [&](const auto&) {                                                                          \
      const Range range = box_range(handle, index, dimension, true);                                                  \
      put_var_sizes(&range, low, high);                                                                               \
    });                                                                                                               \
  }                                                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_non_empty_domain_var_from_##by(                                   \
      ContextHandle* context, FragmentInfoHandle* handle, std::uint32_t index, type dimension, void* low,             \
      void* high) {                                                                                                   \
    return enter(context, [&](const auto&) {                                                                          \
      const Range range = box_range(handle, index, dimension, true);                                                  \
      put_var_range(&range, low, high);                                                                               \
    });                                                                                                               \
  }                                                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_mbr_from_##by(ContextHandle* context, FragmentInfoHandle* handle, \
                                                                  std::uint32_t index, std::uint32_t tile,            \
                                                                  type dimension, void* mbr) {                        \
    return enter(context, [&](const auto&) {                                                                          \
      put_fixed_range(tile_range(handle, index, tile, dimension, false), type_in(handle, index, dimension), mbr);     \
    });                                                                                                               \
  }                                                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_mbr_var_size_from_##by(                                           \
      ContextHandle* context, FragmentInfoHandle* handle, std::uint32_t index, std::uint32_t tile, type dimension,    \
      std::uint64_t* low, std::uint64_t* high) {                                                                      \
    return enter(context, [&](const auto&) {                                                                          \
      const Range range = tile_range(handle, index, tile, dimension, true);                                           \
      put_var_sizes(&range, low, high);                                                                               \
    });                                                                                                               \
  }                                                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_fragment_info_get_mbr_var_from_##by(                                                \
      ContextHandle* context, FragmentInfoHandle* handle, std::uint32_t index, std::uint32_t tile, type dimension,    \
      void* low, void* high) {                                                                                        \
    return enter(context, [&](const auto&) {                                                                          \
      const Range range = tile_range(handle, index, tile, dimension, true);                                           \
      put_var_range(&range, low, high);                                                                               \
    });                                                                                                               \
  }
TEGULA_FRAGMENT_RANGES(index, std::uint32_t)
TEGULA_FRAGMENT_RANGES(name, const char*)
#undef TEGULA_FRAGMENT_RANGES

}  // namespace tegula::capi
