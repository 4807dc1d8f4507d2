// What every store must do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/current_work.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "store/file/file_store.h"
#include "store/folder_locks.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/forgetting_store.h"
#include "store/wrap/latency_store.h"
#include "store/wrap/sub_store.h"
#include "store/wrap/tracing_store.h"
#include "store/zip/zip_writer.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

struct Made {
  std::shared_ptr<void> keep;
  std::shared_ptr<Store> store;
};

struct Kind {
  std::string name;
  std::function<Made()> make;
};

Made file_store(bool sync) {
  auto folder = std::make_shared<testing::TempFolder>();
  StoreOptions options;
  options.sync = sync;
  return {folder, open_file_store(*folder / "not/yet/there", options)};
}

const Kind kKinds[] = {
    {"file", [] { return file_store(true); }},
    {"file_unsynced", [] { return file_store(false); }},
    {"memory", [] { return Made{nullptr, make_memory_store()}; }},
    {"sub",
     [] {
       Made made = file_store(false);
       return Made{made.keep, sub_store(made.store, "a/b")};
     }},
    {"counting", [] { return Made{nullptr, counting_store(make_memory_store(), std::make_shared<StoreCounts>())}; }},
    {"tracing", [] { return Made{nullptr, tracing_store(make_memory_store(), [](std::string_view) {})}; }},
    {"forgetting",
     [] { return Made{nullptr, forgetting_store(make_memory_store(), std::make_shared<UnsyncedChanges>())}; }},
    {"new_archive", [] { return Made{nullptr, zip_writer(make_memory_store(), "x.zip")}; }},
    {"far_away", [] { return Made{nullptr, latency_store(make_memory_store())}; }},
    {"failing_never", [] { return Made{nullptr, failing_store(make_memory_store(), std::make_shared<FaultPlan>())}; }},
};

