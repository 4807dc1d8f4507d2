#include "format/tiledb/read/metadata.h"

#include <gtest/gtest.h>

#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/hex.h"
#include "store/memory/memory_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;

void put_metadata(Store& store, const std::string& name, const std::vector<MetadataEntry>& entries) {
  Bytes payload, file;
  encode_metadata(entries, payload);
  encode_generic_tile(payload, 22, nullptr, file);
  store.put("__meta/" + name, file);
}

MetaValue number(std::int32_t value) {
  MetaValue out;
  out.type = TypeId::int32;
  out.count = 1;
  ByteWriter(out.data).put(value);
  return out;
}

TEST(ArrayMetadata, merges_by_time) {
  const auto store = make_memory_store();
  const std::string uuid(32, 'a');
  put_metadata(*store, "__10_10_" + uuid, {{"a", number(1)}, {"b", number(2)}});
  put_metadata(*store, "__20_20_" + uuid, {{"a", number(3)}, {"b", std::nullopt}, {"c", number(4)}});
  store->put_text("__meta/__30_30_" + uuid + ".tmp", "nonsense");
  const auto keys = [&](const TimeWindow& window) {
    std::string text;
    for (const auto& [key, value] : read_metadata(*store, nullptr, window))
      text += fmt::format("{}={} ", key, load_le<std::int32_t>(value.data.data()));
    return text;
  };
  EXPECT_EQ(keys({}), "a=3 c=4 ");
  EXPECT_EQ(keys({0, 19}), "a=1 b=2 ");
  EXPECT_EQ(keys({15, 30}), "a=3 c=4 ");
  put_metadata(*store, "__10_20_" + std::string(32, 'b'), {{"only", number(9)}});
  store->put_text("__meta/__10_20_" + std::string(32, 'b') + ".vac",
                  "/__meta/__10_10_" + uuid + "\n/__meta/__20_20_" + uuid + "\n");
  EXPECT_EQ(keys({}), "only=9 ");
  EXPECT_EQ(keys({0, 19}), "a=1 b=2 ");
}

TEST(ArrayMetadata, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_metadata(Cursor(bytes, "file"));
  };
  EXPECT_ERROR(corrupt, "metadata key", decode("ff000000 61"));
  EXPECT_ERROR(corrupt, "datatype 44", decode("01000000 61 00 2c"));
  EXPECT_ERROR(corrupt, "metadata value", decode("01000000 61 00 01 ffffffff 00"));
}

}  // namespace
}  // namespace tegula::tiledb
