// u32 max chunk size, u32 count, then per filter: u8 type, u32 length of options, options.
// The options of compressors start with a code of their own, which differs from the filter's for dictionary and delta.
#include "format/tiledb/disk/filter_pipeline.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"

namespace tegula::tiledb {

namespace {

enum class Options : std::uint8_t { none, compressor, delta, window, scale, webp };

struct FilterRow {
  FilterType type;
  std::string_view name;
  Options options;
  std::uint8_t compressor = 0;  // its code in the options
};

// The index is the code.
constexpr FilterRow kFilters[] = {
    {FilterType::none, "none", Options::none},
    {FilterType::gzip, "gzip", Options::compressor, 1},
    {FilterType::zstd, "zstd", Options::compressor, 2},
    {FilterType::lz4, "lz4", Options::compressor, 3},
    {FilterType::rle, "rle", Options::compressor, 4},
    {FilterType::bzip2, "bzip2", Options::compressor, 5},
    {FilterType::double_delta, "double_delta", Options::delta, 6},
    {FilterType::bit_width, "bit_width_reduction", Options::window},
    {FilterType::bitshuffle, "bitshuffle", Options::none},
    {FilterType::byteshuffle, "byteshuffle", Options::none},
    {FilterType::positive_delta, "positive_delta", Options::window},
    {FilterType::aes_gcm, "aes_256_gcm", Options::none},
    {FilterType::md5, "checksum_md5", Options::none},
    {FilterType::sha256, "checksum_sha256", Options::none},
    {FilterType::dictionary, "dictionary", Options::compressor, 7},
    {FilterType::scale_float, "scale_float", Options::scale},
    {FilterType::xor_elements, "xor", Options::none},
    {FilterType::bitsort, "bitsort", Options::none},
    {FilterType::webp, "webp", Options::webp},
    {FilterType::delta, "delta", Options::delta, 8},
};

constexpr std::array<std::string_view, 5> kPixelNames{"none", "rgb", "bgr", "rgba", "bgra"};

const FilterRow& row(FilterType type) { return kFilters[static_cast<std::size_t>(type)]; }

FilterStep decode_step(Cursor& in) {
  const std::uint8_t code = in.read<std::uint8_t>();
  if (code >= std::size(kFilters))
    fail(ErrorKind::unsupported,
         "{} at byte {}: filter {} is not one that this build knows; a newer tegula may read it", in.name(),
         in.offset() - 1, code);
  const FilterRow& known = kFilters[code];
  FilterStep step;
  step.type = known.type;
  Cursor options = in.sub(in.read<std::uint32_t>(), "filter options");
  switch (known.options) {
    case Options::none:
      options.skip(options.remaining());
      break;
    case Options::compressor:
    case Options::delta: {
      const std::uint8_t compressor = options.read<std::uint8_t>();
      if (compressor == 0) {
        step.type = FilterType::none;
      } else if (compressor != known.compressor) {
        options.fail("filter {} holds compressor {}, expected {}", known.name, compressor, known.compressor);
      }
      step.level = options.read<std::int32_t>();
      if (!options.done()) step.reinterpret = options.read<std::uint8_t>();
      break;
    }
    case Options::window:
      step.window = options.read<std::uint32_t>();
      break;
    case Options::scale:
      step.scale = options.read<double>();
      step.offset = options.read<double>();
      step.byte_width = options.read<std::uint64_t>();
      break;
    case Options::webp: {
      step.quality = options.read<float>();
      const std::uint8_t pixels = options.read<std::uint8_t>();
      if (pixels >= kPixelNames.size())
        options.fail("pixel format {}, expected 0 to {}", pixels, kPixelNames.size() - 1);
      step.pixels = static_cast<codec::PixelFormat>(pixels);
      step.lossless = options.read<std::uint8_t>() != 0;
      step.rows = options.read<std::uint16_t>();
      step.row_bytes = options.read<std::uint16_t>();
      options.skip(options.remaining());  // a C structure's padding
      break;
    }
  }
  options.expect_end("the filter's options");
  return step;
}

using OptionList = std::vector<std::pair<std::string, Value>>;

std::int64_t as_integer(const Filter& filter, const std::string& name, const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<std::uint64_t>(&value); u && *u <= INT64_MAX) return static_cast<std::int64_t>(*u);
  fail(ErrorKind::invalid_argument, "filter {}: option {} must be an integer", filter.name, name);
}

double as_number(const Filter& filter, const std::string& name, const Value& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return static_cast<double>(as_integer(filter, name, value));
}

template <class T>
T in_range(const Filter& filter, const std::string& name, const Value& value, std::int64_t low, std::int64_t high) {
  const std::int64_t number = as_integer(filter, name, value);
  if (number < low || number > high)
    fail(ErrorKind::invalid_argument, "filter {}: option {} is {}, must be {} to {}", filter.name, name, number, low,
         high);
  return static_cast<T>(number);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Accepts names in lower case ("int32", "datetime_ns"), as to_model gives them.
std::uint8_t type_code_named(const Filter& filter, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text) {
    for (std::uint8_t code = 0; !tiledb_name(code).empty(); ++code)
      if (lower(tiledb_name(code)) == lower(*text)) return code;
  }
  fail(ErrorKind::invalid_argument, "filter {}: option reinterpret must name a TileDB datatype such as int32",
       filter.name);
}

void set_option(FilterStep& step, const FilterRow& known, const Filter& filter, const std::string& name,
                const Value& value) {
  const Options options = known.options;
  if (name == "level" && (options == Options::compressor || options == Options::delta)) {
    step.level = in_range<std::int32_t>(filter, name, value, INT32_MIN, INT32_MAX);
  } else if (name == "reinterpret" && options == Options::delta) {
    step.reinterpret = type_code_named(filter, value);
  } else if (name == "window" && options == Options::window) {
    step.window = in_range<std::uint32_t>(filter, name, value, 1, UINT32_MAX);
  } else if (name == "byte_width" && options == Options::scale) {
    step.byte_width = in_range<std::uint64_t>(filter, name, value, 1, 8);
    if ((step.byte_width & (step.byte_width - 1)) != 0)
      fail(ErrorKind::invalid_argument, "filter {}: byte_width is {}, must be 1, 2, 4 or 8", filter.name,
           step.byte_width);
  } else if (name == "factor" && options == Options::scale) {
    step.scale = as_number(filter, name, value);
  } else if (name == "offset" && options == Options::scale) {
    step.offset = as_number(filter, name, value);
  } else if (name == "quality" && options == Options::webp) {
    step.quality = static_cast<float>(as_number(filter, name, value));
  } else if (name == "lossless" && options == Options::webp) {
    step.lossless = in_range<std::int64_t>(filter, name, value, 0, 1) != 0;
  } else if (name == "format" && options == Options::webp) {
    const auto* text = std::get_if<std::string>(&value);
    const auto found = std::find(kPixelNames.begin(), kPixelNames.end(), text ? lower(*text) : "");
    if (found == kPixelNames.end())
      fail(ErrorKind::invalid_argument, "filter webp: format must be rgb, bgr, rgba or bgra");
    step.pixels = static_cast<codec::PixelFormat>(found - kPixelNames.begin());
  } else {
    fail(ErrorKind::invalid_argument, "filter {} has no option '{}'", filter.name, name);
  }
}

}  // namespace

