// What the writer writes, the reader reads; python/tests/test_arrow.py shows the same types to pyarrow.
#include "arrow/ipc_writer.h"

#include <gtest/gtest.h>

#include "arrow/arrow_types.h"
#include "arrow/ipc_reader.h"
#include "base/endian.h"
#include "query/columns/gather.h"

namespace tegula::arrow {

namespace {

template <class T>
Column numbers(const char* name, Datatype type, std::initializer_list<T> values) {
  Column column;
  column.name = name;
  column.type = type;
  for (const T value : values) {
    column.data.resize(column.data.size() + sizeof value);
    store_le(column.data.data() + column.data.size() - sizeof value, value);
  }
  return column;
}

Column texts(const char* name, std::initializer_list<std::string_view> values) {
  Column column;
  column.name = name;
  column.type = TypeId::utf8;
  column.values_per_cell = kVar;
  column.offsets.push_back(0);
  for (const std::string_view value : values) {
    column.data.insert(column.data.end(), bytes_of(value).begin(), bytes_of(value).end());
    column.offsets.push_back(column.data.size());
  }
  return column;
}

Batch round_trip(const std::vector<Batch>& batches, const Schema& schema) {
  Bytes file;
  IpcWriter writer(schema, [&](ByteView bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); });
  for (const Batch& batch : batches) writer.add(std::make_shared<const Batch>(batch));
  writer.finish();
  return read_arrow(file, "the file");
}

Datatype days() {
  Datatype type(TypeId::datetime);
  type.unit = TimeUnit::day;
  return type;
}

TEST(IpcWriter, RoundTripsEveryLayout) {
  Batch batch;
  batch.cells = 3;
  batch.columns.push_back(numbers<std::int32_t>("n", TypeId::int32, {1, -2, 3}));
  batch.columns.push_back(numbers<double>("x", TypeId::float64, {0.5, 1.5, -2}));
  batch.columns.push_back(numbers<std::uint8_t>("b", TypeId::boolean, {1, 0, 1}));
  batch.columns.push_back(texts("t", {"one", "", "three"}));
  batch.columns.push_back(numbers<std::int64_t>("d", days(), {0, 19000, INT64_MIN}));
  Column pairs = numbers<std::int16_t>("p", TypeId::int16, {1, 2, 3, 4, 5, 6});
  pairs.values_per_cell = 2;
  batch.columns.push_back(pairs);
  const Batch back = round_trip({batch, batch}, {});
  ASSERT_EQ(back.cells, 6u);
  ASSERT_EQ(back.columns.size(), 6u);
  for (const std::size_t i : {0u, 1u, 2u, 5u}) {
    EXPECT_EQ(back.columns[i].type, batch.columns[i].type) << i;
    EXPECT_TRUE(std::equal(batch.columns[i].data.begin(), batch.columns[i].data.end(), back.columns[i].data.begin()))
        << batch.columns[i].name;
  }
  EXPECT_EQ(text_of(back.columns[3].cell(2)), "three");
  EXPECT_EQ(back.columns[4].type, days());
  EXPECT_EQ(load_le<std::int64_t>(back.columns[4].cell(1).data()), 19000);
  EXPECT_FALSE(back.columns[4].valid(2)) << "NaT is null";
}

TEST(IpcWriter, EnumerationsAreDictionaries) {
  Schema schema;
  Attribute colour;
  colour.name = "colour";
  colour.type = TypeId::int8;
  colour.enumeration = "colours";
  schema.attributes = {colour};
  Enumeration colours;
  colours.name = "colours";
  colours.type = TypeId::utf8;
  colours.values_per_cell = kVar;
  const Column names = texts("", {"red", "green"});
  colours.data = names.data;
  colours.offsets = {0, 3};
  schema.enumerations = {colours};
  Batch batch;
  batch.cells = 3;
  batch.columns.push_back(numbers<std::int8_t>("colour", TypeId::int8, {1, 0, 1}));
  const Batch back = round_trip({batch}, schema);
  EXPECT_EQ(text_of(back.columns.at(0).cell(0)), "green");
  EXPECT_EQ(text_of(back.columns.at(0).cell(1)), "red");
  EXPECT_EQ(arrow_type(batch.columns[0], schema).layout, Layout::dictionary) << "as the C data interface has it";
}

TEST(IpcWriter, FileWithoutBatchesIsWhole) { EXPECT_EQ(round_trip({}, {}).cells, 0u); }

}  // namespace

}  // namespace tegula::arrow
