// Small arrays that the real libraries wrote, by digest (tests/data/zarr/README.md).
#include <fmt/format.h>

#include "codec/checksum/checksum.h"
#include "format/zarr/driver.h"
#include "gtest/gtest.h"
#include "store/open/open_store.h"
#include "store/store.h"
#include "tegula/tegula.h"

namespace tegula::zarr {
namespace {

struct Row {
  const char *folder, *format, *digest;
};
constexpr Row kRows[] = {
    {"zarr-original-v0.3.0-dtype-struct-nested", "zarr0",
     "7f84557799eb3ae66acac0eb665620a3c20d18fe1889f53924c405fbab789e60"},
    {"zarr-original-fill-int-for-struct", "zarr0", "4506a6ccbf893e1b8451d9bb3092d116c1b0ebd38c39d8c2634120cbcccadd82"},
    {"zarr1-grid-F-11x7", "zarr1", "bda4d07473715d5a7d720ff3fe1e175692b28eb971921f277cab0bb2ac620028"},
    {"zarr2-filter-two", "zarr2", "0fc96bb3ddc6c0fdfd4d3b63dbb7142dcf18849be042ce01da625d3abe8fb561"},
    {"zarr3-shard-nested", "zarr3", "1c3e850336ffc86d31844300983b5ea37fac1fe9483be12a571a87140fe5ced3"},
};

std::shared_ptr<Store> data(const std::string& folder) { return open_store(TEGULA_TEST_DATA "/zarr/" + folder); }

TEST(RealArrays, ReadAsTheirLibrariesReadThem) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.folder);
    EXPECT_EQ(kZarrDriver.probe(*data(row.folder)).format, row.format);
    const auto array = kZarrDriver.open(data(row.folder), {});
    const Batch batch = collect(*array->query({}));
    std::string digest;
    for (const std::byte b : codec::sha256(batch.columns.at(0).data))
      digest += fmt::format("{:02x}", std::to_integer<int>(b));
    EXPECT_EQ(digest, row.digest);
    EXPECT_TRUE(array->verify().empty());
  }
}

TEST(RealArrays, TextInShards) {
  const Batch batch = collect(*kZarrDriver.open(data("zarr3-shard-string"), {})->query({}));
  ASSERT_EQ(batch.cells, 21u);
  EXPECT_EQ(text_of(batch.columns[0].cell(2)), "mosa\u00efque");
  EXPECT_EQ(text_of(batch.columns[0].cell(20)), std::string(text_of(batch.columns[0].cell(6))));
}

}  // namespace
}  // namespace tegula::zarr
