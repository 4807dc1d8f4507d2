#include "serve/view/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/endian.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "store/wrap/sub_store.h"
#include "support/array_text.h"
#include "support/expect_error.h"
#include "support/sample_arrays.h"
#include "support/temp_folder.h"

namespace tegula::serve {
namespace {

using namespace tegula::testing;

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// A view that looks at everything again each time.
struct Served {
  explicit Served(std::shared_ptr<Store> root) : store(std::move(root)) {
    TreeOptions options;
    options.fresh = std::chrono::milliseconds(0);
    options.work = one_thread();
    tree = std::make_shared<Tree>(store, options);
    view = std::make_unique<View>(tree);
  }

  std::optional<Resource> find(int version, std::string_view path) { return view->get(version, parts_of(path)); }
  std::optional<std::string> text(int version, std::string_view path) {
    const std::optional<Resource> found = find(version, path);
    if (!found) return std::nullopt;
    return std::string(text_of(found->body()));
  }
  Json json(int version, std::string_view path) {
    const std::optional<std::string> found = text(version, path);
    if (!found) {
      ADD_FAILURE() << path << " is not there";
      return Json::object();
    }
    return Json::parse(*found);  // strict
  }
  std::string tag(int version, std::string_view path) {
    const std::optional<Resource> found = find(version, path);
    return found ? found->tag : "";
  }

  // What a client that reads every document and chunk of an array has then.
  std::shared_ptr<Array> fetched(int version, const std::string& path) {
    const std::shared_ptr<Store> copy = make_memory_store();
    const std::string document = version == 3 ? "zarr.json" : ".zarray";
    const Json json = this->json(version, path + "/" + document);
    copy->put_text(document, *text(version, path + "/" + document));
    if (version == 2) copy->put_text(".zattrs", *text(version, path + "/.zattrs"));
    const auto shape = json["shape"].get<std::vector<std::uint64_t>>();
    const auto chunks = (version == 3 ? json["chunk_grid"]["configuration"]["chunk_shape"] : json["chunks"])
                            .get<std::vector<std::uint64_t>>();
    std::vector<std::uint64_t> at(shape.size(), 0);
    for (bool more = std::ranges::find(shape, 0u) == shape.end(); more;) {
      std::string key = version == 3 ? "c" : "";
      for (std::size_t a = 0; a < at.size(); ++a) key += (version == 3 ? "/" : a ? "." : "") + std::to_string(at[a]);
      if (version == 2 && at.empty()) key = "0";
      const std::optional<Resource> chunk = find(version, path + "/" + key);
      if (chunk) {
        const Bytes bytes = chunk->body();
        EXPECT_EQ(chunk->size.value_or(bytes.size()), bytes.size()) << path << " " << key;
        copy->put(key, bytes);
      }
      more = false;
      for (std::size_t a = at.size(); a-- > 0 && !more;) {
        more = ++at[a] * chunks[a] < shape[a];
        if (!more) at[a] = 0;
      }
    }
    return open(copy);
  }
  std::string cells(int version, const std::string& path) {
    const Batch batch = collect(*fetched(version, path)->query({}));
    std::string out;
    for (std::size_t i = 0; i < batch.cells; ++i) out += hex(batch.columns[0].cell(i)) + "\n";
    return out;
  }

