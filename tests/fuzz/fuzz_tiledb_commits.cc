// The small files of an array or group. Byte 0 chooses which; the rest is its text or unpacked payload.
// room: format/tiledb
#include "format/tiledb/disk/consolidated_footers.h"
#include "format/tiledb/disk/delete_condition.h"
#include "format/tiledb/disk/enumeration.h"
#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/listing/array_listing.h"
#include "format/tiledb/read/metadata.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::tiledb;

namespace {

void require_same(const Bytes& a, const Bytes& b) {
  if (a != b) __builtin_trap();
}

void check_condition(Cursor in, bool update) {
  Bytes first, second;
  encode_condition(decode_condition(in, update), update, first);
  encode_condition(decode_condition(Cursor(first, "again"), update), update, second);
  require_same(first, second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    Cursor in(bytes, "input");
    const std::uint8_t kind = in.read<std::uint8_t>();
    Bytes first, second;
    switch (kind % 9) {
      case 0:
        decode_commits(in.rest(), "con", true);
        break;
      case 1:
        for (const CommitLine& line : decode_commits(in.rest(), "vac", false)) {
          vacuumed_key(line.path);
          parse_timed_name(line.path);
        }
        break;
      case 2:
        check_condition(in, false);
        break;
      case 3:
        check_condition(in, true);
        break;
      case 4:
        encode_metadata(decode_metadata(in), first);
        encode_metadata(decode_metadata(Cursor(first, "again")), second);
        require_same(first, second);
        break;
      case 5:
        decode_group(in);
        break;
      case 6:
        encode_enumeration(decode_enumeration(in), first);
        encode_enumeration(decode_enumeration(Cursor(first, "again")), second);
        require_same(first, second);
        break;
      case 7:
        decode_footers(in);
        break;
      case 8:
        decode_generic_tile(in, nullptr);
        break;
    }
  } catch (const Error&) {
  }
  return 0;
}
