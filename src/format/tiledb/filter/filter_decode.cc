// A chunk is metadata and data. Filters are undone from the last to the first; each takes its own metadata from the
// front and leaves the rest to the earlier ones. Compressors and encryption keep the metadata of the earlier filters
// inside their data, in front.
#include "format/tiledb/filter/filter_decode.h"

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

void copy(ByteView from, MutableBytes to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

class ChunkDecoder {
 public:
  ChunkDecoder(const FilterPlan& plan, ByteView metadata, ByteView data, MutableBytes out, std::uint64_t extra,
               FilterScratch& scratch)
      : plan_(plan),
        metadata_(metadata),
        data_(data),
        out_(out),
        // No filter lets data or metadata grow by more than this: a larger claim is damage.
        limit_(64 * (out.size() + extra) + 65536),
        scratch_(scratch) {}

  // Undoes the steps down to number `first`. When `into_out`, the last step that changes data writes into the
  // destination.
  void run(std::size_t first, bool into_out) {
    std::size_t last_writer = plan_.steps.size();
    for (std::size_t i = plan_.steps.size(); i-- > first;)
      if (!is_checksum(plan_.steps[i])) last_writer = i;
    for (std::size_t i = plan_.steps.size(); i-- > first;) {
      final_ = into_out && i == last_writer;
      undo(plan_.steps[i]);
    }
  }

  void finish() {
    if (!metadata_.empty()) fail(ErrorKind::corrupt, "{} bytes of filter metadata are left over", metadata_.size());
    if (data_.data() == out_.data() && data_.size() == out_.size()) return;
    if (data_.size() != out_.size())
      fail(ErrorKind::corrupt, "the filters give {} bytes, expected {}", data_.size(), out_.size());
    copy(data_, out_);
  }

  ByteView metadata() const { return metadata_; }
  ByteView data() const { return data_; }

 private:
  static bool is_checksum(const PlanStep& step) {
    return step.filter.type == FilterType::md5 || step.filter.type == FilterType::sha256;
  }

  void undo(const PlanStep& step) {
    switch (step.filter.type) {
      case FilterType::gzip:
      case FilterType::zstd:
      case FilterType::lz4:
      case FilterType::bzip2:
      case FilterType::rle:
      case FilterType::double_delta:
      case FilterType::delta:
        return decompress(step);
      case FilterType::dictionary:
        fail(ErrorKind::corrupt, "text in a dictionary must have an empty tile of offsets");
      case FilterType::bitshuffle:
      case FilterType::byteshuffle:
      case FilterType::xor_elements:
        return undo_parts(step);
      case FilterType::bit_width:
        return undo_bit_width(step);
      case FilterType::positive_delta:
        return undo_positive_delta(step);
      case FilterType::scale_float:
        return undo_scale(step);
      case FilterType::md5:
        return check<16>(codec::md5);
      case FilterType::sha256:
        return check<32>(codec::sha256);
      case FilterType::webp:
        return undo_webp(step);
      case FilterType::aes_gcm:
        return decrypt();
      case FilterType::none:
      case FilterType::bitsort:
        break;
    }
    fail(ErrorKind::unsupported, "filter {} cannot be undone", filter_name(step.filter.type));
  }

  Cursor metadata_cursor() const { return Cursor(metadata_, "filter metadata"); }
  Cursor data_cursor() const { return Cursor(data_, "filtered data"); }

  MutableBytes make_data(std::uint64_t size) {
    if (final_) {
      if (size != out_.size()) fail(ErrorKind::corrupt, "the filters give {} bytes, expected {}", size, out_.size());
      return out_;
    }
    if (size > limit_) fail(ErrorKind::corrupt, "a filter claims {} bytes for a chunk of {}", size, out_.size());
    data_turn_ ^= 1;
    Bytes& buffer = scratch_.data[data_turn_];
    if (buffer.size() < size) buffer.resize(size);
    return MutableBytes(buffer).first(size);
  }

  MutableBytes make_metadata(std::uint64_t size) {
    if (size > limit_)
      fail(ErrorKind::corrupt, "a filter claims {} bytes of metadata for a chunk of {}", size, out_.size());
    metadata_turn_ ^= 1;
    Bytes& buffer = scratch_.metadata[metadata_turn_];
    if (buffer.size() < size) buffer.resize(size);
    return MutableBytes(buffer).first(size);
  }

  // Compressors and encryption list the sizes of their parts before and after filtering: first the parts of metadata,
  // then those of data. `extra` bytes follow each pair of sizes. restore(list, stored, out, of_metadata) undoes one
  // part and reads these bytes from the list.
  template <class Restore>
  void undo_listed(const char* what, std::size_t extra, Restore restore) {
    Cursor list = metadata_cursor();
    const std::uint64_t metadata_parts = list.read<std::uint32_t>();
    const std::uint64_t parts = metadata_parts + list.read<std::uint32_t>();
    list.check_count(parts, 8 + extra, what);
    std::uint64_t metadata_size = 0, data_size = 0;
    Cursor sizes = list;
    for (std::uint64_t i = 0; i < parts; ++i) {
      (i < metadata_parts ? metadata_size : data_size) += sizes.read<std::uint32_t>();
      sizes.skip(4 + extra);
    }
    MutableBytes metadata = make_metadata(metadata_size);
    MutableBytes data = make_data(data_size);
    const ByteView new_metadata = metadata, new_data = data;
    Cursor from = data_cursor();
    for (std::uint64_t i = 0; i < parts; ++i) {
      MutableBytes& target = i < metadata_parts ? metadata : data;
      const std::uint32_t size = list.read<std::uint32_t>();
      const ByteView stored = from.bytes(list.read<std::uint32_t>(), what);
      restore(list, stored, target.first(size), i < metadata_parts);
      target = target.subspan(size);
    }
    list.expect_end("the list of parts");
    from.expect_end(what);
    metadata_ = new_metadata;
    data_ = new_data;
  }

  void decompress(const PlanStep& step) {
    const bool deltas = step.filter.type == FilterType::delta || step.filter.type == FilterType::double_delta;
    undo_listed("the compressed parts", 0, [&](Cursor&, ByteView stored, MutableBytes out, bool of_metadata) {
      if (deltas) out = out.first(out.size() - undo_cut(step, out, of_metadata));
      if (!out.empty()) decompress_part(step, stored, out);
    });
  }

  // libtiledb's delta filters drop the bytes after the last whole element. In metadata these are the upper bytes of a
  // length and so zero: otherwise the lengths do not add up in the filter that reads them. In data they cannot be
  // restored.
  static std::size_t undo_cut(const PlanStep& step, MutableBytes out, bool of_metadata) {
    const std::size_t cut = out.size() % step.element_size;
    if (cut != 0 && !of_metadata)
      fail(ErrorKind::corrupt, "filter {} was given {} bytes to store, not a multiple of {}: the last {} are lost",
           filter_name(step.filter.type), out.size(), step.element_size, cut);
    std::ranges::fill(out.last(cut), std::byte{0});
    return cut;
  }

  void decompress_part(const PlanStep& step, ByteView in, MutableBytes out) const {
    if (step.filter.type == FilterType::delta) return codec::delta_decode(in, out, step.type);
    if (step.filter.type == FilterType::double_delta) return codec::double_delta_decode(in, out, step.type);
    if (step.filter.type == FilterType::rle && plan_.cell_size > UINT32_MAX)
      fail(ErrorKind::unsupported, "cells of {} bytes in filter rle", plan_.cell_size);
    const codec::Params params{.level = step.filter.level, .cell_size = static_cast<std::uint32_t>(plan_.cell_size)};
    codec::find_compressor(filter_name(step.filter.type))->decode(in, out, params);
  }

  // Filters that keep the length of the data and list the lengths of its parts.
  void undo_parts(const PlanStep& step) {
    Cursor list = metadata_cursor();
    const std::uint64_t parts = list.count<std::uint32_t>(4, "filtered parts");
    Cursor from = data_cursor();
    MutableBytes to = make_data(data_.size());
    const ByteView result = to;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const ByteView part = from.bytes(list.read<std::uint32_t>(), "a filtered part");
      undo_part(step, part, to.first(part.size()));
      to = to.subspan(part.size());
    }
    from.expect_end("the filtered parts");
    metadata_ = list.rest();
    data_ = result;
  }

  static void undo_part(const PlanStep& step, ByteView part, MutableBytes to) {
    const std::size_t size = step.element_size;
    if (step.filter.type == FilterType::byteshuffle) return codec::byteunshuffle(part, to, size);
    if (part.size() % size != 0) {
      // Bit shuffle stores such a part unchanged; XOR never makes one.
      if (step.filter.type == FilterType::xor_elements)
        fail(ErrorKind::corrupt, "filter xor: a part of {} bytes, expected a multiple of {}", part.size(), size);
      return copy(part, to);
    }
    if (step.filter.type == FilterType::xor_elements) return codec::xor_decode(part, to, size);
    if (part.size() % 8 != 0) return copy(part, to);
    for (std::size_t at = 0; at < part.size(); at += kBitshuffleBlock) {
      const std::size_t n = std::min(kBitshuffleBlock, part.size() - at);
      codec::bitunshuffle_block(part.subspan(at, n), to.subspan(at, n), size);
    }
  }

  static std::uint64_t read_element(Cursor& in, std::uint32_t size) {
    switch (size) {
      case 1:
        return in.read<std::uint8_t>();
      case 2:
        return in.read<std::uint16_t>();
      case 4:
        return in.read<std::uint32_t>();
      default:
        return in.read<std::uint64_t>();
    }
  }

  void undo_bit_width(const PlanStep& step) {
    Cursor list = metadata_cursor();
    const std::uint64_t total = list.read<std::uint32_t>();
    const std::uint64_t windows = list.count<std::uint32_t>(step.element_size + 5, "windows");
    Cursor from = data_cursor();
    MutableBytes to = make_data(total);
    const ByteView result = to;
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t offset = read_element(list, step.element_size);
      const unsigned bits = list.read<std::uint8_t>();
      const std::uint32_t bytes = list.read<std::uint32_t>();
      if (bytes > to.size()) list.fail("a window of {} bytes, expected at most {}", bytes, to.size());
      const bool raw = bits >= 8 * step.element_size || bytes % step.element_size != 0;
      const std::uint64_t stored = raw ? bytes : std::uint64_t{bytes / step.element_size} * (bits / 8);
      codec::bit_width_decode(from.bytes(stored, "a window"), to.first(bytes), step.type, offset, bits);
      to = to.subspan(bytes);
    }
    if (!to.empty()) list.fail("the windows give {} bytes, expected {}", total - to.size(), total);
    from.expect_end("the windows");
    metadata_ = list.rest();
    data_ = result;
  }

  void undo_positive_delta(const PlanStep& step) {
    Cursor list = metadata_cursor();
    const std::uint64_t windows = list.count<std::uint32_t>(step.element_size + 4, "windows");
    Cursor from = data_cursor();
    MutableBytes to = make_data(data_.size());
    const ByteView result = to;
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t first = read_element(list, step.element_size);
      const ByteView window = from.bytes(list.read<std::uint32_t>(), "a window");
      if (window.size() % step.element_size != 0) {
        copy(window, to.first(window.size()));
      } else {
        codec::positive_delta_decode(window, to.first(window.size()), step.type, first);
      }
      to = to.subspan(window.size());
    }
    from.expect_end("the windows");
    metadata_ = list.rest();
    data_ = result;
  }

  void undo_scale(const PlanStep& step) {
    Cursor list = metadata_cursor();
    const std::uint64_t parts = list.count<std::uint32_t>(4, "scaled parts");
    const std::uint64_t width = step.filter.byte_width;
    if (data_.size() % width != 0) list.fail("{} bytes of scaled data, expected integers of {}", data_.size(), width);
    MutableBytes to = make_data(data_.size() / width * step.element_size);
    const ByteView result = to;
    const codec::FloatScale params{step.filter.scale, step.filter.offset, static_cast<unsigned>(width),
                                   step.element_size};
    // The data holds the last part first.
    ByteView from = data_;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint32_t size = list.read<std::uint32_t>();
      if (size > from.size() || size % width != 0)
        list.fail("a scaled part of {} bytes, found {} bytes of integers of {}", size, from.size(), width);
      const std::uint64_t floats = size / width * step.element_size;
      codec::float_scale_decode(from.last(size), to.first(floats), params);
      from = from.first(from.size() - size);
      to = to.subspan(floats);
    }
    if (!from.empty()) list.fail("the scaled parts leave {} bytes over", from.size());
    metadata_ = list.rest();
    data_ = result;
  }

  template <std::size_t N, class Digest>
  void check(Digest digest) {
    Cursor list = metadata_cursor();
    const std::uint64_t metadata_parts = list.read<std::uint32_t>();
    const std::uint64_t data_parts = list.read<std::uint32_t>();
    list.check_count(metadata_parts + data_parts, 8 + N, "checksums");
    Cursor metadata(list.rest().subspan((metadata_parts + data_parts) * (8 + N)), "filter metadata");
    const ByteView rest = metadata.rest();
    Cursor data = data_cursor();
    for (std::uint64_t i = 0; i < metadata_parts + data_parts; ++i) {
      const ByteView part = (i < metadata_parts ? metadata : data).bytes(list.read<std::uint64_t>(), "a checked part");
      const ByteView expected = list.bytes(N, "a checksum");
      const auto found = digest(part);
      if (!std::equal(found.begin(), found.end(), expected.begin()))
        fail(ErrorKind::corrupt, "the {} checksum of {} bytes does not fit: the data is damaged",
             N == 16 ? "MD5" : "SHA-256", part.size());
    }
    metadata.expect_end("the checked metadata");
    data.expect_end("the checked data");
    metadata_ = rest;
  }

  void undo_webp(const PlanStep& step) {
    Cursor list = metadata_cursor();
    const std::uint64_t parts = list.count<std::uint32_t>(4, "images");
    Cursor from = data_cursor();
    const FilterStep& filter = step.filter;
    const std::uint64_t image = std::uint64_t{filter.rows} * filter.row_bytes;
    const bool alpha = filter.pixels == codec::PixelFormat::rgba || filter.pixels == codec::PixelFormat::bgra;
    const codec::WebpParams params{.format = filter.pixels,
                                   .width = filter.row_bytes / (alpha ? 4u : 3u),
                                   .height = filter.rows,
                                   .stride = filter.row_bytes,
                                   .quality = filter.quality,
                                   .lossless = filter.lossless};
    MutableBytes to = make_data(parts * image);
    const ByteView result = to;
    for (std::uint64_t i = 0; i < parts; ++i) {
      codec::webp_decode(from.bytes(list.read<std::uint32_t>(), "an image"), to.first(image), params);
      to = to.subspan(image);
    }
    from.expect_end("the images");
    metadata_ = list.rest();
    data_ = result;
  }

  void decrypt() {
    codec::AesIv iv;
    codec::AesTag tag;
    undo_listed("the encrypted parts", iv.size() + tag.size(),
                [&](Cursor& list, ByteView cipher, MutableBytes out, bool) {
                  if (cipher.size() != out.size())
                    list.fail("{} encrypted bytes stand for {}, expected as many", cipher.size(), out.size());
                  std::ranges::copy(list.bytes(iv.size(), "an initial vector"), iv.begin());
                  std::ranges::copy(list.bytes(tag.size(), "a tag"), tag.begin());
                  codec::aes_gcm_decrypt(*plan_.key, iv, tag, cipher, out);
                });
  }

  const FilterPlan& plan_;
  ByteView metadata_, data_;
  const MutableBytes out_;
  const std::uint64_t limit_;
  FilterScratch& scratch_;
  int data_turn_ = 0, metadata_turn_ = 0;
  bool final_ = false;
};

}  // namespace

