#include "output/output.h"
#include "query/columns/gather.h"
#include "query/request/result_json.h"

namespace tegula::cli {

namespace {

class JsonOutput final : public Output {
 public:
  explicit JsonOutput(Dialect dialect) : dialect_(dialect) {}
  void add(const Batch& batch) override {
    if (first_)
      all_ = batch;
    else
      append(all_, batch);
    first_ = false;
  }
  void finish() override { print(result_json(all_, dialect_) + "\n"); }

 private:
  Dialect dialect_;
  Batch all_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Output> json_output(Dialect dialect) { return std::make_unique<JsonOutput>(dialect); }

}  // namespace tegula::cli
