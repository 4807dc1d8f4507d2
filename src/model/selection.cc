#include "tegula/selection.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/fail.h"
#include "base/product.h"

namespace tegula {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Selection parse() {
    const bool bracketed = accept('[');
    Selection selection;
    if (accept('(')) {  // [()] is everything, also of a 0-d array
      expect(')');
    } else {
      while (!at_end(bracketed)) {
        axis(selection);
        if (!accept(',') && !at_end(bracketed)) stop("expected ',' between axes");
      }
    }
    if (bracketed) expect(']');
    skip();
    if (at_ != text_.size()) stop("expected the end");
    return selection;
  }

 private:
  bool at_end(bool bracketed) {
    skip();
    return at_ >= text_.size() || (bracketed && text_[at_] == ']');
  }

  void axis(Selection& selection) {
    skip();
    if (text_.substr(at_).starts_with("...")) {
      at_ += 3;
      selection.axes.emplace_back(Ellipsis{});
    } else if (accept('[')) {
      list(selection);
    } else {
      slice_or_index(selection);
    }
  }

  void slice_or_index(Selection& selection) {
    Slice slice;
    slice.start = integer();
    if (!accept(':')) {
      if (!slice.start) stop("expected an index, a slice, a list or '...'");
      selection.axes.emplace_back(*slice.start);
      return;
    }
    slice.stop = integer();
    if (accept(':'))
      if (const auto step = integer()) slice.step = *step;
    if (slice.step == 0) stop("a slice cannot have step 0");
    selection.axes.emplace_back(slice);
  }

  void list(Selection& selection) {
    IndexList indices;
    Mask mask;
    bool words = false, numbers = false;
    while (!accept(']')) {
      skip();
      if (word("True")) {
        mask.push_back(true);
        words = true;
      } else if (word("False")) {
        mask.push_back(false);
        words = true;
      } else if (const auto index = integer()) {
        indices.push_back(*index);
        numbers = true;
      } else {
        stop("expected an index or True / False");
      }
      if (!accept(',') && (skip(), at_ >= text_.size() || text_[at_] != ']')) stop("expected ',' or ']'");
    }
    if (words && numbers) stop("a list holds either indices or True / False");
    if (words)
      selection.axes.emplace_back(std::move(mask));
    else
      selection.axes.emplace_back(std::move(indices));
  }

  std::optional<std::int64_t> integer() {
    skip();
    std::string_view rest = text_.substr(at_);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc::result_out_of_range) stop("the number is too large");
    if (error != std::errc{}) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  bool word(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) stop(fmt::format("expected '{}'", c));
  }
  [[noreturn]] void stop(std::string_view why) const {
    fail(ErrorKind::invalid_argument, "selection '{}' at character {}: {}", text_, at_ + 1, why);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// A negative index of an axis of n cells; no value when it is before the first cell.
std::optional<std::uint64_t> from_end(std::int64_t index, std::uint64_t n) {
  const std::uint64_t back = 0 - static_cast<std::uint64_t>(index);
  return back > n ? std::nullopt : std::optional(n - back);
}

// numpy's slice.indices(). Bounds are positions between cells, 0 to n, even for negative steps, so they need no sign
// and axes may have up to 2^64 - 1 cells.
AxisPick resolve_slice(const Slice& slice, std::uint64_t n) {
  if (slice.step == 0) fail(ErrorKind::invalid_argument, "a slice cannot have step 0");
  const bool back = slice.step < 0;
  const std::uint64_t side = back ? 1 : 0;
  const auto clip = [&](std::optional<std::int64_t> bound, std::uint64_t absent) {
    if (!bound) return absent;
    if (*bound >= 0) return std::min(static_cast<std::uint64_t>(*bound) + side, n);
    const std::optional<std::uint64_t> index = from_end(*bound, n);
    return index ? *index + side : 0;
  };
  const std::uint64_t start = clip(slice.start, back ? n : 0);
  const std::uint64_t stop = clip(slice.stop, back ? 0 : n);
  const std::uint64_t distance = back ? start - std::min(start, stop) : stop - std::min(start, stop);
  const std::uint64_t step = back ? 0 - static_cast<std::uint64_t>(slice.step) : static_cast<std::uint64_t>(slice.step);
  AxisPick pick;
  pick.start = static_cast<std::int64_t>(start - side);
  pick.count = distance / step + (distance % step != 0);
  pick.step = pick.count <= 1 ? 1 : slice.step;
  return pick;
}

std::uint64_t resolve_index(std::int64_t index, std::uint64_t n, std::size_t axis) {
  const std::optional<std::uint64_t> at = index < 0 ? from_end(index, n) : static_cast<std::uint64_t>(index);
  if (!at || *at >= n)
    fail(ErrorKind::invalid_argument, "index {} is out of bounds for axis {} with size {}", index, axis, n);
  return *at;
}

struct Resolver {
  std::uint64_t n;
  std::size_t axis;

  AxisPick operator()(std::int64_t index) const {
    AxisPick pick;
    pick.count = 1;
    pick.start = static_cast<std::int64_t>(resolve_index(index, n, axis));
    pick.dropped = true;
    return pick;
  }
  AxisPick operator()(const Slice& slice) const { return resolve_slice(slice, n); }
  AxisPick operator()(const Ellipsis&) const { return resolve_slice({}, n); }
  AxisPick operator()(const IndexList& list) const {
    AxisPick pick;
    pick.count = list.size();
    for (const std::int64_t index : list) pick.indices.push_back(resolve_index(index, n, axis));
    return pick;
  }
  AxisPick operator()(const Mask& mask) const {
    if (mask.size() != n)
      fail(ErrorKind::invalid_argument, "the mask for axis {} has {} entries, the axis has {}", axis, mask.size(), n);
    AxisPick pick;
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) pick.indices.push_back(i);
    pick.count = pick.indices.size();
    return pick;
  }
};

}  // namespace