  std::shared_ptr<Store> store;
  std::shared_ptr<Tree> tree;
  std::unique_ptr<View> view;
};

std::string column_text(const Array& array, const std::string& field) {
  Query query;
  query.fields = {field};
  if (array.schema().sparse) query.order = Order::row;
  const Batch batch = collect(*array.query(query));
  std::string out;
  for (std::size_t i = 0; i < batch.cells; ++i) out += hex(batch.columns[0].cell(i)) + "\n";
  return out;
}

class EveryFamily : public ::testing::TestWithParam<SampleArray> {};

// Every cell of every field is what the array itself gives, in both versions.
TEST_P(EveryFamily, ReadsAsItself) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_sample(GetParam(), sub_store(root, "folder/a"));
  Served served(root);
  const std::shared_ptr<Array> array = open(sub_store(root, "folder/a"));
  std::vector<std::string> fields;
  for (const Attribute& a : array->schema().attributes) fields.push_back(a.name);
  if (array->schema().sparse) fields.push_back("x");
  const bool group = array->schema().table || array->schema().format == "tiledb";
  for (const int version : {2, 3})
    for (const std::string& field : fields) {
      const std::string path = group ? "folder/a/" + (field.empty() ? "value" : field) : "folder/a";
      EXPECT_EQ(served.cells(version, path), column_text(*array, field)) << path << " v" << version;
    }
}

// The consolidated document of a folder holds what the documents below it say.
TEST_P(EveryFamily, IsConsolidated) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_sample(GetParam(), sub_store(root, "folder/a"));
  Served served(root);
  const Json three = served.json(3, "zarr.json")["consolidated_metadata"]["metadata"];
  const Json two = served.json(2, ".zmetadata")["metadata"];
  EXPECT_TRUE(three.contains("folder"));
  EXPECT_TRUE(two.contains("folder/.zgroup"));
  std::size_t arrays = 0;
  for (const auto& [path, document] : three.items()) {
    if (document["node_type"] != "array") continue;
    EXPECT_EQ(document, served.json(3, path + "/zarr.json")) << path;
    EXPECT_EQ(document["dimension_names"].size(), document["shape"].size()) << path;
    EXPECT_EQ(two[path + "/.zarray"], served.json(2, path + "/.zarray")) << path;
    EXPECT_EQ(two[path + "/.zattrs"], served.json(2, path + "/.zattrs")) << path;
    EXPECT_EQ(two[path + "/.zattrs"]["_ARRAY_DIMENSIONS"], document["dimension_names"]) << path;
    ++arrays;
  }
  EXPECT_GT(arrays, 0u);
}

INSTANTIATE_TEST_SUITE_P(View, EveryFamily, ::testing::ValuesIn(sample_arrays()),
                         [](const auto& row) { return row.param.name; });

Dimension axis(const char* name, TypeId type, Value low, Value high, Value tile) {
  Dimension d;
  d.name = name;
  d.type = type;
  d.domain = {low, high};
  d.tile = tile;
  return d;
}

template <class T>
void put(Bytes& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_le(out.data() + out.size() - sizeof(T), value);
}

template <class T>
std::vector<T> numbers(const Array& array) {
  const Batch batch = collect(*array.query({}));
  std::vector<T> out;
  for (std::size_t i = 0; i < batch.cells; ++i) out.push_back(load_le<T>(batch.columns[0].cell(i).data()));
  return out;
}

// A dense TileDB array of 6 x 9 cells, of which one corner is written.
std::shared_ptr<Array> make_grid(const std::shared_ptr<Store>& store) {
  Schema schema;
  schema.format = "tiledb";
  schema.dimensions = {axis("x", TypeId::int16, std::int64_t{10}, std::int64_t{15}, std::int64_t{4}),
                       axis("y", TypeId::int16, std::int64_t{-2}, std::int64_t{6}, std::int64_t{3})};
  Attribute f = sample_attribute("f", TypeId::float32);
  f.nullable = true;
  Attribute pair = sample_attribute("pair", TypeId::int32, 2);
  Attribute code = sample_attribute("code", TypeId::uint8);
  code.enumeration = "colours";
  code.fill = Bytes(1, std::byte{0xFF});
  Attribute lists = sample_attribute("lists", TypeId::int32, kVar);
  lists.fill = Bytes(4, std::byte{0});
  schema.attributes = {f, pair, code, lists};
  Enumeration colours;
  colours.name = "colours";
  colours.type = TypeId::ascii;
  colours.values_per_cell = kVar;
  colours.data = copy_of(bytes_of("redgreen"));
  colours.offsets = {0, 3};
  schema.enumerations = {colours};
  CreateOptions options;
  options.at = 50;
  const std::shared_ptr<Array> array = create(store, schema, options);
  Batch batch;
  batch.cells = 4;  // x 10 and 11, y -2 and -1
  for (const Attribute& a : schema.attributes) batch.columns.push_back(empty_column(field_info(a, schema)));
  for (int i = 0; i < 4; ++i) {
    put(batch.columns[0].data, static_cast<float>(i) + 0.5f);
    batch.columns[0].validity.push_back(std::byte{i != 2});
    put(batch.columns[1].data, std::int32_t{i});
    put(batch.columns[1].data, std::int32_t{-i});
    batch.columns[2].data.push_back(static_cast<std::byte>(i % 2));
    put(batch.columns[3].data, std::int32_t{i});
    batch.columns[3].offsets.push_back(batch.columns[3].data.size());
  }
  Selection corner;
  corner.axes = {Slice{0, 2, 1}, Slice{0, 2, 1}};
  array->write(corner, batch, written_at(100));
  return array;
}

