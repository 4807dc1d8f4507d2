// One handle of an array: what stays valid, what is freed, and what its threads see.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

// schema() is a reference: it stays good, and says what it said, whatever is written.
TEST(TiledbArray, SchemasStayWhereTheyAre) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(false), {});
  const Schema& before = array->schema();
  for (int i = 0; i < 5; ++i) {
    array->write(parse_selection("[0:3]"), random_cells(before, 3, 1));
    ask(*array, {});
    EXPECT_EQ(&before, &array->schema());
  }
  Evolution changes;
  changes.add_attributes = {attribute("b", TypeId::int8)};
  evolve(*array, changes);
  EXPECT_EQ(array->schema().attributes.size(), 2u);
  EXPECT_EQ(before.attributes.size(), 1u);
  EXPECT_EQ(before.attributes[0].name, "a");
}

}  // namespace
}  // namespace tegula::tiledb
