#include "store/zip/zip_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/cursor.h"
#include "codec/checksum/checksum.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/zip/zip_directory.h"
#include "store/zip/zip_records.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(std::string(TEGULA_TEST_DATA) + "/zip/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::shared_ptr<Store> holding(const std::string& bytes) {
  std::shared_ptr<Store> store = make_memory_store();
  store->put_text("a/x.zip", bytes);
  return store;
}

std::shared_ptr<Store> opened(const std::string& bytes, const std::optional<std::string>& inner = std::nullopt) {
  return open_zip_store(holding(bytes), "a/x.zip", inner);
}

std::string text(const Store& store, std::string_view key) {
  const std::optional<Bytes> bytes = store.get(key);
  return bytes ? std::string(text_of(*bytes)) : "<absent>";
}

std::string names(const Store& store, std::string_view prefix = "") {
  std::string out;
  for (const Entry& entry : store.list(prefix))
    out += entry.name + (entry.folder ? "/ " : ":" + std::to_string(entry.size) + " ");
  return out;
}

std::string all_names(const Store& store) {
  std::string out;
  for (const ListedFile& file : store.list_all("").files) out += file.key + " ";
  return out;
}

std::string chunk() {
  std::string bytes;
  for (int i = 0; i < 2048; ++i) bytes.push_back(static_cast<char>(i % 256));
  return bytes;
}

// Of archives that make.py of the data gave all of its files.
class MadeByPython : public ::testing::TestWithParam<const char*> {};

TEST_P(MadeByPython, IsReadWhole) {
  const std::shared_ptr<Store> store = opened(golden(GetParam()));
  EXPECT_EQ(text(*store, "zarr.json"), "{\"zarr_format\": 3}");
  EXPECT_EQ(text(*store, "c/0/0"), chunk());
  EXPECT_EQ(text(*store, "c/0/1"), "");
  EXPECT_EQ(text(*store, "nested/x/y"), "deep");
  EXPECT_EQ(text(*store, "c/0/2"), "<absent>");
  EXPECT_EQ(text(*store, "c/0/0/0"), "<absent>");
  EXPECT_EQ(store->size("c/0/0"), 2048u);
  EXPECT_EQ(store->size("c/9"), std::nullopt);
  EXPECT_EQ(names(*store, "c/0"), "0:2048 1:0 ");
  EXPECT_EQ(names(*store, "nested"), "x/ ");
  EXPECT_EQ(names(*store, "no"), "");
  EXPECT_EQ(all_names(*store), "c/0/0 c/0/1 nested/x/y zarr.json ");
  EXPECT_ERROR(io, "is a folder", store->get("c/0"));
}

TEST_P(MadeByPython, IsReadInRanges) {
  const std::shared_ptr<Store> store = opened(golden(GetParam()));
  Bytes a(3), b(2), c(0), d(2048);
  for (int again = 0; again < 2; ++again) {
    std::ranges::fill(a, std::byte{0});
    RangeRead reads[] = {{"c/0/0", 7, a}, {"nested/x/y", 2, b}, {"c/0/0", 2048, c}, {"gone", 0, a}, {"c/0/0", 0, d}};
    std::vector<int> arrived(std::size(reads));
    store->fetch(reads, [&](std::size_t i) { ++arrived[i]; });
    EXPECT_EQ(arrived, std::vector<int>(std::size(reads), 1));
    EXPECT_EQ(text_of(a), "\7\10\11");
    EXPECT_EQ(text_of(b), "ep");
    EXPECT_EQ(text_of(d), chunk());
    EXPECT_TRUE(reads[2].found);
    EXPECT_FALSE(reads[3].found);
  }
  RangeRead past{"c/0/0", 2047, b};
  EXPECT_ERROR(corrupt, "found 2048 bytes in all", store->get(std::span(&past, 1)));
  const std::optional<Tail> tail = store->tail("c/0/0", 3);
  EXPECT_EQ(text_of(tail->bytes), "\375\376\377");
  EXPECT_EQ(tail->size, 2048u);
}

INSTANTIATE_TEST_SUITE_P(Zip, MadeByPython,
                         ::testing::Values("stored.zip", "deflated.zip", "large_headers.zip", "comment.zip",
                                           "prefixed.zip", "descriptors.zip"),
                         [](const auto& test) {
                           return std::string(test.param, std::string_view(test.param).find('.'));
                         });

TEST(ZipStore, TheLastOfEqualNamesCounts) {
  const std::shared_ptr<Store> store = opened(golden("duplicates.zip"));
  EXPECT_EQ(text(*store, "same"), "the last one");
  EXPECT_EQ(names(*store), "other:1 same:12 ");
}