// The servers that TEGULA_TEST_S3 and TEGULA_TEST_AZURE name: "NAME=ENDPOINT,KEY,SECRET,BUCKET;..."
// (tests/stores/servers.py). Each test has a folder of its own in the bucket. rclone takes conditions and does not look
// at them.
void add_servers(std::vector<Kind>& all, const char* variable, const char* scheme, const char* key_option,
                 const char* secret_option) {
  const char* servers = std::getenv(variable);
  std::stringstream list(servers ? servers : "");
  for (std::string server; std::getline(list, server, ';');) {
    std::stringstream fields(server.substr(server.find('=') + 1));
    std::string endpoint, key, secret, bucket;
    std::getline(std::getline(std::getline(std::getline(fields, endpoint, ','), key, ','), secret, ','), bucket, ',');
    const std::string name = server.substr(0, server.find('='));
    StoreOptions options;
    options.settings = {{"endpoint", endpoint}, {key_option, key}, {secret_option, secret}};
    if (name != "rclone") options.settings["conditional_put"] = "true";
    all.push_back({name, [=] {
                     static std::atomic<int> made{0};
                     const std::string uri = fmt::format("{}://{}/contract-{}-{}", scheme, bucket, ::getpid(), ++made);
                     return Made{nullptr, open_store(uri, options)};
                   }});
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all(std::begin(kKinds), std::end(kKinds));
  add_servers(all, "TEGULA_TEST_S3", "s3", "access_key_id", "secret_access_key");
  add_servers(all, "TEGULA_TEST_AZURE", "az", "account", "account_key");
  return all;
}

class StoreContract : public ::testing::TestWithParam<Kind> {
 protected:
  StoreContract() : made_(GetParam().make()), store_(*made_.store) {}
  std::string text(std::string_view key) const {
    const auto bytes = store_.get(key);
    return bytes ? std::string(text_of(*bytes)) : "<absent>";
  }
  std::string names(std::string_view prefix) const {
    std::string out;
    for (const Entry& entry : store_.list(prefix))
      out += entry.name + (entry.folder ? "/ " : ":" + std::to_string(entry.size) + " ");
    return out;
  }
  Made made_;
  Store& store_;
};

TEST_P(StoreContract, AbsentIsAValue) {
  EXPECT_EQ(store_.get("x"), std::nullopt);
  EXPECT_EQ(store_.get("x/y"), std::nullopt);
  EXPECT_EQ(store_.size("x"), std::nullopt);
  EXPECT_EQ(store_.get("x", 0, 10), std::nullopt);
  EXPECT_EQ(names(""), "");
  EXPECT_EQ(names("no/such"), "");
  RangeRead read{"x", 5, {}, true};
  store_.get(std::span(&read, 1));
  EXPECT_FALSE(read.found);
  store_.remove("x");
}

TEST_P(StoreContract, PutGetReplaceRemove) {
  store_.put_text("a/b/file", "hello");
  EXPECT_EQ(text("a/b/file"), "hello");
  EXPECT_EQ(store_.size("a/b/file"), 5u);
  store_.put_text("a/b/file", "bye");
  EXPECT_EQ(text("a/b/file"), "bye");
  store_.put_text("a/empty", "");
  EXPECT_EQ(text("a/empty"), "");
  EXPECT_EQ(text("a/b/file/deeper"), "<absent>");
  const ByteView parts[] = {bytes_of("one"), bytes_of(""), bytes_of("two")};
  store_.put("parts", parts);
  EXPECT_EQ(text("parts"), "onetwo");
  store_.remove("a/b/file");
  EXPECT_EQ(text("a/b/file"), "<absent>");
  EXPECT_EQ(names("a/b"), "");
}

TEST_P(StoreContract, Ranges) {
  store_.put_text("f", "0123456789");
  store_.put_text("g", "abc");
  Bytes a(3), b(2), c(3), d(0);
  RangeRead reads[] = {{"f", 2, a}, {"f", 8, b}, {"g", 0, c}, {"f", 10, d}, {"h", 0, d}};
  store_.get(reads);
  EXPECT_EQ(text_of(a), "234");
  EXPECT_EQ(text_of(b), "89");
  EXPECT_EQ(text_of(c), "abc");
  EXPECT_TRUE(reads[3].found);
  EXPECT_FALSE(reads[4].found);
  EXPECT_EQ(text_of(*store_.get("f", 4, 3)), "456");
  EXPECT_ERROR(corrupt, "found 10 bytes in all", store_.get("f", 8, 3));
  EXPECT_ERROR(corrupt, "found 10 bytes in all", store_.get("f", UINT64_MAX, 3));
  EXPECT_ERROR(corrupt, "found 10 bytes in all", store_.get("f", 0, UINT64_MAX));
  RangeRead past{"f", 9, b};
  EXPECT_ERROR(corrupt, "expected 2 bytes at byte 9", store_.get(std::span(&past, 1)));
}

// Adjacent in the file, scattered in memory: more ranges than one system call takes, some of them empty.
TEST_P(StoreContract, NeighbouringRanges) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>('a' + i % 23);
  store_.put_text("f", text);
  std::string out(text.size(), '?');
  std::vector<RangeRead> reads;
  std::size_t at = 0;
  for (std::size_t i = 0; at < text.size(); ++i) {
    const std::size_t size = std::min(i % 4 == 3 ? 0 : 1 + i % 5, text.size() - at);
    reads.push_back({"f", at, std::as_writable_bytes(std::span(out)).subspan(at, size)});
    at += size;
  }
  store_.get(reads);
  EXPECT_EQ(out, text);
  EXPECT_TRUE(std::all_of(reads.begin(), reads.end(), [](const RangeRead& read) { return read.found; }));
  char tail[8];
  RangeRead past[] = {{"f", 4996, std::as_writable_bytes(std::span(tail).first(4))},
                      {"f", 5000, std::as_writable_bytes(std::span(tail).last(4))}};
  EXPECT_ERROR(corrupt, "5000", store_.get(past));
}

TEST_P(StoreContract, ListsOneLevelSorted) {
  for (const char* key : {"b", "a/x", "a/y/z", "c0", "a.b"}) store_.put_text(key, "12");
  EXPECT_EQ(names(""), "a/ a.b:2 b:2 c0:2 ");
  EXPECT_EQ(names("a"), "x:2 y/ ");
  EXPECT_EQ(names("a/x"), "");
}

TEST_P(StoreContract, Folders) {
  store_.make_folder("empty/inner");
  if (store_.hints().empty_folders) {
    EXPECT_EQ(names("empty"), "inner/ ");
    EXPECT_ERROR(io, "a folder", store_.get("empty"));
    EXPECT_ANY_THROW(store_.put_text("empty", "x"));
    EXPECT_ERROR(io, "not empty", store_.remove("empty"));
    store_.remove("empty/inner");
    store_.remove("empty");
  }
  EXPECT_TRUE(store_.list_all("").files.empty());
  for (const char* key : {"t/1", "t/u/2", "t/u/v/3", "keep"}) store_.put_text(key, "x");
  store_.remove_tree("t");
  ASSERT_EQ(store_.list_all("").files.size(), 1u);
  EXPECT_EQ(store_.list_all("").files[0].key, "keep");
  // SeaweedFS goes on listing folders that became empty, for a while.
  if (store_.hints().empty_folders) {
    EXPECT_EQ(names(""), "keep:1 ");
  }
  store_.sync_folder("");
}

