// Sparse writes: what they refuse, and the times they keep.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

TEST(WriteSparse, RefusesBadCoordinates) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(store, line(true), {});
  EXPECT_ERROR(invalid_argument, "cell 1: coordinate 100 of dimension 'x'", array->write(cells_with({5, 100}, {1, 2})));
  EXPECT_ERROR(invalid_argument, "coordinate -1", array->write(cells_with({-1}, {1})));
  EXPECT_ERROR(invalid_argument, "same place (5)", array->write(cells_with({5, 7, 5}, {1, 2, 3})));
  WriteOptions global;
  global.order = Order::global;
  EXPECT_ERROR(invalid_argument, "not in global order", array->write(cells_with({7, 5}, {1, 2}), global));
  EXPECT_ERROR(invalid_argument, "no values for attribute 'a'", [&] {
    Batch batch = cells_with({5}, {1});
    batch.columns.pop_back();
    array->write(batch);
  }());
  EXPECT_ERROR(invalid_argument, "no field 'b'", [&] {
    Batch batch = cells_with({5}, {1});
    batch.columns.push_back(column<int>("b", TypeId::int32, {1}));
    array->write(batch);
  }());
  EXPECT_ERROR(invalid_argument, "found 1 of int64", [&] {
    Batch batch = cells_with({5}, {1});
    batch.columns[1] = column<std::int64_t>("a", TypeId::int64, {1});
    array->write(batch);
  }());
  EXPECT_TRUE(store->list(kFragmentsFolder).empty());
  EXPECT_TRUE(store->list(kCommitsFolder).empty());
  array->write(cells_with({5, 7}, {1, 2}), global);
  EXPECT_EQ(ask(*array, {}).cells, 2u);

  const std::shared_ptr<Array> floats = create_array(
      make_memory_store(),
      make_schema(true, {dimension("x", TypeId::float64, 0.0, 1.0, 0.5)}, {attribute("a", TypeId::int32)}), {});
  Batch batch;
  batch.cells = 1;
  batch.columns = {column<double>("x", TypeId::float64, {std::nan("")}), column<int>("a", TypeId::int32, {1})};
  EXPECT_ERROR(invalid_argument, "coordinate nan", floats->write(batch));

  Schema current = line(true);
  current.current_domain = {{{std::int64_t{10}, std::int64_t{20}}}};
  EXPECT_ERROR(invalid_argument, "current domain [10, 20]",
               create_array(make_memory_store(), current, {})->write(cells_with({21}, {1})));
}

TEST(WriteSparse, KeepsItsTimes) {
  const std::shared_ptr<Store> store = make_memory_store();
  CreateOptions create;
  create.at = 1;
  const std::shared_ptr<Array> array = create_array(store, line(true), create);
  for (const std::uint64_t time : {10, 20, 20}) {
    WriteOptions options;
    options.at = time;
    array->write(cells_with({5}, {static_cast<std::int32_t>(array->info().fragments.size())}), options);
  }
  // Of two writes at the same time the later one wins.
  EXPECT_EQ(values<std::int32_t>(*ask(*array, {}).column("a")), (std::vector<std::int32_t>{2}));
  OpenOptions past;
  past.at = {0, 10};
  EXPECT_EQ(values<std::int32_t>(*ask(TiledbArray(store, past), {}).column("a")), (std::vector<std::int32_t>{0}));
}

}  // namespace
}  // namespace tegula::tiledb
