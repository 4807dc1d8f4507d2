// Files that bcolz 0.12.1 and 1.2.1 wrote (tests/data/bcolz), and damage done to them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/checksum/checksum.h"
#include "format/bcolz/fixtures.h"
#include "store/file/file_store.h"
#include "store/wrap/counting_store.h"
#include "support/expect_error.h"

namespace tegula::bcolz {
namespace {

std::string data(const std::string& name) { return std::string(TEGULA_TEST_DATA) + "/bcolz/" + name; }
std::shared_ptr<Array> open_data(const std::string& name) { return open(open_file_store(data(name))); }

std::string sha256(const Array& array, const std::string& field) {
  std::string out;
  for (const std::byte b : codec::sha256(read(array, "[...]", field)))
    out += fmt::format("{:02x}", static_cast<unsigned>(b));
  return out;
}

// A copy in memory that can be damaged.
std::shared_ptr<Store> copy_of_data(const std::string& name) {
  const std::shared_ptr<Store> from = open_file_store(data(name)), to = make_memory_store();
  const auto copy = [&](const auto& self, const std::string& folder) -> void {
    for (const Entry& entry : from->list(folder)) {
      const std::string key = join(folder, entry.name);
      if (entry.folder)
        self(self, key);
      else
        to->put(key, *from->get(key));
    }
  };
  copy(copy, "");
  return to;
}

TEST(RealFiles, ValuesAreThoseThatWereWritten) {
  struct Row {
    const char *name, *field, *sha256;
  };
  for (const Row& row : {
           Row{"ctable-basic", "id", "e400545226cf5ba42fd39425b971e616f3154568cf4f74d8deaed0d10f18f7eb"},
           {"ctable-basic", "tag", "d946052803d50fc39d2802a37ad5d638f467820239e7c6a326132472b5aadd4c"},
           {"ctable-basic", "weight", "8f7105d0969ce2b7eb503c1e0c6f67af3683b214954b65a418d9173bd138ee33"},
           {"ctable-nd-columns", "pair", "c2b95ab9eaee6e6708f23727120bec1c5a6b09797e43c79f55cf05454ad56149"},
           {"ctable-nd-columns", "vec", "3f7ad56284c4d08b1dcc614e2a0f87cc8f20f2e0b75e67f91c2b1f802a8c7327"},
           {"nd-1-9x3x5", "", "6fb9c8bd39f55d45c14906cf01677cc53b547fcd780a47c095649b1e2e281463"},
           {"unflushed-cross", "", "80f9e2ede38786b7dd62b4beff04474be1cc227bf6e498aea0522797aee3355d"},
           // C-Blosc 1.4 stored compressed bytes where every reader, bcolz too, expects raw ones.
           {"v0.12.1-rescue-zlib", "", "d622192e190896ea70938ca2783f92f1f1073af78fb436b84a5b821d81e5f784"},
       })
    EXPECT_EQ(sha256(*open_data(row.name), row.field), row.sha256) << row.name << " " << row.field;
}

TEST(RealFiles, SchemaOfATable) {
  const auto table = open_data("ctable-nd-columns");
  const Schema& schema = table->schema();
  EXPECT_TRUE(schema.table);
  EXPECT_EQ(schema.format, "bcolz");
  EXPECT_EQ(schema.shape(), std::vector<std::uint64_t>{39});
  EXPECT_EQ(schema.attribute("vec")->values_per_cell, 3u);
  EXPECT_EQ(display_name(schema.attribute("vec")->filters.at(0)), "blosc:lz4:5:shuffle");
  EXPECT_EQ(table->info().chunks_present, table->info().chunks_expected);
}

TEST(RealFiles, AMissingChunkIsNeverZeros) {
  const auto array = open_data("damaged-missing-middle");
  EXPECT_EQ(values_of<std::int32_t>(*array, "[0:3]"), (std::vector<std::int32_t>{4, 4, 4}));
  EXPECT_EQ(values_of<std::int32_t>(*array, "[128:130]"), (std::vector<std::int32_t>{46, 47}));
  EXPECT_ERROR(corrupt, "__1.blp", values_of<std::int32_t>(*array, "[63:65]"));
}

TEST(RealFiles, ATornTableHasTheRowsOfItsShortestColumn) {
  const auto table = open_data("ctable-torn");
  EXPECT_EQ(table->schema().shape(), std::vector<std::uint64_t>{39});
  EXPECT_EQ(values_of<std::int32_t>(*table, "[0:3]", "a"), (std::vector<std::int32_t>{19, 2, INT32_MIN}));
  const std::vector<Problem> problems = table->verify();
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].severity, Problem::Severity::damage);
  EXPECT_NE(problems[0].text.find("43 rows"), std::string::npos) << problems[0].text;
}