Selection parse_selection(std::string_view text) { return Parser(text).parse(); }

Picks resolve(const Selection& selection, const std::vector<std::uint64_t>& shape) {
  const auto is_ellipsis = [](const auto& axis) { return std::holds_alternative<Ellipsis>(axis); };
  const auto dots = std::count_if(selection.axes.begin(), selection.axes.end(), is_ellipsis);
  if (dots > 1) fail(ErrorKind::invalid_argument, "a selection can have only one '...'");
  const std::size_t given = selection.axes.size() - static_cast<std::size_t>(dots);
  if (given > shape.size())
    fail(ErrorKind::invalid_argument, "too many indices: the array has {} dimensions, the selection {}", shape.size(),
         given);

  Picks picks;
  picks.points = selection.points;
  auto whole = [&] {
    const std::size_t axis = picks.axes.size();
    picks.axes.push_back(Resolver{shape[axis], axis}(Slice{}));
  };
  for (const auto& axis : selection.axes) {
    if (is_ellipsis(axis)) {
      for (std::size_t i = given; i < shape.size(); ++i) whole();
    } else {
      const std::size_t at = picks.axes.size();
      picks.axes.push_back(std::visit(Resolver{shape[at], at}, axis));
    }
  }
  while (picks.axes.size() < shape.size()) whole();

  if (picks.points)
    for (const AxisPick& axis : picks.axes)
      if (axis.count != picks.axes.front().count)
        fail(ErrorKind::invalid_argument, "points need as many indices on every axis: found {} and {}",
             picks.axes.front().count, axis.count);
  return picks;
}

std::vector<std::uint64_t> Picks::shape() const {
  if (points) return {axes.empty() ? 1 : axes.front().count};
  std::vector<std::uint64_t> out;
  for (const AxisPick& axis : axes)
    if (!axis.dropped) out.push_back(axis.count);
  return out;
}

std::vector<std::uint64_t> Picks::full_shape() const {
  std::vector<std::uint64_t> out;
  for (const AxisPick& axis : axes) out.push_back(axis.count);
  return out;
}

std::uint64_t Picks::cells() const {
  if (points) return axes.empty() ? 1 : axes.front().count;
  std::uint64_t n = 1;
  for (const AxisPick& axis : axes) {
    const std::optional<std::uint64_t> product = checked_product(n, axis.count);
    if (!product) fail(ErrorKind::invalid_argument, "the selection has more than 2^64 cells");
    n = *product;
  }
  return n;
}

}  // namespace tegula
