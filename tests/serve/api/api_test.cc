#include "serve/api/api.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/endian.h"
#include "base/json.h"
#include "store/memory/memory_store.h"
#include "store/wrap/sub_store.h"
#include "support/sample_arrays.h"

namespace tegula::serve {
namespace {

using namespace tegula::testing;

std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() : root_(make_memory_store()) {
    for (const SampleArray& sample : sample_arrays()) make_sample(sample, sub_store(root_, sample.name));
    // 8 x 6 cells of 10 r + c, of which the last two rows were not written.
    Schema schema;
    schema.format = "tiledb";
    for (const auto& [name, extent] : {std::pair{"y", 8}, std::pair{"x", 6}}) {
      Dimension d;
      d.name = name;
      d.type = TypeId::int32;
      d.domain = {std::int64_t{0}, std::int64_t{extent - 1}};
      d.tile = std::int64_t{3};
      schema.dimensions.push_back(d);
    }
    schema.attributes = {sample_attribute("v", TypeId::int16)};
    Batch batch;
    batch.cells = 36;
    batch.columns.push_back(empty_column(field_info(schema.attributes[0], schema)));
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        std::byte cell[2];
        store_le(cell, static_cast<std::int16_t>(10 * r + c));
        batch.columns[0].data.insert(batch.columns[0].data.end(), cell, cell + 2);
      }
    const std::shared_ptr<Array> array = create(sub_store(root_, "deep/grid"), schema);
    array->write({{Slice{0, 6, 1}, Slice{0, 6, 1}}, false}, batch);
    TreeOptions options;
    options.work = one_thread();
    api_ = std::make_unique<Api>(std::make_shared<Tree>(root_, options));
  }

