#include "convert/tree/tree_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "format/registry/registry.h"

namespace tegula {

namespace {

constexpr std::size_t kDeepest = 64;

// Something that is still to be looked at.
struct Node {
  std::string path, uri;
  std::vector<std::string> around;  // identities of the groups it was reached through
};

bool must_split(const Schema& schema, const TargetOptions& options) {
  if (options.field || schema.attributes.size() < 2) return false;
  const std::string& format = options.format.empty() ? schema.format : options.format;
  const Capabilities& can = capabilities(format);
  const bool table = can.tables && schema.dimensions.size() == 1;
  return !schema.sparse && !can.many_fields && !table;
}

// What a plain folder holds, one level down, as far as something is there that can be copied.
std::vector<Member> folder_members(const TreeSource& source, const Store& store) {
  std::vector<Member> members;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder || entry.name.starts_with(kTemporaryPrefix)) continue;
    const std::string uri = store.describe(entry.name);
    const std::shared_ptr<Store> below = source.store(uri);
    const Found found = probe(*below);
    bool holds = found.kind != ObjectKind::none;
    for (const Entry& inner : below->list("")) holds = holds || inner.folder;
    if (holds) members.push_back({entry.name, uri, found.kind});
  }
  return members;
}

// The names of members become names of folders: what is none, because it is a URI, becomes its last part.
std::string folder_name(const std::string& name, std::set<std::string>& taken) {
  std::string out = name.substr(name.find_last_of('/') + 1);
  if (out.empty() || out == "." || out == ".." || out.starts_with(kTemporaryPrefix)) out = "member";
  std::string free = out;
  for (int n = 2; !taken.insert(free).second; ++n) free = fmt::format("{}_{}", out, n);
  return free;
}

class Planner {
 public:
  Planner(const TreeSource& source, const TargetOptions& options, const Work& work)
      : source_(source), options_(options), work_(work) {}

  TreePlan plan() {
    std::vector<Node> left = {{"", source_.uri, {}}};
    while (!left.empty()) {
      work_.check();
      Node node = std::move(left.back());
      left.pop_back();
      std::vector<Node> below = visit(node);
      left.insert(left.end(), std::make_move_iterator(below.rbegin()), std::make_move_iterator(below.rend()));
    }
    if (out_.format.empty()) fail(ErrorKind::not_found, "'{}' holds no arrays and no groups", source_.uri);
    return std::move(out_);
  }

 private:
  std::vector<Node> visit(const Node& node) {
    const Context doing([&] { return fmt::format("planning the copy of '{}'", node.uri); });
    const std::shared_ptr<Store> store = source_.store(node.uri);
    store->recover();
    const Found found = probe(*store);
    if (found.kind == ObjectKind::array) {
      add_array(node, *open(store, source_.open));
      return {};
    }
    const bool plain = found.kind == ObjectKind::none || is_plain_folder(*store);
    const std::string identity = store->identity();
    if (node.around.size() >= kDeepest || std::ranges::find(node.around, identity) != node.around.end())
      fail(ErrorKind::unsupported, "the group lies inside itself, or {} groups deep", kDeepest);
    TreeItem group;
    group.path = node.path;
    group.group = true;
    group.source = node.uri;
    std::vector<Member> members;
    if (plain) {
      members = folder_members(source_, *store);
    } else {
      const std::shared_ptr<Group> opened = open_group(store, source_.open);
      members = opened->members();
      settle(std::string(opened->format()));
      if (!opened->metadata().empty() && !capabilities(out_.format).groups)
        group.losses.push_back("the metadata of the group");
    }
    std::ranges::sort(members, {}, &Member::name);
    out_.items.push_back(std::move(group));
    std::vector<Node> below;
    std::set<std::string> taken;
    for (const Member& member : members) {
      below.push_back({join(node.path, folder_name(member.name, taken)), member.uri, node.around});
      below.back().around.push_back(identity);
    }
    return below;
  }

  void add_array(const Node& node, const Array& array) {
    const Schema& schema = array.schema();
    settle(schema.format);
    if (!must_split(schema, options_)) return add_leaf(node.path, node.uri, array, options_.field);
    TreeItem group;
    group.path = node.path;
    group.group = group.source_is_array = true;
    group.source = node.uri;
    if (!array.metadata().empty() && !capabilities(out_.format).groups)
      group.losses.push_back("the metadata of the array");
    out_.items.push_back(std::move(group));
    std::set<std::string> taken;
    for (const Attribute& attribute : schema.attributes) {
      const std::string name = folder_name(attribute.name.empty() ? "value" : attribute.name, taken);
      add_leaf(join(node.path, name), node.uri, array, attribute.name);
    }
  }

  void add_leaf(const std::string& path, const std::string& uri, const Array& array,
                const std::optional<std::string>& field) {
    TargetOptions options = options_;
    options.format = out_.format;
    options.field = field;
    TreeItem leaf;
    leaf.path = path;
    leaf.source = uri;
    leaf.field = field;
    leaf.target = plan_target(array, options);
    leaf.losses = leaf.target.losses;
    out_.items.push_back(std::move(leaf));
  }

  // All of the copy has one format: the one that was asked for, or that of the first array or group.
  void settle(const std::string& found) {
    if (out_.format.empty()) out_.format = capabilities(options_.format.empty() ? found : options_.format).format;
  }

  const TreeSource& source_;
  const TargetOptions& options_;
  const Work& work_;
  TreePlan out_;
};

}  // namespace

bool needs_tree(const TreeSource& source, const TargetOptions& options) {
  const std::shared_ptr<Store> store = source.store(source.uri);
  store->recover();
  const Found found = probe(*store);
  if (found.kind == ObjectKind::array) return must_split(open(store, source.open)->schema(), options);
  if (found.kind == ObjectKind::group) return true;
  return !folder_members(source, *store).empty();
}

TreePlan plan_tree(const TreeSource& source, const TargetOptions& options, const Work& work) {
  return Planner(source, options, work).plan();
}

}  // namespace tegula
