#include "store/http/range_body.h"

#include <fmt/format.h>

#include <algorithm>

namespace tegula::http {

namespace {

std::string header_text(const Headers& headers, std::string_view name) {
  const std::string* value = find(headers, name);
  return value ? *value : "";
}

// Ranges count bytes of what is sent, so that those of a compressed transfer mean nothing.
bool is_encoded(const Headers& headers) {
  const std::string* encoding = find(headers, "content-encoding");
  return encoding && !encoding->empty() && *encoding != "identity" && *encoding != "aws-chunked";
}

constexpr std::uint64_t kFirstReserve = 64ull << 20;

}  // namespace

RangeBody::RangeBody(std::uint64_t offset, std::uint64_t length, std::vector<Piece> pieces)
    : offset_(offset), length_(length), pieces_(std::move(pieces)) {}

void RangeBody::begin(int status, const Headers& headers) {
  begun_ = true;
  too_short_ = false;
  problem_.clear();
  size_.reset();
  first_open_ = 0;
  etag_ = header_text(headers, "etag");
  const std::string* text = find(headers, "content-range");
  if (!text) {
    done_ = 0;
    if (status == 206) {
      problem_ = "the answer does not say which range it has";
      return;
    }
    size_ = content_length(headers);
    too_short_ = size_ && *size_ < end();
    return;
  }
  const std::optional<ContentRange> range = parse_content_range(*text);
  if (!range || !range->first || *range->first != offset_ || *range->last >= end()) {
    problem_ = fmt::format("asked for {}, the answer has '{}'", range_of(offset_, length_), *text);
    return;
  }
  if (is_encoded(headers)) {
    problem_ =
        fmt::format("a range of a file that is sent as {} cannot be used", header_text(headers, "content-encoding"));
    return;
  }
  done_ = offset_;
  size_ = range->size;
  if (*range->last + 1 == end()) return;
  // Less than was asked for is right only where the file ends.
  if (size_ && *size_ == *range->last + 1)
    too_short_ = true;
  else
    problem_ = fmt::format("asked for {}, the answer has '{}'", range_of(offset_, length_), *text);
}

void RangeBody::take(ByteView bytes) {
  if (!problem_.empty() || !begun_) return;
  const std::uint64_t from = done_, to = done_ + bytes.size();
  done_ = to;
  while (first_open_ < pieces_.size() && pieces_[first_open_].offset + pieces_[first_open_].into.size() <= from)
    ++first_open_;
  for (std::size_t i = first_open_; i < pieces_.size() && pieces_[i].offset < to; ++i) {
    const Piece& piece = pieces_[i];
    const std::uint64_t first = std::max(from, piece.offset);
    const std::uint64_t last = std::min<std::uint64_t>(to, piece.offset + piece.into.size());
    if (first < last)
      std::copy_n(bytes.data() + (first - from), last - first, piece.into.data() + (first - piece.offset));
  }
}

std::string RangeBody::problem() const {
  if (!problem_.empty()) return problem_;
  if (!begun_) return "there was no body";
  if (!too_short_ && done_ < end())
    return fmt::format("the body ends at byte {} of the file, before byte {}", done_, end());
  return "";
}

void TailBody::begin(int status, const Headers& headers) {
  begun_ = true;
  problem_.clear();
  bytes_.clear();
  etag_ = header_text(headers, "etag");
  whole_ = false;
  const std::string* text = find(headers, "content-range");
  if (!text) {
    whole_ = true;
    size_ = expected_ = 0;
    if (status == 206) problem_ = "the answer does not say which range it has";
    if (const auto length = content_length(headers)) size_ = *length;
    return;
  }
  const std::optional<ContentRange> range = parse_content_range(*text);
  const bool good = range && range->first && range->size && *range->last + 1 == *range->size &&
                    *range->last - *range->first + 1 == std::min(most_, *range->size) && !is_encoded(headers);
  if (!good) {
    problem_ = fmt::format("asked for {}, the answer has '{}'", suffix_of(most_), *text);
    return;
  }
  size_ = *range->size;
  expected_ = *range->last - *range->first + 1;
  bytes_.reserve(std::min(expected_, kFirstReserve));
}

void TailBody::take(ByteView bytes) {
  if (!problem_.empty()) return;
  if (!whole_) {
    if (bytes.size() > expected_ - bytes_.size())
      problem_ = fmt::format("the body is longer than the {} bytes that it says it has", expected_);
    else
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return;
  }
  // A server that knows no suffixes sends all of it: keep the end, and forget what lies before it now and then.
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  expected_ += bytes.size();
  if (bytes_.size() > most_ && bytes_.size() - most_ > most_ + (1 << 20))
    bytes_.erase(bytes_.begin(), bytes_.end() - static_cast<std::ptrdiff_t>(most_));
}

Rest TailBody::rest() const {
  if (!problem_.empty()) return Rest::unwanted;
  return bytes_.size() > limit_ ? Rest::too_large : Rest::wanted;
}

Bytes TailBody::bytes() {
  if (bytes_.size() > most_) bytes_.erase(bytes_.begin(), bytes_.end() - static_cast<std::ptrdiff_t>(most_));
  return std::move(bytes_);
}

std::string TailBody::problem() const {
  if (!problem_.empty()) return problem_;
  if (!begun_) return "there was no body";
  if (whole_ ? size_ != 0 && expected_ != size_ : bytes_.size() != expected_)
    return fmt::format("the body has {} bytes, expected {}", whole_ ? expected_ : bytes_.size(),
                       whole_ ? size_ : expected_);
  return "";
}

}  // namespace tegula::http
