#include "store/objects/object_list.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/fail.h"

namespace tegula::objects {

namespace {

constexpr std::size_t kPage = 1000;             // what a page counts at least: servers may send empty ones
constexpr std::size_t kMostKeys = 100'000'000;  // of one listing

// Calls use(page) page by page until it returns false.
void each_page(Bucket& bucket, const std::string& prefix, bool one_level, std::size_t most,
               const std::function<bool(ListPage&)>& use) {
  std::set<std::string> seen;  // tokens, and the first key of each page
  std::size_t keys = 0;
  std::string token;
  do {
    http::Call call = bucket.call("GET", "", bucket.list_query(prefix, one_level, most, token));
    call.key = bucket.uri(prefix) + (one_level ? " (list)" : " (list all)");
    std::optional<ListPage> whole;
    // A page that was cut on the way, or one of a proxy, is asked for again.
    call.judge = [inner = std::move(call.judge), &bucket, &call, &whole](const http::Answer& answer) {
      const http::Verdict verdict = inner(answer);
      const bool good = answer.failure == http::Failure::none && answer.status >= 200 && answer.status < 300;
      if (verdict != http::Verdict::done || !good) return verdict;
      try {
        whole = bucket.read_list_page(answer.body, call.key);
        return verdict;
      } catch (const Error&) {
        return http::Verdict::again;
      }
    };
    bucket.run(call);
    if (!Bucket::ok(call)) bucket.fail_answer(call);
    ListPage page = whole ? *std::move(whole) : bucket.read_list_page(call.answer.body, call.key);
    token = page.next;
    if (!token.empty() && !seen.insert("token " + token).second)
      fail(ErrorKind::io, "{}: the listing goes on where it has been before", call.key);
    // A server that never comes to an end repeats itself, or goes on beyond what any bucket of arrays has.
    if (!page.keys.empty() && !seen.insert("key " + page.keys.front().key).second)
      fail(ErrorKind::io, "{}: the listing has the key '{}' again", call.key, page.keys.front().key);
    if ((keys += std::max(kPage, page.keys.size())) > kMostKeys)
      fail(ErrorKind::unsupported, "{}: the listing has more than {} keys", call.key, kMostKeys);
    for (const ListedKey& key : page.keys)
      if (!key.key.starts_with(prefix))
        fail(ErrorKind::io, "{}: the listing has the key '{}', which is not below it", call.key, key.key);
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
        fail(ErrorKind::io, "a listing has the folder '{}', which is not below it", folder);
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

void remove_below(Bucket& bucket, const std::string& prefix) {
  each_page(bucket, below(prefix), false, SIZE_MAX, [&](ListPage& page) {
    std::vector<std::string> keys;
    for (ListedKey& key : page.keys) keys.push_back(std::move(key.key));
    if (!keys.empty()) bucket.remove(keys);
    return true;
  });
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

}  // namespace tegula::objects
