// The mirror of filter_decode.cc. Every filter makes one part of data. The metadata of each filter is a part of its own
// until a compressor or encryption takes all of them in, the newest in front.
#include "format/tiledb/filter/filter_encode.h"

#include <algorithm>
#include <cstring>

#include "base/cursor.h"
#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "codec/compress/compressors.h"
#include "codec/integer/bit_width.h"
#include "codec/integer/delta.h"
#include "codec/integer/double_delta.h"
#include "codec/integer/float_scale.h"
#include "codec/integer/positive_delta.h"
#include "codec/integer/xor.h"
#include "codec/shuffle/shuffle.h"
#include "codec/text/text.h"
#include "codec/webp.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kBitshuffleBlock = 8192;

std::uint32_t length32(std::size_t size) {
  if (size > UINT32_MAX)
    fail(ErrorKind::invalid_argument, "{} bytes are too many for one chunk; write smaller tiles", size);
  return static_cast<std::uint32_t>(size);
}

class ChunkEncoder {
 public:
  ChunkEncoder(const FilterPlan& plan, ByteView raw, FilterScratch& scratch)
      : plan_(plan), data_(raw), scratch_(scratch) {}

  void run(std::size_t first) {
    for (const PlanStep& step : std::span(plan_.steps).subspan(first)) apply(step);
  }

  // Sets the result of a first filter that was applied elsewhere.
  void start(Bytes metadata, ByteView data) {
    parts_.insert(parts_.begin(), std::move(metadata));
    data_ = data;
  }

  void finish(Bytes& metadata, Bytes& data) const {
    for (const Bytes& part : parts_) metadata.insert(metadata.end(), part.begin(), part.end());
    const std::size_t at = data.size();
    data.resize(at + data_.size());
    if (!data_.empty()) std::memcpy(data.data() + at, data_.data(), data_.size());
  }

 private:
  void apply(const PlanStep& step) {
    switch (step.filter.type) {
      case FilterType::gzip:
      case FilterType::zstd:
      case FilterType::lz4:
      case FilterType::bzip2:
      case FilterType::rle:
      case FilterType::double_delta:
      case FilterType::delta:
        return compress(step);
      case FilterType::bitshuffle:
        return bitshuffle(step);
      case FilterType::byteshuffle:
      case FilterType::xor_elements:
        return one_part(step);
      case FilterType::bit_width:
        return bit_width(step);
      case FilterType::positive_delta:
        return positive_delta(step);
      case FilterType::scale_float:
        return scale(step);
      case FilterType::md5:
        return checksum(codec::md5);
      case FilterType::sha256:
        return checksum(codec::sha256);
      case FilterType::webp:
        return webp(step);
      case FilterType::aes_gcm:
        return encrypt();
      case FilterType::dictionary:
      case FilterType::none:
      case FilterType::bitsort:
        break;
    }
    fail(ErrorKind::invalid_argument, "filter {} cannot be applied here", filter_name(step.filter.type));
  }

  // The buffer that data_ does not view, emptied.
  Bytes& next_buffer() {
    turn_ ^= 1;
    scratch_.data[turn_].clear();
    return scratch_.data[turn_];
  }

  // Joins all parts into one: store(part, out, list) appends the filtered part to `out`, and its sizes to the list.
  template <class Store>
  void store_listed(Store store) {
    Bytes& out = next_buffer();
    Bytes list;
    ByteWriter writer(list);
    writer.put(length32(parts_.size()));
    writer.put(std::uint32_t{1});
    for (const Bytes& part : parts_) store(ByteView(part), out, writer);
    store(data_, out, writer);
    parts_.clear();
    parts_.push_back(std::move(list));
    data_ = out;
  }

  void compress(const PlanStep& step) {
    store_listed([&](ByteView part, Bytes& out, ByteWriter& list) {
      const std::size_t before = out.size();
      compress_part(step, part, out);
      list.put(length32(part.size()));
      list.put(length32(out.size() - before));
    });
  }

  void compress_part(const PlanStep& step, ByteView part, Bytes& out) const {
    if (step.filter.type == FilterType::delta) return codec::delta_encode(part, out, step.type);
    if (step.filter.type == FilterType::double_delta) return codec::double_delta_encode(part, out, step.type);
    const codec::Params params{.level = step.filter.level, .cell_size = static_cast<std::uint32_t>(plan_.cell_size)};
    codec::find_compressor(filter_name(step.filter.type))->encode(part, out, params);
  }

