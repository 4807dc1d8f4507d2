// Filter pipelines. Byte 0 is the datatype, bytes 1 and 2 the raw size of a chunk, byte 3 flags (1: text with 3 cells,
// 2: types are not chained, 4: the rest is a whole tile), byte 4 the cell size; then a pipeline, u16 length of
// metadata, metadata, data.
//
// room: format/tiledb
#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/filter/filter_decode.h"
#include "format/tiledb/filter/filter_plan.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::tiledb;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    Cursor in(bytes, "input");
    FilterInput input;
    input.type_code = in.read<std::uint8_t>() % 44;
    Bytes out(in.read<std::uint16_t>());
    const std::uint8_t flags = in.read<std::uint8_t>();
    input.chained = (flags & 2) == 0;
    input.cell_size = in.read<std::uint8_t>();
    const Pipeline pipeline = decode_pipeline(in);
    const FilterPlan plan = make_plan(pipeline, input, nullptr);
    FilterScratch scratch;
    if (flags & 4) {
      const TilePlace place{"tile", 0};
      const std::vector<Chunk> chunks = parse_chunks(in.rest(), place);
      check_raw_size(chunks, out.size(), plan, place);
      for (const Chunk& chunk : chunks)
        decode_one(plan, chunk, MutableBytes(out).subspan(chunk.raw_offset, chunk.raw_size), place, scratch);
      return 0;
    }
    const ByteView metadata = in.bytes(in.read<std::uint16_t>());
    if ((flags & 1) && may_carry_offsets(plan)) {
      std::uint64_t offsets[3];
      decode_text_chunk(plan, metadata, in.rest(), out, offsets, scratch);
    } else {
      decode_chunk(plan, metadata, in.rest(), out, scratch);
    }
  } catch (const Error&) {
  }
  return 0;
}