TEST(ZipStore, AnEmptyArchiveHoldsNothing) { EXPECT_EQ(names(*opened(golden("empty.zip"))), ""); }

TEST(ZipStore, OneTopFolderIsTheRootUnlessAnotherIsAskedFor) {
  const std::string bytes = golden("deflated.zip");
  EXPECT_EQ(names(*opened(bytes)), "c/ hollow/ nested/ zarr.json:18 ");
  EXPECT_EQ(names(*opened(bytes, "")), "top.zarr/ ");
  EXPECT_EQ(names(*opened(bytes, "top.zarr/c")), "0/ ");
  EXPECT_EQ(names(*opened(bytes, "nowhere")), "");
  EXPECT_EQ(opened(bytes)->describe("c/0/0"), "mem://a/x.zip!/top.zarr/c/0/0");
  EXPECT_EQ(opened(bytes)->uri("c"), "zip://mem://a/x.zip!/top.zarr/c");
}

TEST(ZipStore, IsNotWritten) {
  const std::shared_ptr<Store> store = opened(golden("stored.zip"));
  EXPECT_FALSE(store->hints().writes);
  EXPECT_ERROR(unsupported, "a zip archive is only read", store->put_text("new", "1"));
  EXPECT_ERROR(unsupported, "a zip archive is only read", store->begin("new"));
  EXPECT_ERROR(unsupported, "a zip archive is only read", store->remove("zarr.json"));
}

TEST(ZipStore, AMemberIsOneRangeOfTheArchive) {
  const auto counts = std::make_shared<StoreCounts>();
  const auto requests = [&] {
    const std::uint64_t batches = counts->batches;
    counts->batches = 0;
    return batches;
  };
  struct {
    const char* name;
    std::uint64_t first;  // batches of the first read of a member
  } const cases[] = {{"stored.zip", 1}, {"deflated.zip", 1}, {"large_headers.zip", 2}};
  for (const auto& [name, first] : cases) {
    SCOPED_TRACE(name);
    const std::shared_ptr<Store> store = open_zip_store(counting_store(holding(golden(name)), counts), "a/x.zip");
    EXPECT_EQ(requests(), 1u) << "the tail holds the directory";
    store->get("nested/x/y");
    EXPECT_EQ(requests(), first);
    FileRead reads[] = {{"zarr.json", UINT64_MAX, {}}, {"c/0/0", UINT64_MAX, {}}};
    store->get(reads);
    EXPECT_EQ(requests(), first) << "a batch is a batch";
    store->get(reads);
    EXPECT_EQ(requests(), 1u) << "where members begin is remembered";
    store->list("c");
    store->size("c/0/0");
    EXPECT_EQ(requests(), 0u);
  }
}

TEST(ZipStore, WhatWasInflatedForOneRangeServesTheNext) {
  const auto counts = std::make_shared<StoreCounts>();
  const std::shared_ptr<Store> store =
      open_zip_store(counting_store(holding(golden("deflated.zip")), counts), "a/x.zip");
  Bytes part(5);
  RangeRead read{"c/0/0", 100, part};
  store->get(std::span(&read, 1));
  const std::uint64_t reads = counts->reads;
  read.offset = 200;
  store->get(std::span(&read, 1));
  EXPECT_EQ(counts->reads, reads);
  EXPECT_EQ(part[0], std::byte{200});
}

// Archives by hand, each wrong in one way.
struct Hand {
  std::string name = "file", local_name = "file", data = "0123456789";
  std::uint16_t flags = 0, method = 0, local_method = 0, disk = 0, end_disk = 0, entries = 1, comment = 0;
  std::uint32_t size = 10, stored_size = 10, header = 0;
  std::int64_t directory_size = 0, directory_at = 0;  // added to what is right
  std::uint32_t crc = 0xa684c7c6;                     // of "0123456789"
  std::string extra;                                  // of the entry
  bool locator = false;

