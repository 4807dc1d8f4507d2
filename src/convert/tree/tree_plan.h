// What a copy of a whole tree of groups and arrays will consist of.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convert/convert.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// Where a tree is read.
struct TreeSource {
  std::string uri;
  std::function<std::shared_ptr<Store>(const std::string& uri)> store;  // of members, too
  OpenOptions open;
};

// A group or an array of the copy.
struct TreeItem {
  std::string path;  // below the copy; empty: its root
  bool group = false;
  std::string source;                // URI of what it is made from
  bool source_is_array = false;      // for groups: the fields of one array become its members
  std::optional<std::string> field;  // arrays: the only one that is copied
  Target target;                     // arrays
  std::vector<std::string> losses;
};

struct TreePlan {
  std::string format;
  std::vector<TreeItem> items;  // a group before its members, members by name
};

// Is there anything at the place that only plan_tree() takes: a group, a folder of arrays, or an array of several
// fields that the format cannot hold as one array?
bool needs_tree(const TreeSource& source, const TargetOptions& options);

// Groups become groups, or folders in formats without groups; arrays stay arrays; an array of several fields becomes a
// group with an array for each where the format holds one field. Throws what plan_target() throws, with the name of the
// array, and unsupported when groups lie inside themselves.
TreePlan plan_tree(const TreeSource& source, const TargetOptions& options, const Work& work);

}  // namespace tegula
