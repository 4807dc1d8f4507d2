// Array schemas: the unpacked payload.
// room: format/tiledb
#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/schema_model.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::tiledb;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const ArraySchema schema = decode_schema(Cursor(bytes, "schema"));
    to_model(schema, {});
    // What was read can be written, and reads again as the same.
    Bytes first, second;
    encode_schema(schema, first);
    encode_schema(decode_schema(Cursor(first, "again")), second);
    if (first != second) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
