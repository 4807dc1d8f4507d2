// u32 count, per fragment str64 name and u64 offset in the payload, then the footers.
#include "format/tiledb/disk/consolidated_footers.h"

#include <algorithm>

namespace tegula::tiledb {

std::map<std::string, ByteView> decode_footers(Cursor in) {
  const ByteView payload = in.rest();
  const std::uint64_t count = in.count<std::uint32_t>(16, "footers");
  std::vector<std::pair<std::string, std::uint64_t>> starts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string path = in.string(in.read<std::uint64_t>(), "the name of a fragment");
    const std::uint64_t offset = in.read<std::uint64_t>();
    starts.emplace_back(path.substr(path.rfind('/') + 1), offset);
  }
  std::vector<std::uint64_t> offsets{payload.size()};
  for (const auto& [name, offset] : starts) {
    if (offset < in.position() || offset > payload.size())
      in.fail("the footer of {} starts at byte {}, expected {} to {}", name, offset, in.position(), payload.size());
    offsets.push_back(offset);
  }
  std::sort(offsets.begin(), offsets.end());
  std::map<std::string, ByteView> footers;
  for (auto& [name, offset] : starts) {
    const std::uint64_t end = *std::upper_bound(offsets.begin(), std::prev(offsets.end()), offset);
    footers[std::move(name)] = payload.subspan(offset, end - offset);
  }
  return footers;
}

void encode_footers(std::span<const std::pair<std::string, ByteView>> footers, Bytes& out) {
  std::uint64_t offset = 4;
  for (const auto& [name, footer] : footers) offset += 16 + name.size();
  ByteWriter writer(out);
  writer.put(static_cast<std::uint32_t>(footers.size()));
  for (const auto& [name, footer] : footers) {
    writer.put(std::uint64_t{name.size()});
    writer.text(name);
    writer.put(offset);
    offset += footer.size();
  }
  for (const auto& [name, footer] : footers) writer.bytes(footer);
}

}  // namespace tegula::tiledb