TEST_P(StoreContract, Uploads) {
  {
    auto upload = store_.begin("up/load");
    upload->append(bytes_of("part one, "));
    EXPECT_EQ(text("up/load"), "<absent>");
    upload->append(bytes_of("part two"));
    EXPECT_EQ(text("up/load"), "<absent>");
    upload->commit();
  }
  EXPECT_EQ(text("up/load"), "part one, part two");
  {
    auto dropped = store_.begin("up/dropped");
    dropped->append(bytes_of("x"));
  }
  EXPECT_EQ(text("up/dropped"), "<absent>");
  EXPECT_EQ(names("up"), "load:18 ");
}

TEST_P(StoreContract, UploadsCommittedTogether) {
  std::vector<std::unique_ptr<Upload>> uploads;
  for (const char* key : {"set/a", "set/b", "set/c"}) {
    uploads.push_back(store_.begin(key));
    uploads.back()->append(bytes_of(key));
  }
  uploads[0]->sync();
  EXPECT_EQ(text("set/a"), "<absent>");
  commit_together(store_, "set", uploads, {});
  uploads.clear();
  EXPECT_EQ(names("set"), "a:5 b:5 c:5 ");
  EXPECT_EQ(text("set/b"), "set/b");
}

TEST_P(StoreContract, UploadsAppearOnlyInAState) {
  const auto upload = [&](const char* bytes) {
    std::unique_ptr<Upload> out = store_.begin("up/one");
    out->append(bytes_of(bytes));
    out->sync();
    return out;
  };
  EXPECT_TRUE(upload("first")->appear_if(""));
  EXPECT_EQ(text("up/one"), "first");
  EXPECT_FALSE(upload("second")->appear_if(""));
  const std::string state = store_.get_stated("up/one").state;
  EXPECT_TRUE(upload("third")->appear_if(state));
  EXPECT_FALSE(upload("fourth")->appear_if(state));
  EXPECT_EQ(text("up/one"), "third");
  EXPECT_EQ(names("up"), "one:5 ");
}

// What reads say of the state of a file differs after it was replaced, or they do not know it.
TEST_P(StoreContract, ReadsTellStates) {
  store_.put_text("f", "one");
  Bytes bytes(2);
  std::string before, after;
  RangeRead read{"f", 1, bytes, false, &before};
  store_.get(std::span(&read, 1));
  const std::string end = store_.tail("f", 1)->state;
  if (!before.empty() && !end.empty()) {
    EXPECT_EQ(before, end);
  }
  store_.put_text("f", "other");
  read.state = &after;
  store_.get(std::span(&read, 1));
  EXPECT_TRUE(before.empty() ? after.empty() : after != before) << before << " " << after;
}

// The folder around a store, where one is known, holds the files of the store under its name.
TEST_P(StoreContract, LiesInTheFolderAroundIt) {
  store_.put_text("f", "one");
  const std::optional<FolderOf> folder = store_.around();
  if (!folder) return;
  EXPECT_EQ(text_of(folder->store->get(join(folder->name, "f")).value()), "one");
}

TEST_P(StoreContract, ScratchKeepsRangesAndLeavesNothing) {
  const std::string before = names("");
  {
    const std::unique_ptr<Scratch> scratch = store_.scratch();
    // Adjacent and with gaps, across the blocks that scratch memory may consist of.
    constexpr std::uint64_t kPiece = 700'001;
    parallel_for({}, 4, [&](std::size_t i) {
      scratch->write((i == 3 ? 5 : i) * kPiece, Bytes(kPiece, std::byte{static_cast<unsigned char>(i + 1)}));
    });
    Bytes found(2);
    scratch->read(kPiece - 1, found);
    EXPECT_EQ(found, (Bytes{std::byte{1}, std::byte{2}}));
    Bytes all(kPiece);
    scratch->read(5 * kPiece, all);
    EXPECT_EQ(all, Bytes(kPiece, std::byte{4}));
    EXPECT_ERROR(io, "nothing was written", scratch->read(20 * kPiece, found));
    EXPECT_EQ(names(""), before);
  }
  EXPECT_EQ(names(""), before);
}

