#include "store/azure/block_list.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace tegula::azure {

using namespace objects;

namespace {

class BlockList final : public Parts {
 public:
  BlockList(Bucket& bucket, std::string key) : bucket_(bucket), key_(std::move(key)) {}

  // The blocks of one blob share their names: without one of its own, an upload would take those of another.
  void begin() override {
    std::random_device random;
    name_ = fmt::format("{:08x}{:08x}", random(), random());
  }

  http::Call part(std::size_t number, ByteView bytes) override {
    return bucket_.call("PUT", key_, {{"comp", "block"}, {"blockid", id_of(number)}}, {}, {bytes});
  }

  void sent(const http::Call&) override { ++blocks_; }

  // The same list once more, after a lost answer, makes the same blob: it finds the blocks in that.
  bool complete(std::uint64_t, const std::string* state) override {
    std::string xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
    for (std::size_t i = 1; i <= blocks_; ++i) xml += fmt::format("<Latest>{}</Latest>", id_of(i));
    xml += "</BlockList>";
    http::Headers headers = bucket_.object_headers();
    std::erase_if(headers, [](const http::Header& header) { return header.name == "x-ms-blob-type"; });
    headers.push_back({"content-type", "application/xml"});
    // What the blob says of itself; without it that of the list would be taken.
    headers.push_back({"x-ms-blob-content-type", "application/octet-stream"});
    if (state)
      for (http::Header& header : bucket_.condition(*state)) headers.push_back(std::move(header));
    http::Call call = bucket_.call("PUT", key_, {{"comp", "blocklist"}}, std::move(headers), {bytes_of(xml)});
    bucket_.run(call);
    if (state && bucket_.condition_failed(call, *state)) return false;
    if (!Bucket::ok(call)) bucket_.fail_answer(call);
    return true;
  }

 private:
  // All of one length, as the service wants it.
  std::string id_of(std::size_t number) const { return base64(bytes_of(fmt::format("{}{:08}", name_, number))); }

  Bucket& bucket_;
  std::string key_, name_;
  std::size_t blocks_ = 0;
};

}  // namespace

std::unique_ptr<Parts> block_list(Bucket& bucket, std::string key) {
  return std::make_unique<BlockList>(bucket, std::move(key));
}

}  // namespace tegula::azure