  Answer ask(const std::string& target) {
    const ParsedHead parsed = parse_head("GET /" + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_FALSE(parsed.refusal) << target;
    return api_->get(parsed.request, parsed.request.path);
  }
  Json json(const std::string& target) {
    const Answer answer = ask(target);
    EXPECT_EQ(answer.status, 200) << target << text_of(answer.body);
    return Json::parse(text_of(answer.body));
  }
  std::vector<double> points(const std::string& parameters) {
    const Json found = json("overview/deep/grid?format=json&" + parameters);
    std::vector<double> out;
    for (const Json& value : found["fields"]["v"]) out.push_back(value.is_string() ? -1 : value.get<double>());
    return out;
  }

  std::shared_ptr<Store> root_;
  std::unique_ptr<Api> api_;
};

TEST_F(ApiTest, Listings) {
  const Json all = json("list");
  EXPECT_EQ(all["kind"], "folder");
  EXPECT_EQ(all["more"], false);
  EXPECT_EQ(all["members"].size(), sample_arrays().size() + 1);
  EXPECT_EQ(all["members"][0], (Json{{"name", "bcolz_carray"},
                                     {"kind", "dense"},
                                     {"format", "bcolz"},
                                     {"shape", Json::array({40})},
                                     {"fields", {{"", "int32"}}}}));
  const Json part = json("list?after=bcolz_carray&limit=1");
  EXPECT_EQ(part["members"][0]["name"], "bcolz_table");
  EXPECT_EQ(part["members"][0]["kind"], "table");
  EXPECT_EQ(part["more"], true);
  EXPECT_EQ(json("list/deep")["members"][0]["name"], "grid");
}

TEST_F(ApiTest, Schemas) {
  const Json grid = json("info/deep/grid");
  EXPECT_EQ(grid["kind"], "dense");
  EXPECT_EQ(grid["shape"], Json::array({8, 6}));
  EXPECT_EQ(grid["dimensions"][0]["domain"], Json::array({0, 7}));
  EXPECT_EQ(grid["attributes"][0]["type"], "int16");
  EXPECT_EQ(grid["fragments"].size(), 1u);
  EXPECT_EQ(grid["non_empty_domain"], Json::array({Json::array({0, 5}), Json::array({0, 5})}));
  for (const SampleArray& sample : sample_arrays())
    EXPECT_EQ(json("info/" + sample.name)["format"], sample.schema.format) << sample.name;
}

TEST_F(ApiTest, Queries) {
  const std::string document = encoded(R"({"ranges": {"y": [1, 2], "x": [0, 1]}})");
  const Json found = json("query/deep/grid?query=" + document);
  EXPECT_EQ(found["shape"], Json::array({2, 2}));
  EXPECT_EQ(found["fields"]["v"], Json::array({10, 11, 20, 21}));
  const Json rows = json("query/bcolz_table?query=" + encoded(R"({"where": "a > 38", "fields": ["a"]})"));
  for (const Json& value : rows["fields"]["a"]) EXPECT_GT(value.get<int>(), 38);
  const Json aggregated = json("query/tiledb_sparse?query=" + encoded(R"({"aggregates": {"n": {"op": "count"}}})"));
  EXPECT_EQ(aggregated["fields"].size(), 1u);

  const Answer npy = ask("query/deep/grid?format=npy&query=" + document);
  const std::string_view text = text_of(npy.body);
  EXPECT_EQ(text.substr(0, 6), "\x93NUMPY");
  EXPECT_NE(text.find("'shape': (2, 2)"), text.npos);
  EXPECT_EQ(load_le<std::int16_t>(npy.body.data() + npy.body.size() - 2), 21);

  const Answer arrow = ask("query/bcolz_table?format=arrow");
  EXPECT_EQ(text_of(arrow.body).substr(0, 6), "ARROW1");
  EXPECT_FALSE(arrow.tag.empty());
}

TEST_F(ApiTest, Statistics) {
  const Json found = json("stats/deep/grid")["fields"];
  EXPECT_EQ(found["min(v)"][0], 0);
  EXPECT_EQ(found["max(v)"][0], 55);
}

TEST_F(ApiTest, Overviews) {
  // Points of 2 x 2 cells; -1 stands for no number.
  EXPECT_EQ(points("width=3&height=4"),
            (std::vector<double>{5.5, 7.5, 9.5, 25.5, 27.5, 29.5, 45.5, 47.5, 49.5, -1, -1, -1}));
  EXPECT_EQ(points("width=3&height=1&how=max"), (std::vector<double>{51, 53, 55}));
  EXPECT_EQ(points("width=1&height=1&how=min"), (std::vector<double>{0}));
  EXPECT_EQ(points("width=2&height=1&how=nearest&select=" + encoded("[2:4, 1:3]")), (std::vector<double>{21, 22}));
  // As many points as cells when more are asked for, and one axis is one row.
  EXPECT_EQ(points("select=" + encoded("[1, :4]")), (std::vector<double>{10, 11, 12, 13}));
  EXPECT_EQ(points("select=" + encoded("[:3, 2]") + "&width=2").size(), 2u);
  const Answer png = ask("overview/deep/grid?format=png");
  EXPECT_EQ(png.type, "image/png");
  EXPECT_EQ(text_of(png.body).substr(1, 3), "PNG");
}

TEST_F(ApiTest, WhatIsWrong) {
  const struct {
    std::string target;
    int status;
  } kRows[] = {{"", 404},
               {"nothing", 404},
               {"list/nowhere", 404},
               {"list?limit=0", 400},
               {"list?limit=x", 400},
               {"list?limit=99999999999999999999999", 400},
               {"query/deep", 404},
               {"query/deep/grid?query=%7B", 400},
               {"query/deep/grid?query=" + encoded(R"({"ranges": {"q": [1, 2]}})"), 400},
               {"query/deep/grid?query=" + encoded(R"({"open_at": 5})"), 400},
               {"query/deep/grid?format=xml", 400},
               {"query/tiledb_dense?format=npy", 400},
               {"stats/deep/grid?field=none", 400},
               {"overview/tiledb_sparse", 400},
               {"overview/deep/grid?field=none", 400},
               {"overview/deep/grid?how=median", 400},
               {"overview/deep/grid?width=100000", 400},
               {"overview/deep/grid?select=" + encoded("[::2]"), 400},
               {"overview/deep/grid?select=" + encoded("[9:9]"), 400},
               {"overview/tiledb_dense?field=s", 400}};
  for (const auto& row : kRows) EXPECT_EQ(ask(row.target).status, row.status) << row.target;
}

}  // namespace
}  // namespace tegula::serve
