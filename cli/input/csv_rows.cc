#include "input/csv_rows.h"

#include <set>
#include <vector>

#include "base/error_message.h"
#include "base/fail.h"
#include "query/columns/gather.h"
#include "query/request/cell_input.h"

namespace tegula::cli {

namespace {

constexpr std::uint64_t kPiece = 1 << 20;
constexpr std::uint64_t kRowsBetweenChecks = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct CsvField {
  std::string text;
  bool quoted = false;
};

class CsvRows final : public Rows {
 public:
  CsvRows(const InputFile& file, const Schema& schema, const Work& work) : file_(file), work_(work) {
    fill();
    if (text_of(piece_).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    if (!record()) fail(ErrorKind::invalid_argument, "{} is empty; its first line names the fields", file.name());
    const bool unnamed = schema.attributes.size() == 1 && schema.attributes[0].name.empty();
    for (std::size_t i = 0; i < used_; ++i)
      like_.columns.push_back(empty_column(unnamed && fields_[i].text == "value" ? "" : fields_[i].text, schema));
    check_all_there(like_, schema, file.name());
    std::set<std::string_view> names;
    for (const Column& column : like_.columns)
      if (!names.insert(column.name).second)
        fail(ErrorKind::invalid_argument, "{}: its first line names '{}' twice", file.name(), column.name);
  }

  std::optional<Batch> next(std::uint64_t rows, std::uint64_t bytes) override {
    Batch batch = like_;
    std::uint64_t size = 0;
    while (batch.cells < rows && size < bytes && record()) {
      // A line without a field is the last one of many files, and no row of several fields.
      if (used_ == 1 && fields_[0].text.empty() && batch.columns.size() > 1) continue;
      add(batch);
      if (++batch.cells % kRowsBetweenChecks != 0) continue;
      work_.check();
      size = bytes_of(batch);
    }
    work_.check();
    if (batch.cells == 0) return std::nullopt;
    return batch;
  }

 private:
  static std::uint64_t bytes_of(const Batch& batch) {
    std::uint64_t bytes = 0;
    for (const Column& column : batch.columns) bytes += column.bytes();
    return bytes;
  }

  void add(Batch& batch) {
    if (used_ != batch.columns.size())
      fail(ErrorKind::invalid_argument, "{}, line {}: {} fields, the header has {}", file_.name(), line_, used_,
           batch.columns.size());
    for (std::size_t c = 0; c < used_; ++c) {
      try {
        append_cell_text(batch.columns[c], fields_[c].text, fields_[c].quoted);
      } catch (const Error& error) {
        fail(ErrorKind::invalid_argument, "{}, line {}, field '{}': {}", file_.name(), line_, batch.columns[c].name,
             error_message(error));
      }
    }
  }

  // False at the end of the file.
  bool fill() {
    piece_ = file_.piece(next_, kPiece);
    next_ += piece_.size();
    at_ = 0;
    return !piece_.empty();
  }
  // The next character without taking it, or -1 at the end.
  int peek() {
    if (at_ == piece_.size() && !fill()) return -1;
    return std::to_integer<int>(piece_[at_]);
  }

  CsvField& new_field() {
    if (used_ == fields_.size()) fields_.emplace_back();
    CsvField& field = fields_[used_++];
    field.text.clear();
    field.quoted = false;
    return field;
  }

  // Is this the end of a line, after a character that was taken?
  bool ends_line(int c) { return c == '\n' || (c == '\r' && (peek() == '\n' || peek() < 0)); }

  // Takes the rest of a field after its opening quote.
  void quoted_text(CsvField& field) {
    const std::uint64_t first_line = line_;
    field.quoted = true;
    for (int c = peek(); c >= 0; c = peek()) {
      ++at_;
      if (c == '"' && peek() != '"') return;
      at_ += c == '"';
      line_ += c == '\n';
      field.text += static_cast<char>(c);
    }
    fail(ErrorKind::invalid_argument, "{}, line {}: a quote is opened and never closed", file_.name(), first_line);
  }

  // Reads one record into fields_; false at the end. line_ is the one that it ends on. A quote counts only where a
  // field begins: 5" is a text of two characters.
  bool record() {
    if (peek() < 0) return false;
    used_ = 0;
    ++line_;
    CsvField* field = &new_field();
    for (int c = peek(); c >= 0; c = peek()) {
      ++at_;
      if (ends_line(c)) {
        if (c == '\r' && peek() == '\n') ++at_;
        return true;
      }
      if (c == ',')
        field = &new_field();
      else if (field->quoted)
        fail(ErrorKind::invalid_argument, "{}, line {}: text follows the closing quote of a field", file_.name(),
             line_);
      else if (c == '"' && field->text.empty())
        quoted_text(*field);
      else
        field->text += static_cast<char>(c);
    }
    return true;
  }

  const InputFile& file_;
  const Work work_;
  Batch like_;
  Bytes piece_;
  std::size_t at_ = 0;
  std::uint64_t next_ = 0;  // where the next piece of the file begins
  std::uint64_t line_ = 0;
  std::vector<CsvField> fields_;  // of the last record: `used_` of them
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<Rows> csv_rows(const InputFile& file, const Schema& schema, const Work& work) {
  return std::make_unique<CsvRows>(file, schema, work);
}

}  // namespace tegula::cli