  void put_in_front(Bytes part) { parts_.insert(parts_.begin(), std::move(part)); }

  void one_part(const PlanStep& step) {
    Bytes list;
    ByteWriter writer(list);
    writer.put(std::uint32_t{1});
    writer.put(length32(data_.size()));
    Bytes& out = next_buffer();
    out.resize(data_.size());
    if (step.filter.type == FilterType::byteshuffle) {
      codec::byteshuffle(data_, out, step.element_size);
    } else {
      codec::xor_encode(data_, out, step.element_size);
    }
    put_in_front(std::move(list));
    data_ = out;
  }

  // When the length is not a multiple of 8, the rest becomes a second part, which is copied.
  void bitshuffle(const PlanStep& step) {
    const std::size_t even = data_.size() / 8 * 8;
    Bytes list;
    ByteWriter writer(list);
    writer.put(std::uint32_t{even == data_.size() ? 1u : 2u});
    writer.put(length32(even));
    if (even != data_.size()) writer.put(length32(data_.size() - even));
    Bytes& out = next_buffer();
    out.insert(out.end(), data_.begin(), data_.end());
    if (even % step.element_size == 0) {
      for (std::size_t at = 0; at < even; at += kBitshuffleBlock) {
        const std::size_t n = std::min(kBitshuffleBlock, even - at);
        codec::bitshuffle_block(data_.subspan(at, n), MutableBytes(out).subspan(at, n), step.element_size);
      }
    }
    put_in_front(std::move(list));
    data_ = out;
  }

  static void put_element(ByteWriter& writer, std::uint64_t value, std::uint32_t size) {
    switch (size) {
      case 1:
        return writer.put(static_cast<std::uint8_t>(value));
      case 2:
        return writer.put(static_cast<std::uint16_t>(value));
      case 4:
        return writer.put(static_cast<std::uint32_t>(value));
      default:
        return writer.put(value);
    }
  }

  // Windows of whole elements; the last takes what is left.
  std::vector<ByteView> windows(const PlanStep& step) const {
    const std::size_t element = step.element_size;
    const std::size_t size =
        std::max(element, std::min<std::size_t>(data_.size(), step.filter.window) / element * element);
    std::vector<ByteView> windows;
    for (std::size_t at = 0; at < data_.size(); at += size)
      windows.push_back(data_.subspan(at, std::min(size, data_.size() - at)));
    return windows;
  }

  void bit_width(const PlanStep& step) {
    const std::vector<ByteView> all = windows(step);
    Bytes list;
    ByteWriter writer(list);
    writer.put(length32(data_.size()));
    writer.put(length32(all.size()));
    Bytes& out = next_buffer();
    for (const ByteView window : all) {
      const codec::BitWidth width = codec::bit_width_choose(window, step.type);
      put_element(writer, width.offset, step.element_size);
      writer.put(static_cast<std::uint8_t>(width.bits));
      writer.put(length32(window.size()));
      codec::bit_width_encode(window, out, step.type, width);
    }
    put_in_front(std::move(list));
    data_ = out;
  }

  void positive_delta(const PlanStep& step) {
    const std::vector<ByteView> all = windows(step);
    Bytes list;
    ByteWriter writer(list);
    writer.put(length32(all.size()));
    Bytes& out = next_buffer();
    out.resize(data_.size());
    MutableBytes to = out;
    for (const ByteView window : all) {
      const bool raw = window.size() % step.element_size != 0;
      std::uint64_t first = 0;
      if (!raw) {
        Cursor in(window, "a window");
        first = step.element_size == 1   ? in.read<std::uint8_t>()
                : step.element_size == 2 ? in.read<std::uint16_t>()
                : step.element_size == 4 ? in.read<std::uint32_t>()
                                         : in.read<std::uint64_t>();
        codec::positive_delta_encode(window, to.first(window.size()), step.type);
      } else {
        std::memcpy(to.data(), window.data(), window.size());
      }
      put_element(writer, first, step.element_size);
      writer.put(length32(window.size()));
      to = to.subspan(window.size());
    }
    put_in_front(std::move(list));
    data_ = out;
  }