  std::string bytes() const {
    Bytes all;
    ByteWriter out(all);
    out.put<std::uint32_t>(kHeaderSign);
    out.zeros(4);
    out.put<std::uint16_t>(local_method);
    out.zeros(16);
    out.put<std::uint16_t>(static_cast<std::uint16_t>(local_name.size()));
    out.put<std::uint16_t>(0);
    out.text(local_name);
    out.text(data);
    const std::size_t directory = all.size();
    out.put<std::uint32_t>(kEntrySign);
    out.zeros(4);
    out.put<std::uint16_t>(flags);
    out.put<std::uint16_t>(method);
    out.zeros(4);
    out.put<std::uint32_t>(crc);
    out.put<std::uint32_t>(stored_size);
    out.put<std::uint32_t>(size);
    out.put<std::uint16_t>(static_cast<std::uint16_t>(name.size()));
    out.put<std::uint16_t>(static_cast<std::uint16_t>(extra.size()));
    out.put<std::uint16_t>(comment);
    out.put<std::uint16_t>(disk);
    out.zeros(6);
    out.put<std::uint32_t>(header);
    out.text(name);
    out.text(extra);
    const std::size_t end = all.size();
    if (locator) {
      out.put<std::uint32_t>(kLocatorSign);
      out.zeros(4);
      out.put<std::uint64_t>(UINT64_MAX);
      out.put<std::uint32_t>(1);
    }
    out.put<std::uint32_t>(kEndSign);
    out.put<std::uint16_t>(end_disk);
    out.put<std::uint16_t>(0);
    out.put<std::uint16_t>(entries);
    out.put<std::uint16_t>(entries);
    out.put<std::uint32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(end - directory) + directory_size));
    out.put<std::uint32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(directory) + directory_at));
    out.put<std::uint16_t>(0);
    return std::string(text_of(all));
  }
};

Hand hand(const std::function<void(Hand&)>& change) {
  Hand made;
  change(made);
  return made;
}

// An extra field of zip64 with these numbers.
std::string large_field(std::initializer_list<std::uint64_t> numbers) {
  Bytes all;
  ByteWriter out(all);
  out.put<std::uint16_t>(kZip64Field);
  out.put<std::uint16_t>(static_cast<std::uint16_t>(8 * numbers.size()));
  for (const std::uint64_t number : numbers) out.put<std::uint64_t>(number);
  return std::string(text_of(all));
}

TEST(ZipStore, TheHandMadeOneIsRightUnlessChanged) {
  EXPECT_EQ(text(*opened(Hand{}.bytes()), "file"), "0123456789");
  const Hand large = hand([](Hand& made) {
    made.size = made.stored_size = made.header = kLarge32;
    made.extra = large_field({10, 10, 0});
  });
  EXPECT_EQ(text(*opened(large.bytes()), "file"), "0123456789");
}

TEST(ZipStore, RefusesByName) {
  struct {
    const char* message;
    std::function<void(Hand&)> change;
  } const cases[] = {
      {"member 'file' is encrypted", [](Hand& made) { made.flags = 1; }},
      {"member 'file' is encrypted", [](Hand& made) { made.flags = 0x2000; }},
      {"packed by method 93", [](Hand& made) { made.method = 93; }},
      {"several disks", [](Hand& made) { made.disk = 1; }},
      {"several disks", [](Hand& made) { made.end_disk = 1; }},
      {"the name '../file'", [](Hand& made) { made.name = "../file"; }},
      {"the name 'a/../file'", [](Hand& made) { made.name = "a/../file"; }},
      {"the name '/file'", [](Hand& made) { made.name = "/file"; }},
      {"the name 'a\\file'", [](Hand& made) { made.name = "a\\file"; }},
      {"the name 'a//file'", [](Hand& made) { made.name = "a//file"; }},
      {"the name './file'", [](Hand& made) { made.name = "./file"; }},
      {"the name ''", [](Hand& made) { made.name = ""; }},
      {"the name ''", [](Hand& made) { made.name = "/"; }},
  };
  for (const auto& [message, change] : cases) EXPECT_ERROR(unsupported, message, opened(hand(change).bytes()));
  EXPECT_ERROR(unsupported, "packed by method 12", opened(golden("bzip2.zip")));
  EXPECT_ERROR(not_found, "no such file", open_zip_store(make_memory_store(), "gone.zip"));
}

TEST(ZipStore, FindsDamageOfTheDirectory) {
  struct {
    const char* message;
    std::function<void(Hand&)> change;
  } const cases[] = {
      {"reaches into what follows it", [](Hand& made) { made.size = made.stored_size = 11; }},
      {"its two sizes are 10 and 9", [](Hand& made) { made.size = 9; }},
      {"does not lie before the directory", [](Hand& made) { made.header = 40; }},
      {"does not lie before the directory", [](Hand& made) { made.header = 0xFFFFFFF0; }},
      {"expected an entry", [](Hand& made) { made.directory_size = -1, made.directory_at = 1; }},
      {"ends within an entry", [](Hand& made) { made.comment = 1; }},
      {"expected an entry", [](Hand& made) { made.directory_size = 4, made.directory_at = -4; }},
      {"does not fit before its end record", [](Hand& made) { made.directory_at = 1; }},
      {"does not fit before its end record", [](Hand& made) { made.directory_size = 0x7FFFFFFF; }},
      {"holds 1 entries, its end record counts 2", [](Hand& made) { made.entries = 2; }},
      {"no zip64 end record", [](Hand& made) { made.locator = true; }},
      {"reaches into what follows it",
       [](Hand& made) { made.size = made.stored_size = kLarge32, made.extra = large_field({1ull << 60, 1ull << 60}); }},
      {"a number", [](Hand& made) { made.size = made.stored_size = kLarge32, made.extra = large_field({10}); }},
  };
  for (const auto& [message, change] : cases) EXPECT_ERROR(corrupt, message, opened(hand(change).bytes()));
  for (const std::string& bytes : {std::string(), std::string("PK"), std::string(100, 'x'), golden("stored.zip") + "x"})
    EXPECT_ERROR(corrupt, "not a zip archive, or cut short", opened(bytes));
}