TEST_P(StoreContract, KeysStayInside) {
  for (const char* key : {"", "/", "/etc/passwd", "..", "../x", "a/../b", "a//b", "a/", "./a", "a/."}) {
    EXPECT_ERROR(invalid_argument, "is not a name inside the array", store_.get(key));
    EXPECT_ERROR(invalid_argument, "", store_.put_text(key, "x"));
    EXPECT_ERROR(invalid_argument, "", store_.remove(key));
    EXPECT_ERROR(invalid_argument, "", store_.begin(key));
    EXPECT_ERROR(invalid_argument, "", store_.size(key));
  }
  EXPECT_ERROR(invalid_argument, "", store_.get(std::string_view("a\0b", 3)));
  EXPECT_ERROR(invalid_argument, "", store_.list(".."));
}

TEST_P(StoreContract, ReadersNeverSeeATornFile) {
  if (GetParam().name == "rclone") GTEST_SKIP() << "it writes its files in place";
  const std::string one(300'000, '1'), two(200'000, '2');
  store_.put_text("f", one);
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) store_.put_text("f", i % 2 ? one : two);
  });
  for (int i = 0; i < 100; ++i) {
    const std::string seen = text("f");
    ASSERT_TRUE(seen == one || seen == two) << seen.size();
  }
  writer.join();
}

TEST_P(StoreContract, BatchesOfFilesAndTails) {
  store_.put_text("a/f", "0123456789");
  store_.put_text("g", "");
  FileRead reads[] = {{"a/f"}, {"a/f", 4}, {"a/f", 100}, {"g"}, {"g", 5}, {"none"}, {"none/deeper", 3}};
  reads[5].found = Tail{};
  store_.get(reads);
  const char* expected[] = {"0123456789", "6789", "0123456789", "", ""};
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(reads[i].found) << i;
    EXPECT_EQ(text_of(reads[i].found->bytes), expected[i]) << i;
    EXPECT_EQ(reads[i].found->size, i < 3 ? 10u : 0u);
  }
  EXPECT_FALSE(reads[5].found);
  EXPECT_FALSE(reads[6].found);
}

TEST_P(StoreContract, FetchReportsEveryRangeOnce) {
  store_.put_text("f", std::string(1000, 'x') + "end");
  std::vector<Bytes> places(20, Bytes(50));
  std::vector<RangeRead> reads;
  for (std::size_t i = 0; i < places.size(); ++i) reads.push_back({i % 5 == 4 ? "none" : "f", i * 50, places[i]});
  std::vector<std::atomic<int>> arrived(reads.size());
  store_.fetch(reads, [&](std::size_t i) {
    EXPECT_EQ(reads[i].found, i % 5 != 4);
    if (reads[i].found) {
      EXPECT_EQ(text_of(places[i]), std::string(50, 'x'));
    }
    ++arrived[i];
  });
  for (const auto& count : arrived) EXPECT_EQ(count, 1);
  EXPECT_ERROR(io, "by the caller", store_.fetch(reads, [](std::size_t) { fail(ErrorKind::io, "by the caller"); }));
  RangeRead past{"f", 1000, places[0]};
  EXPECT_ERROR(corrupt, "1003", store_.fetch(std::span(&past, 1), [](std::size_t) {}));
}

TEST_P(StoreContract, FlatListings) {
  EXPECT_TRUE(store_.list_all("").files.empty());
  for (const char* key : {"a/x", "a/y/z", "a.b", "b", "ab/c"}) store_.put_text(key, key);
  store_.make_folder("empty");
  const auto keys = [&](const Listing& listing) {
    std::string out;
    for (const ListedFile& file : listing.files) out += fmt::format("{}:{} ", file.key, file.size);
    return out;
  };
  EXPECT_EQ(keys(store_.list_all("")), "a.b:3 a/x:3 a/y/z:5 ab/c:4 b:1 ");
  EXPECT_EQ(keys(store_.list_all("a")), "a/x:3 a/y/z:5 ");
  EXPECT_EQ(keys(store_.list_all("none")), "");
  EXPECT_TRUE(store_.list_all("a", 2).complete);
  const Listing some = store_.list_all("", 2);
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(some.files.size(), 2u);
  // States change with the file and with nothing else.
  const std::string before = store_.list_all("b").files.empty() ? store_.list_all("").files[4].state : "";
  EXPECT_EQ(store_.list_all("").files[4].state, before);
  store_.put_text("b", "2");
  EXPECT_NE(store_.list_all("").files[4].state, before);
}