TEST(View, DomainsBecomeCoordinates) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_grid(sub_store(root, "a"));
  Served served(root);
  EXPECT_EQ(served.json(3, "a/x/zarr.json")["dimension_names"], Json::array({"x"}));
  for (const int version : {2, 3}) {
    EXPECT_EQ(numbers<std::int16_t>(*served.fetched(version, "a/x")),
              (std::vector<std::int16_t>{10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(numbers<std::int16_t>(*served.fetched(version, "a/y")),
              (std::vector<std::int16_t>{-2, -1, 0, 1, 2, 3, 4, 5, 6}));
  }
}

TEST(View, DatesAreCounted) {
  const std::shared_ptr<Store> root = make_memory_store();
  Schema schema;
  schema.format = "tiledb";
  Dimension day = axis("day", TypeId::datetime, std::int64_t{10}, std::int64_t{12}, std::int64_t{2});
  day.type.unit = TimeUnit::day;
  schema.dimensions = {day};
  const struct {
    TypeId type;
    TimeUnit unit;
    Json attributes;
  } kRows[] = {
      {TypeId::datetime,
       TimeUnit::ns,
       {{"units", "nanoseconds since 1970-01-01"}, {"calendar", "proleptic_gregorian"}}},
      {TypeId::datetime, TimeUnit::month, {{"numpy_dtype", "M8[M]"}}},
      {TypeId::timedelta, TimeUnit::second, {{"units", "seconds"}, {"dtype", "timedelta64[ns]"}}},
  };
  for (const auto& row : kRows) {
    Attribute a = sample_attribute("f" + std::to_string(schema.attributes.size()), row.type);
    a.type.unit = row.unit;
    schema.attributes.push_back(a);
  }
  create(sub_store(root, "a"), schema);
  Served served(root);
  EXPECT_EQ(served.json(3, "a/day/zarr.json")["attributes"]["units"], "days since 1970-01-01");
  EXPECT_EQ(numbers<std::int64_t>(*served.fetched(3, "a/day")), (std::vector<std::int64_t>{10, 11, 12}));
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const Json document = served.json(3, "a/f" + std::to_string(i) + "/zarr.json");
    EXPECT_EQ(document["data_type"], "int64");
    EXPECT_EQ(document["attributes"], kRows[i].attributes);
  }
}

TEST(View, NullsSeveralValuesAndEnumerations) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_grid(sub_store(root, "a"));
  Served served(root);
  for (const int version : {2, 3}) {
    const std::vector<float> f = numbers<float>(*served.fetched(version, "a/f"));
    EXPECT_EQ(f[0], 0.5f);
    EXPECT_EQ(f[1], 1.5f);
    EXPECT_TRUE(std::isnan(f[9]));  // null
    EXPECT_EQ(f[10], 3.5f);
    EXPECT_TRUE(std::isnan(f[53]));  // never written: the fill value is null
    const std::vector<std::uint8_t> valid = numbers<std::uint8_t>(*served.fetched(version, "a/f__valid"));
    EXPECT_EQ(valid[0] + valid[1] * 2 + valid[9] * 4 + valid[10] * 8 + valid[53] * 16, 1 + 2 + 8);
    const std::shared_ptr<Array> pair = served.fetched(version, "a/pair");
    EXPECT_EQ(pair->schema().shape(), (std::vector<std::uint64_t>{6, 9, 2}));
    const std::vector<std::int32_t> values = numbers<std::int32_t>(*pair);
    EXPECT_EQ((std::vector<std::int32_t>(values.begin() + 18, values.begin() + 22)),
              (std::vector<std::int32_t>{2, -2, 3, -3}));
    EXPECT_EQ(served.cells(version, "a/code__values"), "726564\n677265656e\n");
  }
  const Json code = served.json(3, "a/code/zarr.json");
  EXPECT_EQ(code["attributes"]["enumeration"]["values"], Json({"red", "green"}));
  EXPECT_EQ(code["fill_value"], 255);
  const Json left_out = served.json(3, "a/zarr.json")["attributes"][kNotServed];
  EXPECT_TRUE(left_out.contains("lists")) << left_out;
  EXPECT_FALSE(served.find(3, "a/lists/zarr.json"));
}

