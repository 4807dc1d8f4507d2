// u32 version, str32 name, str32 file, u8 datatype, u32 values per cell, u8 ordered, str64 data, and for variable
// values str64 offsets.
#include "format/tiledb/disk/enumeration.h"

#include "base/fail.h"

namespace tegula::tiledb {

StoredEnumeration decode_enumeration(Cursor in) {
  StoredEnumeration stored;
  const std::uint32_t version = in.read<std::uint32_t>();
  if (version != 0)
    fail(ErrorKind::unsupported, "{}: an enumeration of version {}, this build reads 0", in.name(), version);
  Enumeration& result = stored.enumeration;
  result.name = in.string(in.read<std::uint32_t>(), "the name of an enumeration");
  stored.file = in.string(in.read<std::uint32_t>(), "the file of an enumeration");
  result.type = datatype_from_tiledb(in.read<std::uint8_t>());
  result.values_per_cell = in.read<std::uint32_t>();
  result.ordered = in.read<std::uint8_t>() != 0;
  result.data = copy_of(in.bytes(in.read<std::uint64_t>(), "values"));
  if (result.values_per_cell == kVar) {
    const std::uint64_t size = in.read<std::uint64_t>();
    if (size % 8 != 0) in.fail("{} bytes of offsets, expected a multiple of 8", size);
    in.check_count(size / 8, 8, "offsets");
    for (std::uint64_t i = 0; i < size / 8; ++i) {
      const std::uint64_t offset = in.read<std::uint64_t>();
      if (offset > result.data.size() || (!result.offsets.empty() && offset < result.offsets.back()))
        in.fail("value {} of an enumeration starts at {}, expected {} to {}", i, offset,
                result.offsets.empty() ? 0 : result.offsets.back(), result.data.size());
      result.offsets.push_back(offset);
    }
  } else {
    const std::uint64_t cell = std::uint64_t{result.values_per_cell} * result.type.size;
    if (cell == 0 || result.data.size() % cell != 0)
      in.fail("{} bytes of values, expected a multiple of {}", result.data.size(), cell);
  }
  in.expect_end("the enumeration");
  return stored;
}

void encode_enumeration(const StoredEnumeration& stored, Bytes& out) {
  const Enumeration& values = stored.enumeration;
  const std::optional<std::uint8_t> code = tiledb_code(values.type);
  if (!code) fail(ErrorKind::invalid_argument, "TileDB has no type {} for an enumeration", display_name(values.type));
  ByteWriter writer(out);
  writer.put(std::uint32_t{0});
  writer.put(static_cast<std::uint32_t>(values.name.size()));
  writer.text(values.name);
  writer.put(static_cast<std::uint32_t>(stored.file.size()));
  writer.text(stored.file);
  writer.put(*code);
  writer.put(values.values_per_cell);
  writer.put(static_cast<std::uint8_t>(values.ordered));
  writer.put(std::uint64_t{values.data.size()});
  writer.bytes(values.data);
  if (values.values_per_cell != kVar) return;
  writer.put(std::uint64_t{8 * values.offsets.size()});
  for (const std::uint64_t offset : values.offsets) writer.put(offset);
}

}  // namespace tegula::tiledb
