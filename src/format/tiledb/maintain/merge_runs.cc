#include "format/tiledb/maintain/merge_runs.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "base/trim_heap.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kMostRuns = 64;         // merged at once
constexpr std::uint64_t kMostSamples = 1024;  // of a run
constexpr std::uint64_t kPiece = 1 << 20;     // bytes gathered at once, about

void drop_last_cell(Column& column) {
  if (column.var()) {
    column.offsets.pop_back();
    column.data.resize(column.offsets.back());
  } else {
    column.data.resize(column.data.size() - column.cell_size());
  }
}

}  // namespace

SortedRun::SortedRun(std::shared_ptr<Scratch> scratch, std::uint64_t& end, const MergeRows& like, Size size,
                     std::uint64_t samples)
    : scratch_(std::move(scratch)),
      size_(std::move(size)),
      written_(like.columns.size(), 0),
      spacing_(std::max<std::uint64_t>(1, (size_.cells + samples - 1) / samples)),
      first_coordinate_(like.attributes) {
  for (const Column& column : like.coordinates()) samples_.push_back(empty_like(column));
  const auto take = [&](std::uint64_t bytes) { return std::exchange(end, end + bytes); };
  for (const Column& column : like.columns) more_per_cell_ += (column.var() ? 8 : 0) + (column.nullable ? 1 : 0);
  for (std::size_t c = 0; c < like.columns.size(); ++c)
    places_.push_back({take(size_.bytes[c]), take(like.columns[c].var() ? 8 * (size_.cells + 1) : 0),
                       take(like.columns[c].nullable ? size_.cells : 0)});
}

std::uint64_t SortedRun::bytes() const {
  return std::accumulate(size_.bytes.begin(), size_.bytes.end(), size_.cells * more_per_cell_);
}

void SortedRun::append(const MergeRows& rows, std::span<const std::uint64_t> order, const Work& work) {
  for (std::uint64_t cell = (cells_ + spacing_ - 1) / spacing_ * spacing_; cell < cells_ + order.size();
       cell += spacing_)
    for (std::size_t d = 0; d < samples_.size(); ++d)
      tegula::append(samples_[d], rows.columns[first_coordinate_ + d], order[cell - cells_], 1);
  parallel_for(work, rows.columns.size(), [&](std::size_t c) { append_column(c, rows.columns[c], order); });
  cells_ += order.size();
}

void SortedRun::append_column(std::size_t c, const Column& from, std::span<const std::uint64_t> order) {
  const Place& place = places_[c];
  std::uint64_t& written = written_[c];
  Column piece = empty_like(from);
  const std::uint64_t some = kPiece / (from.bytes() / std::max<std::uint64_t>(1, from.cells()) + 1) + 1;
  for (std::uint64_t at = 0; at < order.size(); at += some) {
    const std::span<const std::uint64_t> cells = order.subspan(at, std::min<std::uint64_t>(some, order.size() - at));
    piece.data.clear();
    piece.offsets.clear();
    piece.validity.clear();
    append_gathered(piece, from, cells);
    scratch_->write(place.data + written, piece.data);
    if (piece.var()) {
      for (std::uint64_t& offset : piece.offsets) offset += written;
      scratch_->write(place.offsets + 8 * (cells_ + at), std::as_bytes(std::span<const std::uint64_t>(piece.offsets)));
    }
    if (piece.nullable) scratch_->write(place.validity + cells_ + at, piece.validity);
    written += piece.data.size();
  }
}