TEST(View, AbsentChunksAreAbsent) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_grid(sub_store(root, "a"));
  Served served(root);
  EXPECT_TRUE(served.find(3, "a/f/c/0/0"));
  EXPECT_FALSE(served.find(3, "a/f/c/1/1"));
  EXPECT_FALSE(served.find(2, "a/f/1.1"));
  const char* kNoKeys[] = {"a/f/c/0",     "a/f/c/0/0/0",
                           "a/f/c/00/0",  "a/f/c/-1/0",
                           "a/f/c/+0/0",  "a/f/c/2/0",
                           "a/f/c/0/3",   "a/f/c/18446744073709551616/0",
                           "a/f/c",       "a/f/0.0",
                           "a/f/.zarray", "a/f/.zattrs",
                           "a/.zgroup",   "a/.zmetadata",
                           "a/__schema",  "a/f/zarr.json/c",
                           "b/zarr.json", "a@yesterday/zarr.json"};
  for (const char* key : kNoKeys) EXPECT_FALSE(served.find(3, key)) << key;
  EXPECT_FALSE(served.find(2, "a/f/zarr.json"));
  EXPECT_FALSE(served.find(2, "a/f/c/0/0"));
}

TEST(View, TimesAreInThePath) {
  const std::shared_ptr<Store> root = make_memory_store();
  const SampleArray sample = sample_arrays()[0];
  make_sample(sample, sub_store(root, "a"));
  make_sample(sample, sub_store(root, "b@120"));
  Served served(root);
  for (const std::uint64_t time : {110u, 120u, 130u}) {
    OpenOptions options;
    options.at = {0, time};
    const std::shared_ptr<Array> then = open(sub_store(root, "a"), options);
    EXPECT_EQ(served.cells(3, "a@" + std::to_string(time) + "/a"), column_text(*then, "a")) << time;
  }
  EXPECT_NE(served.cells(3, "a@110/a"), served.cells(3, "a/a"));
  EXPECT_EQ(served.cells(3, "a@1970-01-01T00:00:00.120/a"), served.cells(3, "a@120/a"));
  EXPECT_NE(served.tag(3, "a@110/a/c/0"), served.tag(3, "a@130/a/c/0"));
  // A name that holds the mark is that name.
  EXPECT_EQ(served.cells(3, "b@120/a"), served.cells(3, "a/a"));
}

TEST(View, ChangesAreNoticed) {
  for (const SampleArray& sample : sample_arrays()) {
    const std::shared_ptr<Store> root = make_memory_store();
    make_sample(sample, sub_store(root, "a"));
    Served served(root);
    const std::string path = sample.schema.table || sample.schema.format == "tiledb" ? "a/a" : "a";
    const std::string before = served.cells(3, path), tag = served.tag(3, path + "/c/0");
    EXPECT_EQ(served.tag(3, path + "/c/0"), tag) << sample.name;
    const std::shared_ptr<Array> array = open(sub_store(root, "a"));
    const Batch cells = sample_cells(sample.schema, 4, 7, 1, 2);
    if (sample.schema.sparse)
      array->write(cells, written_at(500));
    else if (sample.schema.format == "bcolz")
      array->append(cells);
    else
      array->write(sample_box(0, 4), cells, written_at(sample.schema.format == "tiledb" ? 500 : 0));
    EXPECT_NE(served.cells(3, path), before) << sample.name;
    EXPECT_EQ(served.cells(3, path), column_text(*open(sub_store(root, "a")), array->schema().attributes[0].name))
        << sample.name;
    EXPECT_EQ(served.tag(3, path + "/c/0") == tag, sample.schema.format == "bcolz") << sample.name;
  }
}

// Bytes that clients can decode themselves are those of the file.
TEST(View, StoredChunksPassThrough) {
  const std::shared_ptr<Store> root = make_memory_store();
  for (const char* format : {"zarr1", "zarr2", "zarr3", "bcolz"}) {
    Schema schema =
        sample_schema(format, format == std::string("bcolz") ? 0 : 40, 8, {sample_attribute("", TypeId::int32)});
    const std::string name = format;
    const std::shared_ptr<Array> array = create(sub_store(root, name), schema);
    Batch cells = sample_cells(schema, 40, 1);
    if (name == "bcolz")
      array->append(cells);
    else
      array->write(sample_box(0, 40), cells);
  }
  Served served(root);
  const struct {
    const char* path;
    const char* file;
    std::size_t offset;
  } kRows[] = {{"zarr1/c/2", "zarr1/2", 0},
               {"zarr2/c/2", "zarr2/2", 0},
               {"zarr3/c/2", "zarr3/c/2", 0},
               {"bcolz/c/2", "bcolz/data/__2.blp", 16}};
  for (const auto& row : kRows) {
    const std::optional<Bytes> file = root->get(row.file);
    ASSERT_TRUE(file) << row.file;
    EXPECT_EQ(served.text(3, row.path), std::string(text_of(*file).substr(row.offset))) << row.path;
  }
}

