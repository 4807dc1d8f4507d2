// Results as a person or a spreadsheet reads them.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/fail.h"
#include "output.h"

namespace tegula::cli {

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::ferror(stdout))
    fail(ErrorKind::io, "cannot write the output: {}", std::generic_category().message(errno));
}

namespace {

constexpr std::uint64_t kRowsAtOnce = 1000;

// Columns a terminal shows for UTF-8 text: one per code point.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

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

class TableOutput final : public Output {
 public:
  TableOutput(Dialect dialect, std::uint64_t most) : dialect_(dialect), most_(most) {}

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
    std::string out;
    const auto line = [&](auto&& text_of_column) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (c > 0) out += "  ";
        append_padded(out, text_of_column(c), widths_[c], right_aligned(batch.columns[c]), c + 1 == columns);
      }
      out += '\n';
    };
    if (!headed_) line([&](std::size_t c) { return heading(batch.columns[c]); });
    headed_ = true;
    for (std::uint64_t i = 0; i < count; ++i)
      line([&](std::size_t c) -> const std::string& { return cells[i * columns + c]; });
    print(out);
  }

  Dialect dialect_;
  std::uint64_t most_, shown_ = 0, total_ = 0;
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
  explicit CsvOutput(Dialect dialect) : dialect_(dialect) {}

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
        append_plain_cell(cell, batch.columns[c], i, dialect_, "");
        // An empty text is "", so that it differs from null.
        append_csv(out, cell, batch.columns[c].valid(i));
      }
      out += "\n";
      if (out.size() > (1u << 20)) {
        print(out);
        out.clear();
      }
    }
    print(out);
  }
  void finish() override {}

 private:
  Dialect dialect_;
  bool headed_ = false;
};

}  // namespace

std::unique_ptr<Output> table_output(Dialect dialect, std::uint64_t most) {
  return std::make_unique<TableOutput>(dialect, most);
}
std::unique_ptr<Output> csv_output(Dialect dialect) { return std::make_unique<CsvOutput>(dialect); }

}  // namespace tegula::cli