TEST(RealFiles, DamageIsNamed) {
  struct Row {
    std::string name, key;
    std::size_t at;
    std::byte value;
    const char* message;
  };
  const std::string chunk = "data/__0.blp";
  for (const Row& row : {Row{"magic", chunk, 0, std::byte{'x'}, "blpk"},
                         {"version", chunk, 4, std::byte{2}, "version 2"},
                         {"chunks", chunk, 8, std::byte{5}, "5 chunks"},
                         {"nbytes", chunk, 20, std::byte{1}, "__0.blp"},
                         {"ctbytes", chunk, 30, std::byte{1}, "__0.blp"}}) {
    const std::shared_ptr<Store> store = copy_of_data("unflushed-cross");
    Bytes file = *store->get(row.key);
    file[row.at] = row.value;
    store->put(row.key, file);
    const auto array = open(store);
    EXPECT_ERROR(corrupt, row.message, read(*array, "[0:2]"));
  }
  const std::shared_ptr<Store> store = copy_of_data("unflushed-cross");
  for (const std::size_t keep : {0, 7, 20, 40}) {
    Bytes file = *open_file_store(data("unflushed-cross"))->get(chunk);
    file.resize(keep);
    store->put(chunk, file);
    EXPECT_ERROR(corrupt, "__0.blp", read(*open(store), "[0:2]"));
  }
  store->remove("meta/sizes");
  EXPECT_ERROR(corrupt, "meta/sizes", open(store));
  store->put_text("meta/storage", "");
  EXPECT_ERROR(corrupt, "meta/storage", open(store));
}

TEST(RealFiles, ObjectsAreRefused) {
  const std::shared_ptr<Store> store = copy_of_data("unflushed-cross");
  std::string storage(text_of(*store->get("meta/storage")));
  storage.replace(storage.find("int32"), 5, "object");
  store->put_text("meta/storage", storage);
  const auto array = open(store);
  EXPECT_ERROR(unsupported, "pickles", read(*array, "[0:2]"));
  EXPECT_ERROR(unsupported, "pickles", array->query({}));
  EXPECT_ERROR(unsupported, "pickles", array->resize({3}));
}

TEST(RealFiles, BrokenAttributesDoNotHideTheData) {
  const std::shared_ptr<Store> store = copy_of_data("unflushed-cross");
  store->put_text("__attrs__", "{");
  const auto array = open(store);
  EXPECT_EQ(values_of<std::int32_t>(*array, "[0]"), std::vector<std::int32_t>{2});
  EXPECT_ERROR(corrupt, "__attrs__", array->metadata());
  store->remove("__attrs__");
  EXPECT_TRUE(array->metadata().empty());
}

TEST(RealFiles, WalkingRowByRowDecodesABlockOnce) {
  const std::shared_ptr<Store> store = make_memory_store();
  std::vector<std::int32_t> values(50000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i / 3);
  create(store, carray_schema("int32", 20000))->append({{column("", "int32", values)}, 0, {}});
  const auto counts = std::make_shared<StoreCounts>();
  const auto array = open(counting_store(store, counts));
  const std::uint64_t opened = counts->reads;
  for (std::int64_t i = 19000; i < 21000; i += 10) {
    Selection one;
    one.axes.emplace_back(i);
    EXPECT_EQ(text_of(read(*array, one)), text_of(bytes_from<std::int32_t>({static_cast<std::int32_t>(i / 3)})));
  }
  EXPECT_LE(counts->reads - opened, 6u);  // two chunks: headers, offsets, a block
  // A change through the handle is seen at once.
  const Bytes changed = bytes_from<std::int32_t>({-1});
  array->write(parse_selection("[20500]"), "", {changed.data(), {}, {}});
  EXPECT_EQ(values_of<std::int32_t>(*array, "[20500]"), std::vector<std::int32_t>{-1});
}

TEST(RealFiles, OnlyTouchedChunksAreRead) {
  const auto counts = std::make_shared<StoreCounts>();
  const auto array = open(counting_store(copy_of_data("ctable-torn"), counts));
  const std::uint64_t opened = counts->reads;
  values_of<std::int32_t>(*array, "[1:3]", "a");
  EXPECT_EQ(counts->reads - opened, 1u);
  values_of<std::int32_t>(*array, "[[1, 30, 2, 31]]", "a");
  EXPECT_EQ(counts->reads - opened, 3u);
}

}  // namespace
}  // namespace tegula::bcolz