TEST(View, DamageIsNoHole) {
  const std::shared_ptr<Store> root = make_memory_store();
  for (const SampleArray& sample : sample_arrays()) make_sample(sample, sub_store(root, sample.name));
  Served served(root);
  root->remove("bcolz_carray/data/__0.blp");
  EXPECT_ERROR(corrupt, "__0.blp", served.text(3, "bcolz_carray/c/0"));
  for (const ListedFile& file : root->list_all("tiledb_dense/__fragments").files)
    if (file.key.ends_with("a0.tdb")) root->put_text(file.key, "short");
  EXPECT_ERROR(corrupt, "a0.tdb", served.text(3, "tiledb_dense/a/c/0"));
  root->put_text("zarr3/zarr.json", "{\"node_type\": \"array\"");
  EXPECT_ERROR(corrupt, "zarr.json", served.text(3, "zarr3/zarr.json"));
  // The others are still there.
  EXPECT_TRUE(served.text(3, "zarr2/zarr.json"));
  EXPECT_TRUE(served.json(3, "zarr.json")["consolidated_metadata"]["metadata"].contains("zarr2"));
}

TEST(View, NothingOutsideOfTheRoot) {
  const TempFolder folder;
  const std::shared_ptr<Store> all = open_store(folder.path());
  make_sample(sample_arrays()[0], sub_store(all, "secret"));
  make_sample(sample_arrays()[0], sub_store(all, "root/a"));
  std::filesystem::create_directory_symlink(folder / "secret", folder / "root/link");
  const std::shared_ptr<Group> group = create_group(sub_store(all, "root/g"), "tiledb");
  group->add(folder / "secret", "outside", true);
  group->add(folder / "root/a", "inside", true);
  Served served(open_store(folder / "root"));
  EXPECT_TRUE(served.find(3, "g/inside/a/zarr.json"));
  for (const char* path : {"link/zarr.json", "link/a/zarr.json", "g/outside/zarr.json", "g/outside/a/zarr.json",
                           "../secret/zarr.json", "a/../../secret/zarr.json", "..", "%2e%2e/secret/zarr.json"})
    EXPECT_FALSE(served.find(3, path)) << path;
  EXPECT_FALSE(served.json(3, "zarr.json")["consolidated_metadata"]["metadata"].contains("link"));
}

TEST(View, GroupsAndFoldersLinkToWhatTheyHold) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_sample(sample_arrays()[0], sub_store(root, "a b&<"));
  Served served(root);
  const std::string page = served.text(3, "").value_or("");
  EXPECT_NE(page.find("<a href=\"a%20b%26%3C/\">a b&amp;&lt;</a>"), page.npos) << page;
  EXPECT_NE(served.text(3, "a b&<").value_or("").find("href=\"a/\""), page.npos);
}

TEST(View, DocumentsAreStrictJson) {
  const std::shared_ptr<Store> root = make_memory_store();
  Schema schema = sample_schema("zarr2", 4, 2, {sample_attribute("", TypeId::float64)});
  store_le(schema.attributes[0].fill.data(), std::numeric_limits<double>::quiet_NaN());
  create(sub_store(root, "a"), schema);
  root->put_text("a/.zattrs", "{\"least\": -Infinity, \"list\": [NaN, 1, {\"x\": Infinity}]}");
  Served served(root);
  for (const int version : {2, 3}) {
    const Json found = version == 3 ? served.json(3, "a/zarr.json")["attributes"] : served.json(2, "a/.zattrs");
    EXPECT_EQ(found["least"], "-Infinity");
    EXPECT_EQ(found["list"], Json({"NaN", 1, {{"x", "Infinity"}}}));
  }
  EXPECT_EQ(served.json(3, "a/zarr.json")["fill_value"], "NaN");
}

// The cells of a sparse array are read once and kept; there is a limit to that.
TEST(View, SparseArraysBeyondTheBudget) {
  const std::shared_ptr<Store> root = make_memory_store();
  make_sample(sample_arrays()[1], sub_store(root, "a"));
  TreeOptions options;
  options.kept = 400;
  View view(std::make_shared<Tree>(root, options));
  EXPECT_TRUE(view.get(3, parts_of("a/x/zarr.json")));
  EXPECT_THROW(view.get(3, parts_of("a/x/c/0"))->body(), Unavailable);
}

}  // namespace
}  // namespace tegula::serve
