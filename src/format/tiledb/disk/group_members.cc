// A details file: u32 version, u64 count, members of u32 version, u8 type, u8 relative, str64 uri, u8 named, [str64
// name], and in version 2 u8 deleted. Version 1 files are whole lists; those of version 2 are replayed in order.
#include "format/tiledb/disk/group_members.h"

#include "base/fail.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint8_t kGroupType = 1, kArrayType = 2;

GroupMember decode_member(Cursor& in) {
  GroupMember member;
  member.version = in.read<std::uint32_t>();
  if (member.version < 1 || member.version > 2)
    fail(ErrorKind::unsupported, "{} at byte {}: a group member of version {}, this build reads 1 and 2", in.name(),
         in.offset() - 4, member.version);
  const std::uint8_t type = in.read<std::uint8_t>();
  member.kind = type == kGroupType ? ObjectKind::group : type == kArrayType ? ObjectKind::array : ObjectKind::none;
  member.relative = in.read<std::uint8_t>() != 0;
  member.uri = in.string(in.read<std::uint64_t>(), "the place of a member");
  if (in.read<std::uint8_t>() != 0) member.name = in.string(in.read<std::uint64_t>(), "the name of a member");
  if (member.version >= 2) member.deleted = in.read<std::uint8_t>() != 0;
  return member;
}

}  // namespace

GroupDetails decode_group(Cursor in) {
  GroupDetails group;
  group.version = in.read<std::uint32_t>();
  if (group.version < 1 || group.version > 2)
    fail(ErrorKind::unsupported, "{}: a group of version {}, this build reads 1 and 2", in.name(), group.version);
  const std::uint64_t count = in.count<std::uint64_t>(15, "members");
  for (std::uint64_t i = 0; i < count; ++i) group.members.push_back(decode_member(in));
  in.expect_end("the group");
  return group;
}

void encode_group(const GroupDetails& group, Bytes& out) {
  ByteWriter writer(out);
  writer.put(group.version);
  writer.put(std::uint64_t{group.members.size()});
  for (const GroupMember& member : group.members) {
    writer.put(group.version);
    writer.put(member.kind == ObjectKind::group ? kGroupType : kArrayType);
    writer.put(static_cast<std::uint8_t>(member.relative));
    writer.put(std::uint64_t{member.uri.size()});
    writer.text(member.uri);
    writer.put(static_cast<std::uint8_t>(member.name.has_value()));
    if (member.name) {
      writer.put(std::uint64_t{member.name->size()});
      writer.text(*member.name);
    }
    if (group.version >= 2) writer.put(static_cast<std::uint8_t>(member.deleted));
  }
}

}  // namespace tegula::tiledb
