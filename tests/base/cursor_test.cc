#include "base/cursor.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(Cursor, ReadsBothOrders) {
  const Bytes data = copy_of(bytes_of(std::string_view("\x01\x02\x03\x04\x05\x06", 6)));
  Cursor in(data, "f");
  EXPECT_EQ(in.read<std::uint16_t>(), 0x0201);
  EXPECT_EQ(in.read_be<std::uint16_t>(), 0x0304);
  EXPECT_EQ(in.string(2), "\x05\x06");
  EXPECT_TRUE(in.done());
}

TEST(Cursor, EveryFailureNamesFileAndOffset) {
  const Bytes data = copy_of(bytes_of("\xff\xff\xff\xff__"));
  Cursor in(data, "a/b.tdb", 100);
  in.skip(1);
  EXPECT_ERROR(corrupt, "a/b.tdb at byte 101: expected a number of 8 bytes, found 5 bytes to the end",
               in.read<std::uint64_t>());
  EXPECT_EQ(in.position(), 1u) << "a failed read must not advance";
  in.seek(0);
  EXPECT_ERROR(corrupt, "a/b.tdb at byte 104: claims 4294967295 cells of at least 8 bytes each, found 2 bytes",
               in.count<std::uint32_t>(8, "cells"));
  in.seek(0);
  EXPECT_ERROR(corrupt, "points to byte 107", in.seek(7));
  EXPECT_ERROR(corrupt, "expected the end of the header, found 6 more bytes", in.expect_end("the header"));
}

TEST(Cursor, CountsDoNotOverflow) {
  Bytes data(16, std::byte{0xff});
  Cursor in(data, "f");
  EXPECT_ERROR(corrupt, "claims 18446744073709551615", in.count<std::uint64_t>(UINT64_MAX, "items"));
}

TEST(ByteWriter, RoundTrips) {
  Bytes out;
  ByteWriter w(out);
  w.put<std::uint32_t>(7);
  w.put_be<std::uint16_t>(0x0102);
  w.put<double>(1.5);
  w.text("ab");
  w.patch<std::uint32_t>(0, 9);
  Cursor in(out, "f");
  EXPECT_EQ(in.read<std::uint32_t>(), 9u);
  EXPECT_EQ(in.read_be<std::uint16_t>(), 0x0102);
  EXPECT_EQ(in.read<double>(), 1.5);
  EXPECT_EQ(in.string(2), "ab");
}

}  // namespace
}  // namespace tegula
