#include "serve/view/tree.h"

#include <algorithm>

#include "base/fail.h"
#include "base/utf8.h"
#include "format/registry/registry.h"
#include "query/request/iso_dates.h"
#include "store/wrap/sub_store.h"

namespace tegula::serve {

namespace {

constexpr std::size_t kMostSeen = 4096;

bool usable(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string("/\\\0", 3)) == name.npos &&
         !name.starts_with(kTemporaryPrefix) && decode_utf8(name);
}

std::string without_slash(std::string text) {
  while (!text.empty() && text.back() == '/') text.pop_back();
  return text;
}

// The key of `uri` below a store, if it is there.
std::optional<std::string> key_below(const Store& store, const std::string& uri) {
  for (const std::string& top : {without_slash(store.describe("")), without_slash(store.uri(""))})
    if (uri.size() > top.size() + 1 && uri.starts_with(top) && uri[top.size()] == '/')
      return without_slash(uri.substr(top.size() + 1));
  return std::nullopt;
}

// What a store holds; no value when it leads outside of the root or may not be read, which is as good as absent. A
// folder that holds such a thing is a folder.
std::optional<Found> probe_allowed(const Store& store) {
  const auto denied = [](const Error& error) {
    return error.kind() == ErrorKind::permission || error.kind() == ErrorKind::invalid_argument;
  };
  try {
    return probe(store);
  } catch (const Error& error) {
    if (!denied(error)) throw;
  }
  try {
    if (store.hints().lists) (void)store.list("");
    return Found{};
  } catch (const Error& error) {
    if (!denied(error)) throw;
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const Node> Place::node(int version, const Work& work) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Node>& made = nodes_[version == 3 ? 1 : 0];
  if (made) return made;
  if (array) {
    NodeOptions options;
    options.version = version;
    options.name = name;
    options.state = state;
    options.work = work;
    options.kept = kept;
    made = std::make_shared<Node>(array_node(array, options));
  } else {
    Node node;
    if (group) node.attributes = attributes_of(group->metadata());
    made = std::make_shared<Node>(std::move(node));
  }
  return made;
}

Tree::Tree(std::shared_ptr<Store> root, TreeOptions options)
    : root_(std::move(root)), options_(std::move(options)), kept_(std::make_shared<KeptCells>(options_.kept)) {}

std::shared_ptr<const Place> Tree::remembered(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = seen_.find(path);
  const bool fresh = found != seen_.end() && Clock::now() - found->second.when < options_.fresh;
  return fresh ? found->second.place : nullptr;
}

std::shared_ptr<const Place> Tree::look(const std::string& path, const std::string& name, std::shared_ptr<Store> store,
                                        const TimeSpan& at) {
  const Clock::time_point now = Clock::now();
  Seen before;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = seen_.find(path); found != seen_.end()) before = found->second;
  }

  if (!store->hints().lists) store = with_needed_index(std::move(store));
  const std::optional<Found> probed = probe_allowed(*store);
  if (!probed && !path.empty()) return nullptr;
  Found found = probed.value_or(Found{});
  if (found.kind == ObjectKind::group && is_plain_folder(*store)) found = {};
  auto place = std::make_shared<Place>();
  place->kind = found.kind;
  place->path = path;
  place->name = name;
  place->store = store;
  place->format = found.format;
  place->kept = kept_;
  OpenOptions open_options;
  open_options.work = options_.work;
  open_options.key = options_.key;
  open_options.storage = options_.storage;
  if (found.kind != ObjectKind::none && capabilities(found.format).history) place->at = open_options.at = at;
  if (found.kind == ObjectKind::array) {
    const Driver& driver = find_format(found.format).driver;
    if (driver.state) place->state = fmt::format("{}\n{}", path, driver.state(*store));
    if (before.place && before.place->array && !place->state.empty() && before.place->state == place->state)
      place = nullptr;  // as it was
    else
      place->array = open(store, open_options);
  } else if (found.kind == ObjectKind::group) {
    place->group = open_group(store, open_options);
  } else if (!path.empty() && (!store->hints().lists || store->list("").empty())) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (seen_.size() >= kMostSeen) seen_.clear();
  Seen& seen = seen_[path];
  seen.place = place ? place : before.place;
  seen.when = now;
  return seen.place;
}

std::shared_ptr<Store> Tree::member_store(const Place& parent, const std::string& name) const {
  if (!parent.group || !capabilities(parent.format).members) return sub_store(parent.store, name);
  for (const Member& member : parent.group->members()) {
    if (member.name != name) continue;
    const std::optional<std::string> near = key_below(*parent.store, member.uri), far = key_below(*root_, member.uri);
    try {
      check_key(near ? *near : far ? *far : "..");
    } catch (const Error&) {
      return nullptr;  // outside of what is served
    }
    return near ? sub_store(parent.store, *near) : sub_store(root_, *far);
  }
  return nullptr;
}

std::shared_ptr<const Place> Tree::below(const Place& parent, const std::string& name) {
  if (parent.array || !usable(name) || name == "zarr.json" || name.starts_with(".z")) return nullptr;
  const std::string path = join(parent.path, name);
  if (std::shared_ptr<const Place> place = remembered(path)) return place;
  // A name that holds @ wins over a time.
  if (std::shared_ptr<Store> store = member_store(parent, name))
    if (std::shared_ptr<const Place> place = look(path, name, std::move(store), parent.at)) return place;
  const std::size_t mark = name.rfind('@');
  if (mark == name.npos || mark == 0 || mark + 1 == name.size()) return nullptr;
  TimeSpan at;
  try {
    at = parse_time_range(name.substr(mark + 1));
  } catch (const Error&) {
    return nullptr;
  }
  const std::string plain = name.substr(0, mark);
  std::shared_ptr<Store> store = member_store(parent, plain);
  std::shared_ptr<const Place> place = store ? look(path, plain, std::move(store), at) : nullptr;
  return place && place->at ? place : nullptr;
}

Tree::Way Tree::find(std::span<const std::string> path) {
  std::shared_ptr<const Place> top = remembered("");
  Way found{top ? top : look("", "", root_, {}), 0};
  while (found.used < path.size()) {
    std::shared_ptr<const Place> next = below(*found.place, path[found.used]);
    if (!next) break;
    found.place = std::move(next);
    ++found.used;
  }
  return found;
}

std::vector<std::string> Tree::names(const Place& place) const {
  std::vector<std::string> names;
  if (place.group) {
    for (const Member& member : place.group->members()) names.push_back(member.name);
  } else if (!place.array) {
    for (const Entry& entry : place.store->list(""))
      if (entry.folder) names.push_back(entry.name);
  }
  std::erase_if(names, [](const std::string& name) { return !usable(name); });
  std::ranges::sort(names);
  return names;
}

}  // namespace tegula::serve