void decode_chunk(const FilterPlan& plan, ByteView metadata, ByteView data, MutableBytes out, FilterScratch& scratch) {
  ChunkDecoder decoder(plan, metadata, data, out, 0, scratch);
  decoder.run(0, true);
  decoder.finish();
}

void decode_text_chunk(const FilterPlan& plan, ByteView metadata, ByteView data, MutableBytes out,
                       std::span<std::uint64_t> offsets, FilterScratch& scratch) {
  ChunkDecoder decoder(plan, metadata, data, out, 8 * offsets.size(), scratch);
  decoder.run(1, false);
  Cursor list(decoder.metadata(), "filter metadata");
  const std::uint32_t metadata_parts = list.read<std::uint32_t>();
  const std::uint32_t data_parts = list.read<std::uint32_t>();
  if (metadata_parts != 0 || data_parts != 1)
    list.fail("text in {} + {} parts, expected 0 + 1", metadata_parts, data_parts);
  const std::uint64_t raw = list.read<std::uint32_t>();
  const std::uint64_t packed = list.read<std::uint32_t>();
  const std::uint64_t offset_bytes = list.read<std::uint32_t>();
  if (raw != out.size()) list.fail("text of {} bytes, expected {}", raw, out.size());
  if (packed != decoder.data().size()) list.fail("{} bytes of packed text, found {}", packed, decoder.data().size());
  if (offset_bytes != 8 * offsets.size())
    list.fail("{} bytes of offsets, expected {}", offset_bytes, 8 * offsets.size());
  const unsigned first_width = list.read<std::uint8_t>();
  const unsigned length_width = list.read<std::uint8_t>();
  if (plan.steps[0].filter.type == FilterType::rle) {
    list.expect_end("the metadata of packed text");
    codec::text_rle_decode(decoder.data(), first_width, length_width, out, offsets);
  } else {
    const ByteView dictionary = list.bytes(list.read<std::uint32_t>(), "the dictionary");
    list.expect_end("the metadata of packed text");
    codec::text_dictionary_decode(decoder.data(), dictionary, first_width, length_width, out, offsets);
  }
}

}  // namespace tegula::tiledb
