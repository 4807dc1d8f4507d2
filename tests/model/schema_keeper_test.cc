#include "model/schema_keeper.h"

#include <gtest/gtest.h>

namespace tegula {
namespace {

std::shared_ptr<Schema> rows(std::uint64_t n) {
  auto schema = std::make_shared<Schema>();
  schema->dimensions.push_back({"row", Datatype(TypeId::uint64), 1, {std::uint64_t{0}, n - 1}, {}, {}});
  schema->attributes.emplace_back();
  return schema;
}

TEST(SchemaKeeper, KeepsEachDifferentSchemaOnce) {
  const SchemaKeeper keeper;
  const Schema& ten = keeper.keep(rows(10));
  const Schema& twenty = keeper.keep(rows(20));
  EXPECT_EQ(&keeper.keep(rows(10)), &ten);
  EXPECT_EQ(&keeper.keep(rows(20)), &twenty);
  EXPECT_EQ(keeper.size(), 2u);
  const auto nullable = rows(10);
  nullable->attributes[0].nullable = true;
  EXPECT_NE(&keeper.keep(nullable), &ten);
  EXPECT_EQ(ten.dimensions[0].domain.high, Value{std::uint64_t{9}});
}

}  // namespace
}  // namespace tegula
