#include <algorithm>
#include <memory>

#include "files/spool.h"
#include "output/output.h"
#include "query/columns/gather.h"
#include "query/request/result_json.h"

namespace tegula::cli {

namespace {

constexpr std::uint64_t kCellsAtOnce = 4096;

// The object holds column after column, and the result comes row by row: the text of each column is kept aside.
class JsonOutput final : public Output {
 public:
  JsonOutput(Dialect dialect, const Work& work)
      : dialect_(dialect), work_(work), space_(std::make_shared<SpoolSpace>(system_scratch)) {}

  void add(const Batch& batch) override {
    Batch frame;
    frame.cells = batch.cells;
    frame.shape = batch.shape;
    const bool first = columns_.empty();
    if (first)
      all_ = std::move(frame);
    else
      append(all_, frame);
    for (std::size_t c = 0; c < batch.columns.size(); ++c) {
      if (first) columns_.emplace_back(batch.columns[c].name, Spool(space_));
      add(columns_[c].second, batch.columns[c], json_cells(batch, batch.columns[c]));
    }
  }

  void finish() override {
    print("{\"shape\":" + json_shape(all_.shape) + ",\"fields\":{");
    std::string key;
    for (const auto& [name, text] : columns_) {
      append_json_key(key, name);
      print(key + ":[");
      text.each([](ByteView piece) { print(text_of(piece)); });
      print("]");
      key = ",";
    }
    print("}}\n");
  }

 private:
  void add(Spool& to, const Column& column, std::uint64_t cells) {
    for (std::uint64_t at = 0; at < cells; at += kCellsAtOnce) {
      work_.check();
      text_.clear();
      if (to.size() > 0) text_ += ',';
      append_json_cells(text_, column, at, std::min(kCellsAtOnce, cells - at), dialect_);
      to.append(bytes_of(text_));
    }
  }

  const Dialect dialect_;
  const Work work_;
  const std::shared_ptr<SpoolSpace> space_;
  std::vector<std::pair<std::string, Spool>> columns_;
  Batch all_;  // cells and shape of what came so far
  std::string text_;
};

}  // namespace

std::unique_ptr<Output> json_output(Dialect dialect, const Work& work) {
  return std::make_unique<JsonOutput>(dialect, work);
}

}  // namespace tegula::cli
