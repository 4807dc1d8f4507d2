#include "store/http/range_plan.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"

namespace tegula::http {

namespace {

std::uint64_t end_of(const RangeRead& read) { return read.offset + read.into.size(); }

// The reads `order`, which lie near each other in one file, as requests of at most `part` bytes.
void cut(std::span<const RangeRead> reads, std::span<const std::size_t> order, std::uint64_t part,
         std::vector<RangeGroup>& out) {
  std::uint64_t end = 0;
  for (const std::size_t i : order) end = std::max(end, end_of(reads[i]));
  std::size_t first = 0;  // reads before it end before the part
  for (std::uint64_t from = reads[order[0]].offset;;) {
    const std::uint64_t to = end - from > part ? from + part : end;
    RangeGroup request{reads[order[0]].key, from, 0, {}, {}};
    for (std::size_t at = first; at < order.size() && reads[order[at]].offset <= to; ++at) {
      const RangeRead& read = reads[order[at]];
      const std::uint64_t begins = std::max(read.offset, from), ends = std::min(end_of(read), to);
      // An empty read belongs to the first request that reaches it.
      if (read.into.empty() ? read.offset < from || (read.offset == from && from != reads[order[0]].offset)
                            : begins >= ends)
        continue;
      request.pieces.push_back({begins, read.into.subspan(begins - read.offset, ends - begins)});
      request.reads.push_back(order[at]);
      request.length = std::max(request.length, ends - from);
    }
    if (!request.reads.empty()) {
      const std::uint64_t skipped = request.pieces.front().offset - from;
      request.offset += skipped;
      request.length -= std::min(skipped, request.length);
      out.push_back(std::move(request));
    }
    if (to == end) return;
    from = to;
    while (first < order.size() && end_of(reads[order[first]]) < from) ++first;
  }
}

}  // namespace

std::vector<RangeGroup> plan_ranges(std::span<const RangeRead> reads, std::uint64_t gap, std::uint64_t part) {
  for (const RangeRead& read : reads)
    if (read.into.size() > UINT64_MAX - read.offset)
      fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, which no file has", read.key, read.into.size(),
           read.offset);
  std::vector<std::size_t> order(reads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return reads[a].key != reads[b].key ? reads[a].key < reads[b].key : reads[a].offset < reads[b].offset;
  });
  std::vector<RangeGroup> out;
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    std::uint64_t reached = end_of(reads[order[first]]);
    for (end = first + 1; end < order.size() && reads[order[end]].key == reads[order[first]].key; ++end) {
      const RangeRead& next = reads[order[end]];
      if (next.offset > reached && next.offset - reached > gap) break;
      reached = std::max(reached, end_of(next));
    }
    cut(reads, std::span(order).subspan(first, end - first), part, out);
  }
  return out;
}

}  // namespace tegula::http
