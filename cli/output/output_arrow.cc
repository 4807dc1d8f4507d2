// Results as an Arrow IPC file.
#include "arrow/ipc_writer.h"
#include "files/file_writer.h"
#include "output/output.h"

namespace tegula::cli {

namespace {

class ArrowOutput final : public Output {
 public:
  ArrowOutput(const std::string& path, const Schema& schema)
      : file_(path), writer_(schema, [this](ByteView bytes) { file_.write(bytes); }) {}

  void add(const Batch& batch) override { writer_.add(std::make_shared<const Batch>(batch)); }
  void finish() override {
    writer_.finish();
    file_.commit();
  }

 private:
  FileWriter file_;
  arrow::IpcWriter writer_;
};

}  // namespace

std::unique_ptr<Output> arrow_output(const std::string& path, const Schema& schema) {
  return std::make_unique<ArrowOutput>(path, schema);
}

}  // namespace tegula::cli
