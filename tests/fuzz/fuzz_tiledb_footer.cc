// Fragment metadata. Byte 0 chooses the structure, bytes 1 and 2 are the length of the schema's payload that follows;
// the rest is the structure.
//
// room: format/tiledb
#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/fragment_footer.h"
#include "format/tiledb/disk/fragment_lists.h"
#include "format/tiledb/disk/rtree.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::tiledb;

namespace {

void use(const TileExtremes& extremes, std::uint64_t tiles) {
  if (!extremes.present()) return;
  for (std::uint64_t i = 0; i < tiles; ++i) {
    const ByteView value = extremes.at(i);
    if (!value.empty() && value.front() == std::byte{1} && value.back() == std::byte{2}) continue;
  }
}

void use(const RTree& tree) {
  tree.find([](const MbrTable& level, std::uint64_t i) { return !level.range(i).empty(); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    Cursor in(bytes, "input");
    const std::uint8_t kind = in.read<std::uint8_t>();
    const ArraySchema schema = decode_schema(in.sub(in.read<std::uint16_t>(), "schema"));
    switch (kind % 6) {
      case 0: {
        decode_footer_head(in);
        const FragmentFooter footer = decode_footer(in, schema);
        Bytes out;
        encode_footer(footer, schema, out);
        decode_footer(Cursor(out, "again"), schema);
        break;
      }
      case 1:
        use(decode_rtree(in, schema.version, schema.range_types()));
        break;
      case 2:
        use(decode_extremes(in, 3, kind >= 128), 3);
        break;
      case 3:
        decode_statistics(in, 4);
        break;
      case 4:
        decode_processed(in);
        break;
      case 5:
        use(build_rtree(decode_monolithic(in, schema).rectangles));
        break;
    }
  } catch (const Error&) {
  }
  return 0;
}