bool Pipeline::has(FilterType type) const {
  return std::any_of(steps.begin(), steps.end(), [&](const FilterStep& step) { return step.type == type; });
}

Pipeline decode_pipeline(Cursor& in) {
  Pipeline pipeline;
  pipeline.max_chunk_size = in.read<std::uint32_t>();
  const std::uint64_t count = in.count<std::uint32_t>(5, "filters");
  for (std::uint64_t i = 0; i < count; ++i) pipeline.steps.push_back(decode_step(in));
  return pipeline;
}

void encode_pipeline(const Pipeline& pipeline, std::uint32_t version, Bytes& out) {
  ByteWriter writer(out);
  writer.put(pipeline.max_chunk_size);
  writer.put(static_cast<std::uint32_t>(pipeline.steps.size()));
  for (const FilterStep& step : pipeline.steps) {
    const FilterRow& known = row(step.type);
    writer.put(static_cast<std::uint8_t>(step.type));
    const std::size_t length_at = writer.size();
    writer.put(std::uint32_t{0});
    switch (known.options) {
      case Options::none:
        break;
      case Options::compressor:
      case Options::delta: {
        writer.put(known.compressor);
        writer.put(step.level);
        const bool reinterprets = step.type == FilterType::delta          ? delta_reinterprets(version)
                                  : step.type == FilterType::double_delta ? double_delta_reinterprets(version)
                                                                          : false;
        if (reinterprets) writer.put(step.reinterpret);
        break;
      }
      case Options::window:
        writer.put(step.window);
        break;
      case Options::scale:
        writer.put(step.scale);
        writer.put(step.offset);
        writer.put(step.byte_width);
        break;
      case Options::webp:
        writer.put(step.quality);
        writer.put(static_cast<std::uint8_t>(step.pixels));
        writer.put(static_cast<std::uint8_t>(step.lossless));
        writer.put(step.rows);
        writer.put(step.row_bytes);
        writer.zeros(2);
        break;
    }
    writer.patch(length_at, static_cast<std::uint32_t>(writer.size() - length_at - 4));
  }
}

