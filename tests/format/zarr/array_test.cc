// Changes: what is visible when, what survives a stop, what parallel writers may count on.
#include "format/zarr/array.h"

#include <thread>

#include "base/endian.h"
#include "base/json.h"
#include "format/zarr/numbers_array.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"

namespace tegula::testing {
namespace {

const char* const kFormats[] = {"zarr0", "zarr1", "zarr2", "zarr3"};

class EveryFormat : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, EveryFormat, ::testing::ValuesIn(kFormats));

TEST_P(EveryFormat, OverlappingWritersLoseNothing) {
  // Every thread owns the cells of its number modulo 4, so all chunks are written by all threads.
  const auto array = create({GetParam(), {64, 6}, {5, 4}, {}}, make_memory_store());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Selection selection;
      selection.axes.emplace_back(Slice{t, std::nullopt, 4});
      for (int round = 0; round < 5; ++round)
        write(*array, selection, std::vector<std::int32_t>(16 * 6, 10 * round + t));
    });
  for (std::thread& thread : threads) thread.join();
  const auto cells = read(*array, "[...]");
  for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_EQ(cells[i], 40 + static_cast<std::int32_t>(i / 6 % 4)) << i;
}

TEST_P(EveryFormat, AppendGrowsTheFirstAxis) {
  const auto store = make_memory_store();
  const auto array = create({GetParam(), {3, 2}, {2, 2}, {}}, store);
  write(*array, parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
  array->append(rows({7, 8, 9, 10}));
  const std::vector<std::int32_t> all{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(read(*array, "[...]"), all);
  EXPECT_EQ(read(*reopen(store), "[...]"), all);
  EXPECT_ERROR(invalid_argument, "whole number of rows", array->append(rows({1})));
}

TEST_P(EveryFormat, StoppedAppendLeavesTheArrayAsItWas) {
  for (std::uint64_t at = 0;; ++at) {
    const auto memory = make_memory_store();
    write(*create({GetParam(), {3, 2}, {2, 2}, {}}, memory), parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = at;
    const auto array = reopen(failing_store(memory, plan));
    bool stopped = false;
    try {
      array->append(rows({7, 8, 9, 10}));
    } catch (const Error&) {
      stopped = true;
    }
    const auto cells = read(*reopen(memory), "[...]");
    if (!stopped) {
      EXPECT_EQ(cells.size(), 10u);
      EXPECT_GE(at, 2u);
      break;
    }
    EXPECT_EQ(cells, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6})) << "stopped at change " << at;
    EXPECT_EQ(read(*array, "[...]").size(), 6u);
  }
}

TEST_P(EveryFormat, ResizeKeepsAndDropsChunksAsTheFormatDoes) {
  const auto store = make_memory_store();
  const auto array = create({GetParam(), {6}, {2}, {}}, store);
  write(*array, parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
  const Schema& before = array->schema();
  array->resize({2});
  EXPECT_EQ(before.shape(), Shape{6});  // a reference to a schema does not change
  EXPECT_EQ(read(*array, "[...]"), (std::vector<std::int32_t>{1, 2}));
  array->resize({6});
  const bool original = std::string_view(GetParam()) == "zarr0";
  const std::vector<std::int32_t> kept{1, 2, 3, 4, 5, 6}, filled{1, 2, -7, -7, -7, -7};
  EXPECT_EQ(read(*reopen(store), "[...]"), original ? kept : filled);
  EXPECT_ERROR(invalid_argument, "axes", array->resize({1, 1}));
}

TEST_P(EveryFormat, StoppedShrinkLosesNothingThatIsStillInside) {
  for (std::uint64_t at = 0; at < 8; ++at) {
    const auto memory = make_memory_store();
    write(*create({GetParam(), {6}, {2}, {}}, memory), parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = at;
    try {
      reopen(failing_store(memory, plan))->resize({2});
    } catch (const Error&) {
    }
    const auto cells = read(*reopen(memory), "[...]");
    const std::vector<std::int32_t> all{1, 2, 3, 4, 5, 6};
    EXPECT_TRUE(std::equal(cells.begin(), cells.end(), all.begin())) << at;
  }
}

TEST_P(EveryFormat, AttributesAreJson) {
  const auto store = make_memory_store();
  const auto array = create({GetParam(), {6}, {2}, {}}, store);
  MetaValue list;
  list.json = true;
  list.data = copy_of(bytes_of(R"([1, null, "caf\u00e9"])"));
  MetaValue number;
  number.type = Datatype(TypeId::int32);
  number.count = 1;
  number.data = Bytes(4, std::byte{1});
  array->update_metadata({{"list", list}, {"number", number}, {"gone", std::nullopt}});
  array->update_metadata({{"number", std::nullopt}});
  const Metadata metadata = reopen(store)->metadata();
  ASSERT_EQ(metadata.size(), 1u);
  EXPECT_EQ(parse_json(metadata.at("list").data, "x"), Json::parse(R"([1, null, "caf\u00e9"])"));
}

// A reference that schema() returned shows what it showed; snapshots that nobody uses are freed.
TEST_P(EveryFormat, SchemasOutliveChangesAndSnapshotsDoNot) {
  const auto array = create({GetParam(), {4, 3}, {2, 3}, {}}, make_memory_store());
  const std::weak_ptr<const zarr::Snapshot> first = dynamic_cast<const zarr::ZarrArray&>(*array).snapshot();
  const Schema& four = array->schema();
  MetaValue value;
  value.json = true;
  value.data = copy_of(bytes_of("1"));
  array->update_metadata({{"a", value}});
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(&array->schema(), &four) << "nothing about the schema changed";
  array->resize({6, 3});
  EXPECT_EQ(four.shape(), (Shape{4, 3}));
  EXPECT_EQ(array->schema().shape(), (Shape{6, 3}));
  array->resize({4, 3});
  EXPECT_EQ(&array->schema(), &four);
}

TEST_P(EveryFormat, MissingChunksAreFillOrAnError) {
  const auto store = make_memory_store();
  write(*create({GetParam(), {6}, {2}, {}}, store), parse_selection("[:2]"), {1, 2});
  OpenOptions strict;
  strict.missing = Missing::error;
  EXPECT_EQ(read(*reopen(store), "[1:4]"), (std::vector<std::int32_t>{2, -7, -7}));
  EXPECT_EQ(read(*reopen(store, strict), "[:2]"), (std::vector<std::int32_t>{1, 2}));
  EXPECT_ERROR(not_found, "is missing", read(*reopen(store, strict), "[1:4]"));
  const Info info = reopen(store)->info();
  EXPECT_EQ(info.chunks_present, 1u);
  EXPECT_EQ(info.chunks_expected, 3u);
  EXPECT_EQ(info.fields.at(0).decoded, 24u);
}

TEST_P(EveryFormat, DamageIsAnErrorThatNamesTheFileAndVerifyFindsIt) {
  const auto store = make_memory_store();
  const ArrayPlan plan{GetParam(), {6}, {2}, {}};
  write(*create(plan, store), parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
  constexpr const char* kKeys[] = {"__zdata__/1.blosc", "1", "1", "c/1"};
  const std::string key = kKeys[plan.format.back() - '0'];
  ASSERT_TRUE(store->has(key));
  for (const std::size_t size : {0, 3}) {
    store->put(key, ByteView(Bytes(size, std::byte{7})));
    const auto array = reopen(store);
    EXPECT_ERROR(corrupt, key, read(*array, "[...]"));
    EXPECT_EQ(read(*array, "[4:]"), (std::vector<std::int32_t>{5, 6}));
    const std::vector<Problem> problems = array->verify();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].file, key);
    EXPECT_EQ(problems[0].severity, Problem::Severity::damage);
    // A write that needs the old cells must not replace damaged ones by the fill value.
    EXPECT_ERROR(corrupt, key, write(*array, parse_selection("[2]"), {9}));
  }
  write(*reopen(store), parse_selection("[2:4]"), {3, 4});
  EXPECT_TRUE(reopen(store)->verify().empty());
}

TEST_P(EveryFormat, CreateRefusesWhatIsThere) {
  const auto store = make_memory_store();
  const ArrayPlan plan{GetParam(), {6}, {2}, {}};
  write(*create(plan, store), parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
  EXPECT_ERROR(invalid_argument, "already", create(plan, store));
  CreateOptions options;
  options.overwrite = true;
  EXPECT_EQ(read(*zarr::kZarrDriver.create(store, schema_of(plan), options), "[0]"), std::vector<std::int32_t>{-7});
  const auto other = make_memory_store();
  other->put_text("thesis.txt", "precious");
  EXPECT_ERROR(invalid_argument, "something else", zarr::kZarrDriver.create(other, schema_of(plan), options));
}

TEST_P(EveryFormat, FilesOutsideOfTheGridAreNotes) {
  const auto store = make_memory_store();
  write(*create({GetParam(), {6}, {2}, {}}, store), parse_selection("[...]"), {1, 2, 3, 4, 5, 6});
  constexpr const char* kKeys[] = {"__zdata__/9.blosc", "9", "9", "c/9"};
  store->put_text(kKeys[GetParam()[4] - '0'], "x");
  const auto problems = reopen(store)->verify();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Problem::Severity::note);
}

// Python's lzma refuses a preset beside a chain of filters.
TEST(ZarrCodecs, AnLzmaChainOfZarr1HasNoPreset) {
  const Filter plain{"lzma", {}}, chain{"lzma", {{"filters", std::string(R"([{"id": 33, "preset": 6}])")}}};
  for (const auto& [filter, preset] : {std::pair(plain, Json(1)), std::pair(chain, Json(nullptr))}) {
    const auto store = make_memory_store();
    const std::vector<std::int32_t> cells{1, 2, 3, 4, 5, 6};
    write(*create({"zarr1", {3, 2}, {2, 2}, {filter}}, store), parse_selection("[...]"), cells);
    EXPECT_EQ(parse_json(*store->get("meta"), "meta").at("compression_opts").at("preset"), preset);
    EXPECT_EQ(read(*reopen(store), "[...]"), cells);
  }
}

TEST(ZarrText, IsWrittenAppendedAndSelected) {
  for (const auto& [format, filters] : {std::pair{"zarr2", std::vector<Filter>{filter("zstd")}},
                                        {"zarr3", {}},
                                        {"zarr3", {filter("sharding", {{"chunk_shape", "[2]"}}), filter("gzip")}}}) {
    Schema schema = schema_of({format, {5}, {4}, filters});
    schema.attributes[0].type = Datatype(TypeId::utf8);
    schema.attributes[0].values_per_cell = kVar;
    schema.attributes[0].fill = copy_of(bytes_of("none"));
    const auto store = make_memory_store();
    const auto array = zarr::kZarrDriver.create(store, schema, {});
    auto text = [](std::initializer_list<std::string_view> cells) {
      Batch batch;
      Column column;
      column.type = Datatype(TypeId::utf8);
      column.values_per_cell = kVar;
      column.offsets.push_back(0);
      for (const std::string_view cell : cells) {
        const ByteView bytes = bytes_of(cell);
        column.data.insert(column.data.end(), bytes.begin(), bytes.end());
        column.offsets.push_back(column.data.size());
      }
      batch.cells = cells.size();
      batch.columns.push_back(std::move(column));
      return batch;
    };
    auto all = [&](std::string_view selection, std::uint64_t memory = 1 << 20) {
      Query query;
      query.select = parse_selection(selection);
      query.work.memory = memory;
      const Batch batch = collect(*reopen(store)->query(query));
      std::vector<std::string> out;
      for (std::size_t i = 0; i < batch.columns[0].cells(); ++i) out.emplace_back(text_of(batch.columns[0].cell(i)));
      return out;
    };
    EXPECT_EQ(all("[1:3]"), (std::vector<std::string>{"none", "none"}));
    array->write(text({"a", "", "ccc", "dd", "e"}));
    array->append(text({"f", "mosa\u00efque"}));
    EXPECT_EQ(all("[...]"), (std::vector<std::string>{"a", "", "ccc", "dd", "e", "f", "mosa\u00efque"}));
    EXPECT_EQ(all("[::-2]", 2048), (std::vector<std::string>{"mosa\u00efque", "e", "ccc", "a"}));
    EXPECT_EQ(all("[[5, 0]]"), (std::vector<std::string>{"f", "a"}));
    // Cells that do not match become the fill value; aggregates use only those that match.

    Query query;
    query.where = "value >= 'd'";
    const Batch found = collect(*array->query(query));
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < found.cells; ++i) cells.emplace_back(text_of(found.columns[0].cell(i)));
    EXPECT_EQ(cells, (std::vector<std::string>{"none", "none", "none", "dd", "e", "f", "mosa\u00efque"}));
    query.aggregates = {{"n", AggregateOp::count, ""}, {"least", AggregateOp::min, ""}, {"most", AggregateOp::max, ""}};
    const Batch answer = collect(*array->query(query));
    EXPECT_EQ(load_le<std::uint64_t>(answer.column("n")->data.data()), 4u);
    EXPECT_EQ(text_of(answer.column("least")->cell(0)), "dd");
    EXPECT_EQ(text_of(answer.column("most")->cell(0)), "mosa\u00efque");
  }
}

}  // namespace
}  // namespace tegula::testing
