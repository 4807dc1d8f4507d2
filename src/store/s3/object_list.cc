#include "store/s3/object_list.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula::s3 {

namespace {

constexpr std::size_t kPage = 1000;  // what a server gives at most

// Calls use(page) page by page until it returns false.
void each_page(Bucket& bucket, const std::string& prefix, bool one_level, std::size_t most,
               const std::function<bool(ListPage&)>& use) {
  const Work* work = CurrentWork::get();
  std::set<std::string> seen;
  std::string token;
  do {
    Query query = {{"list-type", "2"}, {"encoding-type", "url"}};
    if (!prefix.empty()) query.emplace_back("prefix", prefix);
    if (one_level) query.emplace_back("delimiter", "/");
    if (most < kPage) query.emplace_back("max-keys", std::to_string(most));
    if (!token.empty()) query.emplace_back("continuation-token", token);
    http::Call call = bucket.call("GET", "", std::move(query));
    call.key = bucket.uri(prefix) + (one_level ? " (list)" : " (list all)");
    bucket.client().run(call, work ? *work : Work{});
    if (!Bucket::ok(call)) bucket.fail_answer(call);
    ListPage page = read_list_page(call.answer.body, call.key);
    token = page.next;
    if (!token.empty() && !seen.insert(token).second)
      fail(ErrorKind::corrupt, "{}: the listing goes on where it has been before", call.key);
    for (const ListedKey& key : page.keys)
      if (!key.key.starts_with(prefix))
        fail(ErrorKind::corrupt, "{}: the listing has the key '{}', which is not below it", call.key, key.key);
    if (!use(page)) return;
  } while (!token.empty());
}

std::string below(const std::string& prefix) { return prefix.empty() ? "" : prefix + "/"; }

// A store has no name for keys with empty, "." or ".." parts, and those that end in a slash are not files: consoles
// make them to show a folder.
bool is_key(std::string_view key) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t slash = std::min(key.find('/', from), key.size());
    const std::string_view part = key.substr(from, slash - from);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == key.size()) return true;
    from = slash + 1;
  }
}

}  // namespace

std::vector<Entry> list_level(Bucket& bucket, const std::string& prefix) {
  const std::string start = below(prefix);
  std::vector<Entry> entries;
  each_page(bucket, start, true, SIZE_MAX, [&](const ListPage& page) {
    for (const ListedKey& key : page.keys)
      if (const std::string name = key.key.substr(start.size()); is_key(name))
        entries.push_back({name, false, key.size});
    for (const std::string& folder : page.prefixes) {
      if (!folder.starts_with(start))
        fail(ErrorKind::corrupt, "a listing has the folder '{}', which is not below it", folder);
      std::string name = folder.substr(start.size());
      while (name.ends_with('/')) name.pop_back();
      if (is_key(name)) entries.push_back({name, true, 0});
    }
    return true;
  });
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(std::string_view(entry.name), entry.folder); });
  return entries;
}

Listing list_flat(Bucket& bucket, const std::string& root, const std::string& prefix, std::size_t most) {
  const std::string start = below(join(root, prefix)), cut = below(root);
  Listing listing;
  if (most == 0) most = 1;
  each_page(bucket, start, false, most, [&](ListPage& page) {
    for (ListedKey& key : page.keys) {
      std::string name = key.key.substr(cut.size());
      if (!is_key(name)) continue;
      if (listing.files.size() == most) {
        listing.complete = false;
        return false;
      }
      listing.files.push_back({std::move(name), key.size, std::move(key.etag)});
    }
    if (listing.files.size() == most && !page.next.empty()) listing.complete = false;
    return listing.complete;
  });
  std::ranges::sort(listing.files, {}, &ListedFile::key);
  return listing;
}

}  // namespace tegula::s3
