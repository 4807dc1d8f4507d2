#include "capi/schema/filters.h"

#include <cmath>
#include <cstring>

#include "capi/core/context.h"
#include "capi/core/enums.h"

namespace tegula::capi {

namespace {

using tiledb::FilterStep;
using tiledb::FilterType;

// libtiledb's "whatever the compressor does by default".
constexpr std::int32_t kDefaultLevel = -30000;

FilterStep new_filter(std::int32_t type) {
  FilterStep step;
  step.type = static_cast<FilterType>(type);
  // 11 and 17 are filters that no caller may ask for.
  if (type < 0 || type > 255 || type == 11 || type == 17 || tiledb::filter_name(step.type).empty())
    refuse("FilterCreate: Cannot create filter; there is no filter type {}", type);
  step.level = kDefaultLevel;
  if (step.type == FilterType::bit_width) step.window = 256;
  if (step.type == FilterType::positive_delta) step.window = 1024;
  return step;
}

enum class Option : std::int32_t {
  level,
  bit_width_window,
  positive_delta_window,
  scale_width,
  scale_factor,
  scale_offset,
  webp_quality,
  webp_format,
  webp_lossless,
  reinterpret,
};

bool compresses(FilterType type) {
  return (type >= FilterType::gzip && type <= FilterType::double_delta) || type == FilterType::dictionary ||
         type == FilterType::delta;
}

bool has_option(FilterType type, Option option) {
  switch (option) {
    case Option::level:
      return compresses(type);
    case Option::bit_width_window:
      return type == FilterType::bit_width;
    case Option::positive_delta_window:
      return type == FilterType::positive_delta;
    case Option::scale_width:
    case Option::scale_factor:
    case Option::scale_offset:
      return type == FilterType::scale_float;
    case Option::webp_quality:
    case Option::webp_format:
    case Option::webp_lossless:
      return type == FilterType::webp;
    case Option::reinterpret:
      return type == FilterType::delta || type == FilterType::double_delta;
  }
  return false;
}

void check_option(const FilterStep& step, std::int32_t option) {
  if (option < 0 || option > 9 || !has_option(step.type, static_cast<Option>(option)))
    refuse("Filter: the filter {} has no option {}", tiledb::filter_name(step.type), option);
}

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void set_option(FilterStep& step, Option option, const void* value) {
  switch (option) {
    case Option::level:
      step.level = load<std::int32_t>(value);
      break;
    case Option::bit_width_window:
    case Option::positive_delta_window:
      step.window = load<std::uint32_t>(value);
      break;
    case Option::scale_width: {
      const auto width = load<std::uint64_t>(value);
      if (width != 1 && width != 2 && width != 4 && width != 8)
        refuse("FloatScalingFilter: Byte width {} is not one of 1, 2, 4 and 8", width);
      step.byte_width = width;
      break;
    }
    case Option::scale_factor:
    case Option::scale_offset: {
      const auto number = load<double>(value);
      if (!std::isfinite(number)) refuse("FloatScalingFilter: {} is not a finite number", number);
      (option == Option::scale_factor ? step.scale : step.offset) = number;
      break;
    }
    case Option::webp_quality: {
      const auto quality = load<float>(value);
      if (!(quality >= 0 && quality <= 100)) refuse("WebpFilter: quality {} is not between 0 and 100", quality);
      step.quality = quality;
      break;
    }
    case Option::webp_format: {
      const auto format = load<std::uint8_t>(value);
      if (format > 4) refuse("WebpFilter: there is no input format {}", format);
      step.pixels = static_cast<codec::PixelFormat>(format);
      break;
    }
    case Option::webp_lossless:
      step.lossless = load<std::uint8_t>(value) != 0;
      break;
    case Option::reinterpret:
      datatype_of(load<std::uint8_t>(value));
      step.reinterpret = load<std::uint8_t>(value);
      break;
  }
}

void get_option(const FilterStep& step, Option option, void* value) {
  switch (option) {
    case Option::level:
      return store(value, step.level);
    case Option::bit_width_window:
    case Option::positive_delta_window:
      return store(value, step.window);
    case Option::scale_width:
      return store(value, step.byte_width);
    case Option::scale_factor:
      return store(value, step.scale);
    case Option::scale_offset:
      return store(value, step.offset);
    case Option::webp_quality:
      return store(value, step.quality);
    case Option::webp_format:
      return store(value, static_cast<std::uint8_t>(step.pixels));
    case Option::webp_lossless:
      return store(value, static_cast<std::uint8_t>(step.lossless ? 1 : 0));
    case Option::reinterpret:
      return store(value, step.reinterpret);
  }
}

}  // namespace

std::string describe(const tiledb::Pipeline& filters) {
  std::string text;
  for (const FilterStep& step : filters.steps) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", tiledb::filter_name(step.type));
    if (compresses(step.type) && step.level != kDefaultLevel) text += fmt::format(" (level {})", step.level);
  }
  return text.empty() ? "none" : text;
}

