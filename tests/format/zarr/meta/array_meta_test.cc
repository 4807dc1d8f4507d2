#include "format/zarr/meta/array_meta.h"

#include <gtest/gtest.h>

namespace tegula::zarr {
namespace {

TEST(KeyEncoding, NamesChunksAndReadsTheNames) {
  const KeyEncoding original{"__zdata__/", '.', ".blosc", "0"}, nested{"c/", '/', "", "c"}, flat{"", '.', "", "0"};
  EXPECT_EQ(original.key({3, 12}), "__zdata__/3.12.blosc");
  EXPECT_EQ(nested.key({3, 12}), "c/3/12");
  EXPECT_EQ(nested.key({}), "c");
  EXPECT_EQ(flat.key({7}), "7");
  for (const KeyEncoding& keys : {original, nested, flat}) EXPECT_EQ(keys.chunk(keys.key({3, 12}), 2), (Shape{3, 12}));
  for (const char* key :
       {"3", "3.", ".3", "3.12.1", "03.1", "3.x", "3.-1", "3.99999999999999999999", "3.12.partial", ""})
    EXPECT_FALSE(flat.chunk(key, 2)) << key;
}

}  // namespace
}  // namespace tegula::zarr
