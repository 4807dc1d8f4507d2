// Results as a text table and as CSV.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/fail.h"
#include "output/output.h"

namespace tegula::cli {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::ferror(stdout))
    fail(ErrorKind::io, "cannot write the output: {}", std::generic_category().message(errno));
}

namespace {

constexpr std::uint64_t kRowsAtOnce = 1000;

bool right_aligned(const Column& column) {
  return column.values_per_cell == 1 &&
         (column.type.is_integer() || column.type.is_float() || column.type.id == TypeId::timedelta);
}

// Labels have one value per index of their dimension, not one per cell.
void check_even(const Batch& batch) {
  for (const Column& column : batch.columns)
    if ((column.var() || column.cell_size() > 0) && column.cells() != batch.cells)
      fail(ErrorKind::unsupported, "field '{}' has {} values for {} cells, which make no rows; use --json", column.name,
           column.cells(), batch.cells);
}

std::string heading(const Column& column) {
  return column.name.empty() ? "value" : column.name == "__row" ? "row" : column.name;
}

void append_padded(std::string& line, std::string_view text, std::size_t width, bool right, bool last) {
  const std::size_t have = width_of(text), pad = width > have ? width - have : 0;
  if (right) line.append(pad, ' ');
  line += text;
  if (!right && !last) line.append(pad, ' ');
}

// Line ends inside a cell would break the table.
void flatten(std::string& text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
}

// Columns of the terminal that stdout is, or 0.
std::size_t terminal_width() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

// The first code points of a text that is too long, and an ellipsis.
std::string cut(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t at = 0, seen = 0;
  for (; at < text.size(); ++at)
    if ((text[at] & 0xC0) != 0x80 && ++seen == width) break;
  return text.substr(0, at) + "…";
}

class TableOutput final : public Output {
 public:
  TableOutput(Dialect dialect, std::uint64_t most) : dialect_(dialect), most_(most), terminal_(terminal_width()) {}

  void add(const Batch& batch) override {
    check_even(batch);
    total_ += batch.cells;
    const std::uint64_t room = most_ - std::min(most_, shown_);
    const std::uint64_t rows = std::min(room, batch.cells);
    if (!headed_) widths_.assign(batch.columns.size(), 0);
    for (std::uint64_t first = 0; first < rows || !headed_; first += kRowsAtOnce) {
      show(batch, first, std::min(rows - std::min(first, rows), kRowsAtOnce));
      if (rows == 0) break;
    }
    shown_ += rows;
  }

  void finish() override {
    if (total_ > shown_) {
      std::fflush(stdout);
      std::fprintf(stderr, "%llu of %llu cells shown; --limit N shows more\n", static_cast<unsigned long long>(shown_),
                   static_cast<unsigned long long>(total_));
    }
  }

 private:
  void show(const Batch& batch, std::uint64_t first, std::uint64_t count) {
    const std::size_t columns = batch.columns.size();
    std::vector<std::string> cells(columns * count);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!headed_) widths_[c] = width_of(heading(batch.columns[c]));
      for (std::uint64_t i = 0; i < count; ++i) {
        std::string& cell = cells[i * columns + c];
        append_plain_cell(cell, batch.columns[c], first + i, dialect_);
        flatten(cell);
        widths_[c] = std::max(widths_[c], width_of(cell));
      }
    }
    const std::vector<std::size_t> widths = fitted(batch);
    std::string out;
    const auto line = [&](auto&& text_of_column) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (c > 0) out += "  ";
        const bool right = right_aligned(batch.columns[c]);
        const std::string& text = text_of_column(c);
        append_padded(out, right ? text : cut(text, widths[c]), widths[c], right, c + 1 == columns);
      }
      out += '\n';
    };
    if (!headed_) {
      std::vector<std::string> names;
      for (const Column& column : batch.columns) names.push_back(heading(column));
      line([&](std::size_t c) -> const std::string& { return names[c]; });
    }
    headed_ = true;
    for (std::uint64_t i = 0; i < count; ++i)
      line([&](std::size_t c) -> const std::string& { return cells[i * columns + c]; });
    print(out);
  }

  // The widths, narrowed to the terminal as far as texts can be cut; numbers never are.
  std::vector<std::size_t> fitted(const Batch& batch) const {
    constexpr std::size_t kLeast = 12;
    std::vector<std::size_t> widths = widths_;
    if (terminal_ == 0) return widths;
    std::size_t line = 2 * (widths.size() - std::min<std::size_t>(1, widths.size()));
    for (const std::size_t width : widths) line += width;
    while (line > terminal_) {
      std::size_t widest = widths.size();
      for (std::size_t c = 0; c < widths.size(); ++c)
        if (!right_aligned(batch.columns[c]) && widths[c] > kLeast &&
            (widest == widths.size() || widths[c] > widths[widest]))
          widest = c;
      if (widest == widths.size()) break;
      const std::size_t less = std::min(line - terminal_, widths[widest] - kLeast);
      widths[widest] -= less;
      line -= less;
    }
    return widths;
  }

  Dialect dialect_;
  std::uint64_t most_, shown_ = 0, total_ = 0;
  std::size_t terminal_;
  bool headed_ = false;
  std::vector<std::size_t> widths_;
};

void append_csv(std::string& line, const std::string& cell, bool quote_empty) {
  const bool quote = (cell.empty() && quote_empty) || cell.find_first_of(",\"\r\n") != std::string::npos;
  if (!quote) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

class CsvOutput final : public Output {
 public:
  CsvOutput(Dialect dialect, const Work& work) : dialect_(dialect), work_(work) {}

  void add(const Batch& batch) override {
    check_even(batch);
    std::string out;
    if (!headed_) {
      for (std::size_t c = 0; c < batch.columns.size(); ++c) {
        if (c > 0) out += ',';
        append_csv(out, heading(batch.columns[c]), true);
      }
      out += "\n";
      headed_ = true;
    }
    std::string cell;
    for (std::uint64_t i = 0; i < batch.cells; ++i) {
      for (std::size_t c = 0; c < batch.columns.size(); ++c) {
        if (c > 0) out += ',';
        cell.clear();
        append_exact_cell(cell, batch.columns[c], i, dialect_, "");
        // An empty text is "", so that it differs from null.
        append_csv(out, cell, batch.columns[c].valid(i));
      }
      out += "\n";
      if (out.size() > (1u << 20)) {
        work_.check();
        print(out);
        out.clear();
      }
    }
    print(out);
  }
  void finish() override {}

 private:
  Dialect dialect_;
  Work work_;
  bool headed_ = false;
};

}  // namespace

std::unique_ptr<Output> table_output(Dialect dialect, std::uint64_t most) {
  return std::make_unique<TableOutput>(dialect, most);
}
std::unique_ptr<Output> csv_output(Dialect dialect, const Work& work) {
  return std::make_unique<CsvOutput>(dialect, work);
}

}  // namespace tegula::cli