std::string_view filter_name(FilterType type) { return row(type).name; }

std::vector<Filter> to_model(const Pipeline& pipeline) {
  std::vector<Filter> filters;
  for (const FilterStep& step : pipeline.steps) {
    const FilterRow& known = row(step.type);
    OptionList options;
    switch (known.options) {
      case Options::none:
        break;
      case Options::delta:
      case Options::compressor:
        options.emplace_back("level", std::int64_t{step.level});
        if (known.options == Options::delta) options.emplace_back("reinterpret", lower(tiledb_name(step.reinterpret)));
        break;
      case Options::window:
        options.emplace_back("window", std::int64_t{step.window});
        break;
      case Options::scale:
        options.emplace_back("byte_width", static_cast<std::int64_t>(step.byte_width));
        options.emplace_back("factor", step.scale);
        options.emplace_back("offset", step.offset);
        break;
      case Options::webp:
        options.emplace_back("quality", static_cast<double>(step.quality));
        options.emplace_back("format", std::string(kPixelNames[static_cast<std::size_t>(step.pixels)]));
        options.emplace_back("lossless", std::int64_t{step.lossless});
        break;
    }
    filters.push_back({std::string(known.name), std::move(options)});
  }
  return filters;
}

Pipeline from_model(std::span<const Filter> filters, std::uint32_t max_chunk_size) {
  Pipeline pipeline;
  pipeline.max_chunk_size = max_chunk_size;
  for (const Filter& filter : filters) {
    const auto* known = std::find_if(std::begin(kFilters), std::end(kFilters),
                                     [&](const FilterRow& candidate) { return candidate.name == filter.name; });
    if (known == std::end(kFilters) || known->type == FilterType::aes_gcm || known->type == FilterType::bitsort)
      fail(ErrorKind::invalid_argument, "TileDB has no filter '{}'", filter.name);
    FilterStep step;
    step.type = known->type;
    if (step.type == FilterType::bit_width) step.window = 256;
    if (step.type == FilterType::positive_delta) step.window = 1024;
    for (const auto& [name, value] : filter.options) set_option(step, *known, filter, name, value);
    pipeline.steps.push_back(step);
  }
  return pipeline;
}

}  // namespace tegula::tiledb
