// Groups, closed and open. Changes become visible when the group is closed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/core/enums.h"
#include "capi/files/place.h"
#include "format/tiledb/disk/group_members.h"
#include "tegula/array.h"

namespace tegula::capi {

struct GroupState {
  std::shared_ptr<ContextState> context;
  std::string uri;
  std::optional<Config> own_config;
  std::optional<QueryType> type;
  // While it is open for reading.
  std::vector<tiledb::GroupMember> members;
  std::optional<Metadata> metadata;
  // While it is open for writing.
  struct Change {
    bool add = false;
    std::string uri, name;
    bool relative = false;
  };
  std::vector<Change> changes;
  std::map<std::string, std::optional<MetaValue>> metadata_changes;

  Config config() const { return own_config.value_or(context->config); }
};

struct GroupHandle {
  static constexpr std::string_view kName = "group";
  std::shared_ptr<GroupState> group;
};

}  // namespace tegula::capi
