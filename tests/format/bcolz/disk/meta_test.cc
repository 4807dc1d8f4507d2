#include "format/bcolz/disk/meta.h"

#include <gtest/gtest.h>

#include "format/bcolz/disk/default_value.h"
#include "tegula/error.h"

namespace tegula::bcolz {
namespace {

TEST(Meta, StorageOfEveryWriter) {
  struct Row {
    const char* text;
    const char* cname;
    int level, shuffle;
    bool maybe_spoiled;
  };
  const Row rows[] = {
      {R"({"dtype": "int32", "cparams": {"clevel": 5, "shuffle": true}, "chunklen": 8, "expectedlen": 1, "dflt": 0})",
       "", 5, 1, true},
      {R"({"dtype": "int32", "cparams": {"clevel": 3, "shuffle": false}, "chunklen": 8, "expectedlen": 1, "dflt": 0})",
       "", 3, 0, true},
      {R"({"dtype": "int32", "cparams": {"clevel": 5, "shuffle": 2}, "chunklen": 8, "expectedlen": 1, "dflt": 0})", "",
       5, 2, false},
      {R"({"dflt": NaN, "chunklen": 8, "cparams": {"quantize": 2, "cname": "zstd", "shuffle": 1, "clevel": 9}, "dtype": "float64"})",
       "zstd", 9, 1, false},
  };
  for (const Row& row : rows) {
    const Storage storage = Storage::decode(bytes_of(row.text), "storage");
    EXPECT_EQ(storage.compression.cname, row.cname) << row.text;
    EXPECT_EQ(storage.compression.level, row.level);
    EXPECT_EQ(storage.compression.shuffle, row.shuffle);
    EXPECT_EQ(storage.maybe_spoiled(), row.maybe_spoiled);
    EXPECT_EQ(storage.chunklen, 8u);
  }
}

TEST(Meta, StorageIsWrittenAsBcolzWritesIt) {
  Storage storage;
  storage.type = datatype_from_numpy("<i4");
  storage.compression.cname = "lz4";
  storage.chunklen = 8192;
  storage.expectedlen = 39;
  storage.dflt = "0";
  EXPECT_EQ(storage.encode(),
            "{\"dtype\": \"int32\", \"cparams\": {\"clevel\": 5, \"shuffle\": 1, \"cname\": \"lz4\", \"quantize\": 0}, "
            "\"chunklen\": 8192, \"expectedlen\": 39, \"dflt\": 0}\n");
  EXPECT_EQ((Sizes{{39}, 156, 32768}.encode()), "{\"shape\": [39], \"nbytes\": 156, \"cbytes\": 32768}\n");
  EXPECT_EQ(encode_column_names({"b", "\xC3\xA9"}), "{\"names\": [\"b\", \"\\u00e9\"]}\n");
}

TEST(Meta, DamagedDocumentsAreRefusedByName) {
  const std::string good = R"("cparams": {"clevel": 5, "shuffle": 1})";
  struct Row {
    std::string text;
    ErrorKind kind;
  };
  const Row storages[] = {
      {"", ErrorKind::corrupt},
      {"{", ErrorKind::corrupt},
      {"[]", ErrorKind::corrupt},
      {R"({"dtype": "int32", "chunklen": 8})", ErrorKind::corrupt},
      {R"({"dtype": "int32", "chunklen": 0, )" + good + "}", ErrorKind::corrupt},
      {R"({"dtype": "int32", "chunklen": -3, )" + good + "}", ErrorKind::corrupt},
      {R"({"dtype": "int32", "chunklen": "8", )" + good + "}", ErrorKind::corrupt},
      {R"({"dtype": 4, "chunklen": 8, )" + good + "}", ErrorKind::corrupt},
      {R"({"dtype": "int33", "chunklen": 8, )" + good + "}", ErrorKind::unsupported},
      {R"x({"dtype": "__import__('os')", "chunklen": 8, )x" + good + "}", ErrorKind::unsupported},
      {R"({"dtype": "|S0", "chunklen": 8, )" + good + "}", ErrorKind::unsupported},
      {R"({"dtype": "int32", "chunklen": 8, "cparams": {"clevel": 11, "shuffle": 1}})", ErrorKind::corrupt},
  };
  for (const Row& row : storages) try {
      Storage::decode(bytes_of(row.text), "a/meta/storage");
      ADD_FAILURE() << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), row.kind) << row.text;
      EXPECT_NE(std::string(error.what()).find("a/meta/storage"), std::string::npos) << error.what();
    }
  for (const char* text : {"{}", R"({"shape": []})", R"({"shape": [-1]})", R"({"shape": [1.5]})", R"({"shape": "3"})"})
    EXPECT_THROW(Sizes::decode(bytes_of(text), "sizes"), Error) << text;
  for (const char* text : {"{}", R"({"names": "a"})", R"({"names": [1]})", R"({"names": ["a/b"]})",
                           R"({"names": [".."]})", R"({"names": ["a", "a"]})", R"({"names": [""]})"})
    EXPECT_THROW(decode_column_names(bytes_of(text), "names"), Error) << text;
  EXPECT_EQ(Sizes::decode(bytes_of(R"({"shape": 7})"), "sizes").shape, std::vector<std::uint64_t>{7});
}

TEST(Meta, DtypesAreSpelledAsNumpyPrintsThem) {
  for (const char* text :
       {"bool", "int8", "uint64", "float16", "complex128", "datetime64", "datetime64[25s]", "timedelta64[ns]", "|S7",
        "<U4", "|V7", ">i4", ">M8[ns]", ">U3", "[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<i8')])]"})
    EXPECT_EQ(dtype_text(datatype_from_numpy(text)), text);
}

}  // namespace
}  // namespace tegula::bcolz
