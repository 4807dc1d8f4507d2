// A TileDB group behind the public interface. Every change is one file, so that it happens as a whole or not at all.
#pragma once

#include <memory>

#include "format/tiledb/disk/names.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

class TiledbGroup final : public Group {
 public:
  TiledbGroup(std::shared_ptr<Store> store, const OpenOptions& options);
  std::string_view format() const override { return "tiledb"; }
  std::vector<Member> members() const override;
  Metadata metadata() const override;
  void add(const std::string& uri, std::string_view name, bool absolute) override;
  void remove(std::string_view name) override;
  void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                       const WriteOptions& options) override;

 private:
  const std::shared_ptr<Store> store_;
  const bool sync_;
  const std::map<std::string, std::string> storage_;
  const Key key_;
  TimeWindow window_;
};

// Creates an empty group. Throws invalid_argument when something is there already, unless options.overwrite is set and
// it is a TileDB array or group.
std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options);

}  // namespace tegula::tiledb