void read_runs(std::span<const RunSlice> slices, MergeRows& rows, const Work& work) {
  std::uint64_t cells = 0;
  for (const RunSlice& slice : slices) cells += slice.last - slice.first;
  // Reserves one cell more, which RunMerge adds for a moment.
  const auto grow = [](auto& buffer, std::uint64_t by, std::uint64_t more) {
    const std::size_t before = buffer.size();
    buffer.reserve(before + by + more);
    buffer.resize(before + by);
    return buffer.data() + before;
  };
  parallel_for(work, rows.columns.size(), [&](std::size_t c) {
    Column& to = rows.columns[c];
    std::vector<std::uint64_t> begins, sizes;  // of the data of each slice
    if (to.var()) {
      std::uint64_t end = to.data.size();
      if (to.offsets.empty()) to.offsets.push_back(0);
      std::uint64_t* offsets = grow(to.offsets, cells, 1) - 1;
      for (const RunSlice& slice : slices) {
        const std::uint64_t n = slice.last - slice.first;
        slice.run->scratch_->read(slice.run->places_[c].offsets + 8 * slice.first,
                                  std::as_writable_bytes(std::span(offsets, n + 1)));
        const std::uint64_t begin = offsets[0];
        for (std::uint64_t i = 0; i <= n; ++i) offsets[i] = offsets[i] - begin + end;
        begins.push_back(begin);
        sizes.push_back(offsets[n] - end);
        end = offsets[n];
        offsets += n;
      }
    } else {
      for (const RunSlice& slice : slices) {
        begins.push_back(slice.first * to.cell_size());
        sizes.push_back((slice.last - slice.first) * to.cell_size());
      }
    }
    std::byte* data = grow(to.data, std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}), to.cell_size());
    std::byte* validity = to.nullable ? grow(to.validity, cells, 0) : nullptr;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const RunSlice& slice = slices[i];
      const SortedRun::Place& place = slice.run->places_[c];
      slice.run->scratch_->read(place.data + begins[i], {data, sizes[i]});
      data += sizes[i];
      if (!validity) continue;
      slice.run->scratch_->read(place.validity + slice.first, {validity, slice.last - slice.first});
      validity += slice.last - slice.first;
    }
  });
}

RunMerge::RunMerge(std::span<const SortedRun> runs, const CellOrder& order, std::uint64_t part, const Work& work)
    : runs_(runs), order_(order), done_(runs.size(), 0) {
  for (const Column& column : runs.front().samples()) places_.push_back(empty_like(column));
  for (const SortedRun& run : runs) {
    first_place_.push_back(places_[0].cells());
    for (std::size_t d = 0; d < places_.size(); ++d) append(places_[d], run.samples()[d]);
  }
  first_place_.push_back(places_[0].cells());
  const Buffer<std::uint64_t> sorted = order.sort(places_, work);
  ranks_.resize(sorted.size());
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && !CellOrder::same_place(places_, sorted[i - 1], sorted[i])) ++rank;
    ranks_[sorted[i]] = rank;
  }
  find_cuts(part);
}

// A sample stands for the cells up to the next one. From each run, a part also gets the cells that follow its last
// sample.
void RunMerge::find_cuts(std::uint64_t part) {
  struct Block {
    std::uint64_t place = 0, bytes = 0;
  };
  std::vector<Block> blocks;
  std::uint64_t besides = 0;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const std::uint64_t per_cell = runs_[r].bytes() / std::max<std::uint64_t>(1, runs_[r].size().cells) + kSortBytes;
    for (std::size_t place = first_place_[r]; place < first_place_[r + 1]; ++place)
      blocks.push_back({place, per_cell * runs_[r].spacing()});
    besides += per_cell * runs_[r].spacing();
  }
  std::sort(blocks.begin(), blocks.end(),
            [&](const Block& a, const Block& b) { return ranks_[a.place] < ranks_[b.place]; });
  const std::uint64_t room = part - std::min(besides, part / 2);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    sum += blocks[i].bytes;
    if (ranks_[blocks[i].place] == ranks_[blocks[i + 1].place] || sum + blocks[i + 1].bytes <= room) continue;
    cuts_.push_back(blocks[i].place);
    sum = 0;
  }
}

// From there on, no cell of the run lies at the cut or before it.
std::uint64_t RunMerge::end_of(std::size_t run, std::uint64_t cut) const {
  const auto begin = ranks_.begin() + static_cast<std::ptrdiff_t>(first_place_[run]),
             end = ranks_.begin() + static_cast<std::ptrdiff_t>(first_place_[run + 1]);
  const auto after = std::upper_bound(begin, end, ranks_[cut]);
  return after == end ? runs_[run].size().cells : static_cast<std::uint64_t>(after - begin) * runs_[run].spacing();
}

