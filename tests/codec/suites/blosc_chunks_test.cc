// Chunks that bcolz 0.12.1 to 1.13 wrote, with digests of the values that were written (tests/data/blosc/make.py).
#include <fstream>
#include <iterator>
#include <sstream>

#include "codec/blosc/blosc.h"
#include "codec/checksum/checksum.h"
#include "codec/inputs.h"

namespace tegula::codec {
namespace {

const std::string kFolder = TEGULA_TEST_DATA "/blosc/";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Case {
  std::string name;
  bool rescue = false;
  std::size_t nbytes = 0;
  std::string sha256;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  std::istringstream lines(read_file(kFolder + "cases.txt"));
  for (std::string line; std::getline(lines, line);) {
    Case c;
    std::istringstream(line) >> c.name >> c.rescue >> c.nbytes >> c.sha256;
    all.push_back(c);
  }
  return all;
}

// Calls work(chunk and all that follows it, its header) for each chunk of a file.
template <class F>
void for_each_chunk(ByteView file, F work) {
  while (!file.empty()) {
    const BloscHeader header = blosc_header(file);
    work(file, header);
    file = file.subspan(header.ctbytes);
  }
}

Bytes decode_all(ByteView file, bool rescue) {
  Bytes all;
  for_each_chunk(file, [&](ByteView chunk, const BloscHeader& header) {
    const std::size_t at = all.size();
    all.resize(at + header.nbytes);
    blosc_decode(chunk, MutableBytes(all).subspan(at), {.rescue = rescue});
  });
  return all;
}

TEST(BloscChunks, AreReadRight) {
  ASSERT_GE(cases().size(), 20u);
  for (const Case& c : cases()) {
    const std::string file = read_file(kFolder + c.name + ".blosc");
    ASSERT_FALSE(file.empty()) << c.name;
    const Bytes all = decode_all(bytes_of(file), true);
    ASSERT_EQ(all.size(), c.nbytes) << c.name;
    EXPECT_EQ(to_hex(sha256(all)), c.sha256) << c.name;
    // Without the rescue the damaged ones read as every other reader reads them: wrong.
    const Bytes plain = decode_all(bytes_of(file), false);
    EXPECT_EQ(to_hex(sha256(plain)) == c.sha256, !c.rescue) << c.name;
  }
}

TEST(BloscChunks, RangesAreSlices) {
  for (const Case& c : cases()) {
    const std::string file = read_file(kFolder + c.name + ".blosc");
    for_each_chunk(bytes_of(file), [&](ByteView chunk, const BloscHeader& header) {
      Bytes whole(header.nbytes);
      blosc_decode(chunk, whole, {.rescue = c.rescue});
      for (std::size_t from = 0; from < header.nbytes; from += 1 + header.nbytes / 7)
        for (std::size_t size : {std::size_t{1}, (header.nbytes - from) / 2, header.nbytes - from}) {
          Bytes part(size);
          blosc_decode_range(chunk, from, part, {.rescue = c.rescue});
          EXPECT_TRUE(same(part, ByteView(whole).subspan(from, size))) << c.name << ": " << from << ", " << size;
        }
    });
  }
}

}  // namespace
}  // namespace tegula::codec