  void scale(const PlanStep& step) {
    const std::size_t width = step.filter.byte_width;
    if (data_.size() % step.element_size != 0)
      fail(ErrorKind::invalid_argument, "filter scale_float: {} bytes are not a whole number of floats", data_.size());
    Bytes& out = next_buffer();
    out.resize(data_.size() / step.element_size * width);
    codec::float_scale_encode(data_, out,
                              {step.filter.scale, step.filter.offset, static_cast<unsigned>(width), step.element_size});
    Bytes list;
    ByteWriter writer(list);
    writer.put(std::uint32_t{1});
    writer.put(length32(out.size()));
    put_in_front(std::move(list));
    data_ = out;
  }

  template <class Digest>
  void checksum(Digest digest) {
    Bytes list;
    ByteWriter writer(list);
    writer.put(length32(parts_.size()));
    writer.put(std::uint32_t{1});
    const auto add = [&](ByteView part) {
      writer.put(std::uint64_t{part.size()});
      writer.bytes(digest(part));
    };
    for (const Bytes& part : parts_) add(part);
    add(data_);
    put_in_front(std::move(list));
  }

  void webp(const PlanStep& step) {
    const FilterStep& filter = step.filter;
    const bool alpha = filter.pixels == codec::PixelFormat::rgba || filter.pixels == codec::PixelFormat::bgra;
    if (data_.size() != std::size_t{filter.rows} * filter.row_bytes)
      fail(ErrorKind::invalid_argument, "filter webp: {} bytes, expected {} rows of {}", data_.size(), filter.rows,
           filter.row_bytes);
    Bytes& out = next_buffer();
    codec::webp_encode(data_, out,
                       {.format = filter.pixels,
                        .width = filter.row_bytes / (alpha ? 4u : 3u),
                        .height = filter.rows,
                        .stride = filter.row_bytes,
                        .quality = filter.quality,
                        .lossless = filter.lossless});
    Bytes list;
    ByteWriter writer(list);
    writer.put(std::uint32_t{1});
    writer.put(length32(out.size()));
    put_in_front(std::move(list));
    data_ = out;
  }

  void encrypt() {
    store_listed([&](ByteView part, Bytes& out, ByteWriter& list) {
      const std::size_t before = out.size();
      out.resize(before + part.size());
      codec::AesIv iv;
      codec::AesTag tag;
      codec::aes_gcm_encrypt(*plan_.key, part, MutableBytes(out).subspan(before), iv, tag);
      list.put(length32(part.size()));
      list.put(length32(part.size()));
      list.bytes(iv);
      list.bytes(tag);
    });
  }

  const FilterPlan& plan_;
  ByteView data_;
  std::vector<Bytes> parts_;  // of metadata
  FilterScratch& scratch_;
  int turn_ = 0;
};

}  // namespace

void encode_chunk(const FilterPlan& plan, ByteView raw, Bytes& metadata, Bytes& data, FilterScratch& scratch) {
  ChunkEncoder encoder(plan, raw, scratch);
  encoder.run(0);
  encoder.finish(metadata, data);
}

void encode_text_chunk(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> offsets, Bytes& metadata,
                       Bytes& data, FilterScratch& scratch) {
  Bytes packed, list;
  ByteWriter writer(list);
  writer.put(std::uint32_t{0});
  writer.put(std::uint32_t{1});
  const auto put_sizes = [&](unsigned first_width, unsigned length_width) {
    writer.put(length32(raw.size()));
    writer.put(length32(packed.size()));
    writer.put(length32(8 * offsets.size()));
    writer.put(static_cast<std::uint8_t>(first_width));
    writer.put(static_cast<std::uint8_t>(length_width));
  };
  if (plan.steps.at(0).filter.type == FilterType::rle) {
    const codec::TextRle widths = codec::text_rle_encode(raw, offsets, packed);
    put_sizes(widths.run_bytes, widths.length_bytes);
  } else {
    const codec::TextDictionary text = codec::text_dictionary_encode(raw, offsets, packed);
    put_sizes(text.id_bytes, text.length_bytes);
    writer.put(length32(text.dictionary.size()));
    writer.bytes(text.dictionary);
  }
  ChunkEncoder encoder(plan, raw, scratch);
  encoder.start(std::move(list), packed);
  encoder.run(1);
  encoder.finish(metadata, data);
}

}  // namespace tegula::tiledb