TEST(ZipStore, FindsDamageOfMembers) {
  struct {
    const char* message;
    std::function<void(Hand&)> change;
  } const cases[] = {
      {"its CRC-32 is a684c7c6, the directory says 00000001", [](Hand& made) { made.crc = 1; }},
      {"found that of another one", [](Hand& made) { made.local_name = "life"; }},
      {"packed by method 8, its directory says 0", [](Hand& made) { made.local_method = 8; }},
      {"not deflated from 10", [](Hand& made) { made.method = made.local_method = 8; }},
      {"cannot hold the 4294967294 bytes",
       [](Hand& made) { made.method = made.local_method = 8, made.size = kLarge32 - 1; }},
      {"expected the header",
       [](Hand& made) {
         made.header = 5;
         made.size = made.stored_size = 5;
       }},
  };
  for (const auto& [message, change] : cases) EXPECT_ERROR(corrupt, message, opened(hand(change).bytes())->get("file"));
}

// No memory is taken for what a member claims to hold.
TEST(ZipStore, ClaimsOfTheDirectoryAreNotBelieved) {
  const std::shared_ptr<Store> store = opened(hand([](Hand& made) {
                                                made.method = made.local_method = 8;
                                                made.size = kLarge32;
                                                made.extra = large_field({1ull << 50});
                                              }).bytes());
  EXPECT_ERROR(corrupt, "cannot hold the 1125899906842624 bytes", store->size("file"));
  EXPECT_ERROR(corrupt, "cannot hold", store->get("file", 0, 1ull << 50));
  Bytes part(5);
  RangeRead read{"file", 1ull << 40, part};
  EXPECT_ERROR(corrupt, "cannot hold", store->get(std::span(&read, 1)));
}

// Another archive under the same name, laid out alike: its bytes are not taken for those of the directory.
TEST(ZipStore, AnArchiveThatIsReplacedIsNotedByRanges) {
  const std::string right = golden("stored.zip");
  const std::shared_ptr<Store> around = holding(right);
  const std::shared_ptr<Store> store = open_zip_store(around, "a/x.zip");
  const auto part = [&](const Store& from) {
    Bytes bytes(5);
    RangeRead read{"c/0/0", 100, bytes};
    from.get(std::span(&read, 1));
    return std::to_integer<int>(bytes[0]);
  };
  const std::shared_ptr<Store> late = open_zip_store(around, "a/x.zip");
  EXPECT_EQ(part(*store), 100);
  EXPECT_EQ(part(*store), 100);
  // Its time, its CRC-32 and its bytes.
  std::string other = right;
  const std::size_t name = other.find("c/0/0"), header = name - kZipHeader;
  other[header + 10] = static_cast<char>(other[header + 10] ^ 1);
  around->put_text("a/x.zip", other);
  EXPECT_ERROR(io, "it changed while it was read", part(*store));
  other[header + 14] = static_cast<char>(other[header + 14] ^ 1);
  around->put_text("a/x.zip", other);
  EXPECT_ERROR(io, "it changed while it was read", part(*store));
  EXPECT_ERROR(corrupt, "its directory says", part(*late));
  around->put_text("a/x.zip", right);
  EXPECT_EQ(part(*store), 100);
}

// Every byte of an archive, changed: the members read as before, or an error says what is wrong.
TEST(ZipStore, NoChangedByteGoesUnnoticedInWholeMembers) {
  for (const char* name : {"stored.zip", "deflated.zip", "descriptors.zip"}) {
    SCOPED_TRACE(name);
    const std::string right = golden(name);
    std::map<std::string, std::string> before;
    const std::shared_ptr<Store> store = opened(right);
    for (const ListedFile& file : store->list_all("").files) before[file.key] = text(*store, file.key);
    for (std::size_t at = 0; at < right.size(); ++at) {
      std::string bytes = right;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
      try {
        const std::shared_ptr<Store> changed = opened(bytes);
        for (const ListedFile& file : changed->list_all("").files) {
          const std::string found = text(*changed, file.key);
          if (const auto was = before.find(file.key); was != before.end()) {
            EXPECT_EQ(found, was->second) << "byte " << at;
          }
        }
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace tegula
