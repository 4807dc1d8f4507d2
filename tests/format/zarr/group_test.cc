#include "format/zarr/group.h"

#include <gtest/gtest.h>

#include "format/zarr/driver.h"
#include "format/zarr/meta/schema_model.h"
#include "format/zarr/meta/v2.h"
#include "store/memory/memory_store.h"
#include "store/wrap/sub_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"

namespace tegula::zarr {
namespace {

constexpr const char* kV2 = R"({"zarr_format": 2, "shape": [6, 5], "chunks": [4, 3], "dtype": "<i4", "compressor": null,
                                "filters": null, "fill_value": 0, "order": "C"})";

class WithoutLists final : public WrappedStore {
 public:
  using WrappedStore::WrappedStore;
  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.lists = false;
    return hints;
  }
};

TEST(Groups, AreCreatedAndTheirAttributesChanged) {
  for (const char* format : {"zarr2", "zarr3"}) {
    SCOPED_TRACE(format);
    const auto store = make_memory_store();
    const auto group = kZarrDriver.create_group(store, format, {});
    EXPECT_EQ(group->format(), format);
    EXPECT_TRUE(group->metadata().empty());
    MetaValue title;
    title.type = Datatype(TypeId::utf8);
    title.data = copy_of(bytes_of("root"));
    group->update_metadata({{"title", title}, {"other", title}});
    group->update_metadata({{"other", std::nullopt}});
    for (const auto& handle : {group, kZarrDriver.open_group(store, {})}) {
      const Metadata metadata = handle->metadata();
      ASSERT_EQ(metadata.size(), 1u);
      EXPECT_EQ(text_of(metadata.at("title").data), "\"root\"");
    }
    EXPECT_ERROR(invalid_argument, "already a zarr group", kZarrDriver.create_group(store, format, {}));
    EXPECT_ERROR(invalid_argument, "already a zarr group",
                 kZarrDriver.create(store, schema_of(parse_v2(bytes_of(kV2), "x")), {}));
  }
  EXPECT_ERROR(unsupported, "no groups", kZarrDriver.create_group(make_memory_store(), "zarr1", {}));
  // A folder of arrays gets a document; a folder of other things does not.
  const auto folder = make_memory_store();
  folder->put_text("x/.zarray", kV2);
  EXPECT_ERROR(unsupported, "plain folder", kZarrDriver.open_group(folder, {})->update_metadata({}));
  EXPECT_EQ(kZarrDriver.create_group(folder, "zarr2", {})->members().size(), 1u);
  folder->put_text(".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {".zattrs": {}, "x/.zarray": {}}})");
  MetaValue number;
  number.json = true;
  number.data = copy_of(bytes_of("3"));
  kZarrDriver.open_group(folder, {})->update_metadata({{"n", number}});
  EXPECT_EQ(kZarrDriver.open_group(folder, {})->metadata().count("n"), 1u);
  const auto notes = make_memory_store();
  notes->put_text("notes.txt", "");
  EXPECT_ERROR(invalid_argument, "something else", kZarrDriver.create_group(notes, "zarr3", {}));
}

TEST(Groups, ListMembersWithAndWithoutConsolidatedMetadata) {
  const auto store = make_memory_store();
  store->put_text(".zgroup", R"({"zarr_format": 2})");
  store->put_text(".zattrs", R"({"title": "root"})");
  store->put_text("x/.zarray", kV2);
  store->put_text("deep/er/y/.zarray", kV2);
  store->put_text("other/notes.txt", "no node");
  auto names = [&] {
    std::string out;
    for (const Member& member : kZarrDriver.open_group(store, {})->members())
      out += member.name + (member.kind == ObjectKind::array ? "[] " : "/ ");
    return out;
  };
  EXPECT_EQ(names(), "x[] ");
  store->put_text("deep/.zgroup", R"({"zarr_format": 2})");
  EXPECT_EQ(names(), "deep/ x[] ");
  EXPECT_EQ(kZarrDriver.open_group(store, {})->metadata().count("title"), 1u);
  store->put_text(
      ".zmetadata",
      R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {}, "a/.zarray": {}, "b/c/.zarray": {}}})");
  // It may be old: what is there counts, unless it cannot be listed.
  EXPECT_EQ(names(), "deep/ x[] ");
  std::string copied;
  for (const Member& member : kZarrDriver.open_group(std::make_shared<WithoutLists>(store), {})->members())
    copied += member.name + (member.kind == ObjectKind::array ? "[] " : "/ ");
  EXPECT_EQ(copied, "a[] b/ ");
  EXPECT_EQ(kZarrDriver.probe(*store).kind, ObjectKind::group);
  EXPECT_EQ(kZarrDriver.probe(*sub_store(store, "deep/er")).kind, ObjectKind::group);
  EXPECT_EQ(kZarrDriver.probe(*sub_store(store, "other")).kind, ObjectKind::none);
}

}  // namespace
}  // namespace tegula::zarr