void RunMerge::next(MergeRows& rows, Buffer<std::uint64_t>& order, const Work& work) {
  const bool last = next_ == cuts_.size();
  std::vector<RunSlice> slices;
  std::vector<std::uint64_t> starts;  // rows
  std::uint64_t cells = rows.cells();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const std::uint64_t end = last ? runs_[r].size().cells : end_of(r, cuts_[next_]);
    slices.push_back({&runs_[r], done_[r], std::max(done_[r], end)});
    starts.push_back(cells);
    cells += slices.back().last - slices.back().first;
    done_[r] = slices.back().last;
  }
  read_runs(slices, rows, work);
  if (last) {
    order = order_.sort(rows.coordinates(), work);
  } else {
    // The cut is sorted along with the rows: those behind it belong to a later part and are read again.
    for (std::size_t d = 0; d < places_.size(); ++d) append(rows.coordinates()[d], places_[d], cuts_[next_], 1);
    order = order_.sort(std::as_const(rows).coordinates(), work);
    for (; order.back() != cells; order.pop_back())
      --done_[static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), order.back()) - starts.begin()) -
              1];
    order.pop_back();
    for (Column& column : rows.coordinates()) drop_last_cell(column);
  }
  ++next_;
}

MergeRuns::MergeRuns(std::shared_ptr<Store> store, const CellOrder& order, MergeRows like, std::uint64_t part)
    : store_(std::move(store)), order_(order), like_(std::move(like)), part_(part) {}

// As many as fit into an eighth of a part.
std::uint64_t MergeRuns::samples(const SortedRun::Size& size) const {
  std::uint64_t bytes = 0;
  for (std::size_t d = 0; d < like_.dimensions; ++d) bytes += size.bytes[like_.attributes + d];
  const std::uint64_t one = bytes / std::max<std::uint64_t>(1, size.cells) + 16;
  return std::clamp<std::uint64_t>(part_ / 8 / kMostRuns / one, 16, kMostSamples);
}

SortedRun MergeRuns::new_run(SortedRun::Size size) {
  if (!scratch_) scratch_ = store_->scratch();
  const std::uint64_t kept = samples(size);
  return {scratch_, end_, like_, std::move(size), kept};
}

void MergeRuns::add(const MergeRows& rows, std::span<const std::uint64_t> order, const Work& work) {
  SortedRun::Size size{order.size(), {}};
  for (const Column& column : rows.columns) size.bytes.push_back(column.data.size());
  runs_.push_back(new_run(std::move(size)));
  runs_.back().append(rows, order, work);
}

RunMerge MergeRuns::merge(const Work& work) {
  while (runs_.size() > kMostRuns) {
    const std::vector<SortedRun> shorter = std::exchange(runs_, {});
    scratch_.reset();  // the runs in it keep it open
    end_ = 0;
    for (std::size_t begin = 0; begin < shorter.size(); begin += kMostRuns) {
      const std::span<const SortedRun> some =
          std::span(shorter).subspan(begin, std::min(kMostRuns, shorter.size() - begin));
      SortedRun::Size size{0, std::vector<std::uint64_t>(like_.columns.size(), 0)};
      for (const SortedRun& run : some) {
        size.cells += run.size().cells;
        for (std::size_t c = 0; c < size.bytes.size(); ++c) size.bytes[c] += run.size().bytes[c];
      }
      runs_.push_back(new_run(std::move(size)));
      Buffer<std::uint64_t> order;
      for (RunMerge merge(some, order_, part_, work); merge.more();) {
        work.check();
        MergeRows rows = like_;
        merge.next(rows, order, work);
        runs_.back().append(rows, order, work);
      }
      trim_heap();
    }
  }
  return {runs_, order_, part_, work};
}

}  // namespace tegula::tiledb