TEGULA_CAPI std::int32_t tiledb_filter_alloc(ContextHandle* context, std::int32_t type, FilterHandle** filter) {
  return enter(context, [&](const auto&) { give(filter, FilterHandle{new_filter(type)}); });
}

TEGULA_CAPI void tiledb_filter_free(FilterHandle** filter) { free_handle(filter); }

TEGULA_CAPI std::int32_t tiledb_filter_get_type(ContextHandle* context, FilterHandle* filter, std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = static_cast<std::int32_t>(checked(filter).step.type); });
}

TEGULA_CAPI std::int32_t tiledb_filter_set_option(ContextHandle* context, FilterHandle* filter, std::int32_t option,
                                                  const void* value) {
  return enter(context, [&](const auto&) {
    FilterStep& step = checked(filter).step;
    check_option(step, option);
    if (!value) refuse("C API: Invalid option value: it is null");
    set_option(step, static_cast<Option>(option), value);
  });
}

TEGULA_CAPI std::int32_t tiledb_filter_get_option(ContextHandle* context, FilterHandle* filter, std::int32_t option,
                                                  void* value) {
  return enter(context, [&](const auto&) {
    const FilterStep& step = checked(filter).step;
    check_option(step, option);
    if (!value) refuse("C API: Invalid option value: it is null");
    get_option(step, static_cast<Option>(option), value);
  });
}

TEGULA_CAPI std::int32_t tiledb_filter_list_alloc(ContextHandle* context, FilterListHandle** list) {
  return enter(context, [&](const auto&) { give(list, FilterListHandle{}); });
}

TEGULA_CAPI void tiledb_filter_list_free(FilterListHandle** list) { free_handle(list); }

TEGULA_CAPI std::int32_t tiledb_filter_list_add_filter(ContextHandle* context, FilterListHandle* list,
                                                       FilterHandle* filter) {
  return enter(context, [&](const auto&) { checked(list).filters.steps.push_back(checked(filter).step); });
}

TEGULA_CAPI std::int32_t tiledb_filter_list_get_nfilters(ContextHandle* context, const FilterListHandle* list,
                                                         std::uint32_t* count) {
  return enter(context,
               [&](const auto&) { out(count) = static_cast<std::uint32_t>(checked(list).filters.steps.size()); });
}

TEGULA_CAPI std::int32_t tiledb_filter_list_get_filter_from_index(ContextHandle* context, const FilterListHandle* list,
                                                                  std::uint32_t index, FilterHandle** filter) {
  return enter(context, [&](const auto&) {
    const auto& steps = checked(list).filters.steps;
    out(filter) = nullptr;
    if (index >= steps.size() && !(index == 0 && steps.empty()))
      refuse("C API: Filter {} out of bounds, filter list has {} filters.", index, steps.size());
    if (index < steps.size()) give(filter, FilterHandle{steps[index]});
  });
}

TEGULA_CAPI std::int32_t tiledb_filter_list_set_max_chunk_size(ContextHandle* context, FilterListHandle* list,
                                                               std::uint32_t size) {
  return enter(context, [&](const auto&) { checked(list).filters.max_chunk_size = size; });
}

TEGULA_CAPI std::int32_t tiledb_filter_list_get_max_chunk_size(ContextHandle* context, const FilterListHandle* list,
                                                               std::uint32_t* size) {
  return enter(context, [&](const auto&) { out(size) = checked(list).filters.max_chunk_size; });
}

}  // namespace tegula::capi
