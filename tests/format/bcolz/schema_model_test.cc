#include "format/bcolz/schema_model.h"

#include <gtest/gtest.h>

#include "tegula/bcolz.h"

namespace tegula::bcolz {
namespace {

TEST(SchemaModel, ChunkLengthIsBcolzsChoice) {
  struct Row {
    std::uint64_t rows, row_bytes, length;
  };
  for (const Row& row : {Row{0, 4, 4096},
                         {1, 4, 4096},
                         {39, 4, 8192},
                         {39, 8, 4096},
                         {39, 6, 5461},
                         {1000, 4, 16384},
                         {1000000, 8, 32768},
                         {10000000, 8, 65536},
                         {20000000, 8, 131072},
                         {1000000000, 1, 1 << 20},
                         {10000000000, 4, 1 << 20},
                         {100000, 300, 1747},
                         {5, 1 << 20, 1}})
    EXPECT_EQ(chunk_length(row.rows, row.row_bytes), row.length) << row.rows << " x " << row.row_bytes;
}

}  // namespace
}  // namespace tegula::bcolz
