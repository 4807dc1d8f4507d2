#include "format/tiledb/driver.h"

#include "format/tiledb/array_metadata.h"
#include "format/tiledb/create.h"
#include "format/tiledb/group.h"
#include "format/tiledb/writable_array.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kFormats[] = {"tiledb"};

class TiledbGroup final : public Group {
 public:
  TiledbGroup(std::shared_ptr<Store> store, const OpenOptions& options)
      : store_(std::move(store)), key_(make_key(options.key)) {
    if (options.at) window_ = {options.at->first, options.at->second};
  }
  std::string_view format() const override { return kFormats[0]; }
  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const GroupMember& member : read_group(*store_, key_, window_))
      members.push_back({member.key(), member.relative ? store_->describe(member.uri) : member.uri, member.kind});
    return members;
  }
  Metadata metadata() const override { return read_metadata(*store_, key_, window_); }

 private:
  std::shared_ptr<Store> store_;
  Key key_;
  TimeWindow window_;
};

Found probe_store(const Store& store) {
  const ObjectKind kind = probe(store);
  return {kind, kind == ObjectKind::none ? "" : std::string(kFormats[0])};
}

std::shared_ptr<Array> open_store_array(std::shared_ptr<Store> store, const OpenOptions& options) {
  return std::make_shared<WritableArray>(std::move(store), options);
}

std::shared_ptr<Group> open_store_group(std::shared_ptr<Store> store, const OpenOptions& options) {
  return std::make_shared<TiledbGroup>(std::move(store), options);
}

}  // namespace

const Driver kTiledbDriver = {"tiledb",         kFormats,     probe_store, open_store_array,
                              open_store_group, create_array, nullptr};

}  // namespace tegula::tiledb