TEST_P(StoreContract, RemovesManyFiles) {
  std::vector<std::string> keys;
  for (int i = 0; i < 30; ++i) keys.push_back(fmt::format("many/{}/{}", i % 3, i));
  for (const std::string& key : keys) store_.put_text(key, "x");
  store_.put_text("many/keep", "x");
  keys.push_back("many/none");
  store_.remove(keys);
  EXPECT_EQ(store_.list_all("many").files.size(), 1u);
  store_.remove(std::span<const std::string>());
}

TEST_P(StoreContract, PutsUnderACondition) {
  const auto put_if = [&](const std::string& text, const std::string& state) {
    const ByteView part = bytes_of(text);
    return store_.put_if("a/doc", std::span(&part, 1), state);
  };
  EXPECT_EQ(store_.get_stated("a/doc").bytes, std::nullopt);
  EXPECT_EQ(store_.get_stated("a/doc").state, "");
  EXPECT_FALSE(put_if("one", "another state"));
  EXPECT_EQ(text("a/doc"), "<absent>");
  EXPECT_TRUE(put_if("one", ""));
  EXPECT_FALSE(put_if("two", ""));
  EXPECT_EQ(text("a/doc"), "one");
  const StatedFile first = store_.get_stated("a/doc");
  EXPECT_EQ(text_of(*first.bytes), "one");
  EXPECT_TRUE(put_if("two", first.state));
  EXPECT_FALSE(put_if("six", first.state));
  store_.put_text("a/doc", "one");
  // The same bytes again: still another state, but where the state is a hash of them.
  if (!store_.hints().remote()) {
    EXPECT_FALSE(put_if("six", first.state));
  }
  EXPECT_EQ(text("a/doc"), "one");
  const std::string last = store_.get_stated("a/doc").state;
  store_.remove("a/doc");
  EXPECT_FALSE(put_if("six", last));
  EXPECT_EQ(text("a/doc"), "<absent>");
  EXPECT_TRUE(store_.list_all("a").files.empty());
}

TEST_P(StoreContract, ConditionalPutsLoseNoChange) {
  constexpr int kThreads = 4, kEach = 10;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach;) {
        const StatedFile old = store_.get_stated("counter");
        const std::string next = std::to_string(1 + (old.bytes ? std::stoi(std::string(text_of(*old.bytes))) : 0));
        const ByteView part = bytes_of(next);
        i += store_.put_if("counter", std::span(&part, 1), old.state);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(text("counter"), std::to_string(kThreads * kEach));
}

// Local stores have locks, whatever is around them; remote ones have none.
TEST_P(StoreContract, AFolderIsHeldByOne) {
  store_.put_text("a/x", "1");
  std::unique_ptr<FolderHold> one = hold_folder(store_, "a");
  const bool local = std::ranges::count(std::initializer_list<std::string>{"file", "file_unsynced", "memory", "sub",
                                                                           "counting", "tracing", "far_away"},
                                        GetParam().name) == 1;
  EXPECT_EQ(one != nullptr, local);
  if (!one) return;
  Cancel cancel;
  cancel.request();
  Work work;
  work.cancel = &cancel;
  {
    const CurrentWork current(work);
    EXPECT_ERROR(cancelled, "", hold_folder(store_, "a"));
  }
  EXPECT_NE(hold_folder(store_, ""), nullptr) << "another folder";
  one.reset();
  EXPECT_NE(hold_folder(store_, "a"), nullptr);
}

TEST_P(StoreContract, PlacesAreNamed) {
  EXPECT_NE(store_.uri("a/b").find("://"), std::string::npos) << store_.uri("a/b");
  EXPECT_TRUE(store_.uri("a/b").ends_with("a/b"));
  EXPECT_EQ(store_.identity(), store_.identity());
  EXPECT_FALSE(store_.identity().empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(StoreContract, ProbesTakeWhatIsThere) {
  store_.put_text("a/file", "x");
  FileRead reads[] = {{"a/file"}, {"gone"}};
  for (FileRead& read : reads) read.may_fail = true;
  store_.get(reads);
  EXPECT_TRUE(reads[0].found && !reads[0].failure);
  EXPECT_TRUE(!reads[1].found && !reads[1].failure);
}

}  // namespace
}  // namespace tegula
