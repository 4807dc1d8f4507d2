// Changes of user metadata.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

TEST(MetadataWrite, IsPutAndRemoved) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(store, line(true), {});
  const MetaValue one{TypeId::int64, 1, Bytes(8, std::byte{1}), false}, none{TypeId::utf8, 0, {}, false};
  array->update_metadata({{"a", one}, {"b", none}});
  EXPECT_EQ(array->metadata().at("a").data, one.data);
  EXPECT_EQ(array->metadata().at("b").count, 0u);
  array->update_metadata({{"a", std::nullopt}, {"c", one}});
  EXPECT_FALSE(array->metadata().contains("a"));
  EXPECT_EQ(array->metadata().size(), 2u);
  EXPECT_ERROR(invalid_argument, "cannot be empty", array->update_metadata({{"", one}}));
  CreateOptions old;
  old.format_version = 3;
  EXPECT_ERROR(unsupported, "version 4",
               create_array(make_memory_store(), line(true), old)->update_metadata({{"a", one}}));
}

}  // namespace
}  // namespace tegula::tiledb
