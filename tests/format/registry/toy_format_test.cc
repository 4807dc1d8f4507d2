// A format is its own folder and one line of the registry: this one is added by the test.
#include <gtest/gtest.h>

#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "support/expect_error.h"
#include "support/npy_folder.h"
#include "tegula/capabilities.h"

namespace tegula {

namespace {

TEST(ToyFormat, OpensOnlyWhileItIsRegistered) {
  const auto store = make_memory_store();
  store->put_text(testing::kNpyKey, testing::npy_file({1.5, 2.5, 4}));
  EXPECT_EQ(probe(*store).kind, ObjectKind::none);
  const ExtraDriver npy(testing::kNpyDriver);
  EXPECT_EQ(probe(*store).format, "npy");
  const auto array = open(store);
  EXPECT_EQ(array->schema().shape(), (std::vector<std::uint64_t>{3}));
  const Batch cells = collect(*array->query({}));
  double last = 0;
  std::memcpy(&last, cells.columns.at(0).data.data() + 16, 8);
  EXPECT_EQ(last, 4);
  EXPECT_EQ(formats().front(), "npy");
  EXPECT_FALSE(capabilities(*array).create);
}

TEST(ToyFormat, ErrorsNameWhatItLacks) {
  const ExtraDriver npy(testing::kNpyDriver);
  Schema schema;
  schema.format = "npy";
  EXPECT_ERROR(unsupported, "capability 'create'", create(make_memory_store(), schema));
  EXPECT_ERROR(unsupported, "capability 'groups'", create_group(make_memory_store(), "npy"));
  const auto store = make_memory_store();
  store->put_text(testing::kNpyKey, testing::npy_file({1}));
  OpenOptions then;
  then.at = {0, 5};
  EXPECT_ERROR(unsupported, "capability 'history'", open(store, then));
}

TEST(Capabilities, EveryFormatSaysWhatItCanDo) {
  EXPECT_EQ(formats(), (std::vector<std::string_view>{"tiledb", "bcolz", "zarr0", "zarr1", "zarr2", "zarr3"}));
  EXPECT_EQ(capabilities("zarr").format, "zarr3");
  EXPECT_TRUE(capabilities("tiledb").history);
  EXPECT_FALSE(capabilities("zarr1").groups);
  EXPECT_TRUE(capabilities("bcolz").tables);
  EXPECT_EQ(formats_with(&Capabilities::scalars), "zarr v2 and zarr v3");
  EXPECT_ERROR(invalid_argument, "'zarr4' is not a format", capabilities("zarr4"));
}

// What create() and the rest refuse is what the capabilities say.
TEST(Capabilities, AreTrue) {
  for (const std::string_view name : formats()) {
    const Capabilities& can = capabilities(name);
    const auto works = [](auto&& body) {
      try {
        body();
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    Schema schema;
    schema.format = name;
    Dimension rows;
    rows.name = "dim_0";
    rows.type = TypeId::uint64;
    rows.domain = {std::uint64_t{0}, std::uint64_t{9}};
    rows.tile = std::uint64_t{5};
    schema.dimensions = {rows};
    Attribute value;
    value.type = TypeId::int32;
    value.fill.resize(4, std::byte{0});
    schema.attributes = {value};
    const auto made = [&](auto&& change) {
      Schema changed = schema;
      change(changed);
      return works([&] { create(make_memory_store(), changed); });
    };
    EXPECT_EQ(made([](Schema&) {}), can.create) << name;
    EXPECT_EQ(works([&] { create_group(make_memory_store(), name); }), can.groups) << name;
    EXPECT_EQ(made([](Schema& s) { s.sparse = true; }), can.sparse) << name;
    // create() accepts them for zarr1 too, which conversions do not offer.
    if (name != "zarr1") {
      EXPECT_EQ(made([](Schema& s) { s.dimensions.clear(); }), can.scalars) << name;
    }
    EXPECT_EQ(made([](Schema& s) { s.dimensions[0].domain = {}; }), can.empty_axes) << name;
    EXPECT_EQ(made([](Schema& s) { s.attributes[0].nullable = true; }), can.nullable) << name;
    EXPECT_EQ(made([](Schema& s) {
                s.attributes[0].type = TypeId::utf8;
                s.attributes[0].values_per_cell = kVar;
                s.attributes[0].fill.clear();
              }),
              can.text)
        << name;
    EXPECT_EQ(made([](Schema& s) {
                s.attributes.push_back(s.attributes[0]);
                s.attributes[0].name = "a";
                s.attributes[1].name = "b";
              }),
              can.many_fields)
        << name;
    const auto array = create(make_memory_store(), schema);
    EXPECT_EQ(works([&] { array->resize({12}); }), can.resize) << name;
    OpenOptions then;
    then.at = {0, UINT64_MAX};
    const auto store = make_memory_store();
    create(store, schema);
    EXPECT_EQ(works([&] { open(store, then); }), can.history) << name;
    CreateOptions secret;
    secret.key.resize(32, std::byte{7});
    EXPECT_EQ(works([&] { create(make_memory_store(), schema, secret); }), can.encryption) << name;
  }
}

}  // namespace

}  // namespace tegula
