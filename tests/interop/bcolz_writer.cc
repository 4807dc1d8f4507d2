// Half of the bcolz interop test; tests/interop/bcolz_interop.py is the other half.
//
//   bcolz_writer write DIR   makes carrays and ctables of every dtype and codec, and beside each NAME.raw, its bytes
//   bcolz_writer check DIR   reads them back after bcolz has gone on with them; NAME.raw then holds what it must find
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "format/bcolz/driver.h"
#include "model/strided.h"
#include "store/open/open_store.h"
#include "store/store.h"
#include "tegula/bcolz.h"
#include "tegula/error.h"

namespace {

using namespace tegula;

struct Case {
  std::string name, dtype, cname = "lz4";
  int level = 5, shuffle = 1, quantize = 0;
  std::uint64_t rows = 257, chunklen = 100;
  std::vector<std::uint64_t> inner = {};
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const char* dtype : {"bool",
                            "int8",
                            "int16",
                            "int32",
                            "int64",
                            "uint8",
                            "uint16",
                            "uint32",
                            "uint64",
                            "float16",
                            "float32",
                            "float64",
                            "|S1",
                            "|S7",
                            "|S300",
                            "<U4",
                            "|V7",
                            "|V300",
                            "datetime64[D]",
                            "datetime64[ns]",
                            "datetime64[25s]",
                            "timedelta64[ns]",
                            "timedelta64[s]",
                            "datetime64",
                            ">i4",
                            ">f8",
                            ">U3",
                            ">M8[ns]",
                            "complex64",
                            "complex128"}) {
    Case c;
    c.name = "dtype" + std::to_string(out.size());
    c.dtype = dtype;
    out.push_back(c);
  }
  for (const char* cname : {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"})
    for (int shuffle = 0; shuffle < 3; ++shuffle)
      for (const int level : {0, 1, 9}) {
        Case c{"codec_" + std::string(cname) + std::to_string(shuffle) + std::to_string(level), "int32", cname, level,
               shuffle};
        c.rows = 30000;
        c.chunklen = 9000;
        out.push_back(c);
      }
  for (const std::uint64_t rows : {0, 1, 99, 100, 101, 200}) {
    Case c{"rows" + std::to_string(rows), "float64"};
    c.rows = rows;
    out.push_back(c);
  }
  Case nd{"nd", "int16"};
  nd.inner = {3, 5};
  out.push_back(nd);
  Case quantized{"quantize", "float64"};
  quantized.quantize = 2;
  out.push_back(quantized);
  return out;
}

// Values that compress a little, valid for every type.
Bytes values(const Datatype& type, std::uint64_t items, std::uint64_t seed) {
  Bytes out(items * type.full_size());
  std::uint64_t state = seed * 2654435761u + 12345;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 40; };
  for (std::uint64_t i = 0; i < items; ++i) {
    std::byte* const item = out.data() + i * type.full_size();
    for (std::uint64_t b = 0; b < type.full_size(); ++b) item[b] = static_cast<std::byte>(b % 8 < 2 ? next() : i / 50);
    if (type.id == TypeId::boolean) item[0] &= std::byte{1};
    if (type.id == TypeId::float64 && !type.big_endian) {
      const double value = static_cast<double>(next() % 100000) / 777;
      std::memcpy(item, &value, 8);
    }
    if (type.id == TypeId::unicode)
      for (std::uint64_t b = 0; b < type.size; b += 4) {
        std::memset(item + b, 0, 4);
        item[type.big_endian ? b + 3 : b] = static_cast<std::byte>('a' + next() % 26);
      }
  }
  return out;
}

Column column(const std::string& name, const Datatype& type, Bytes data) {
  Column out;
  out.name = name;
  out.type = type;
  out.data = std::move(data);
  return out;
}

Schema schema_of(const Case& c) {
  Schema out;
  out.format = "bcolz";
  out.dimensions.push_back({"dim_0", TypeId::uint64, 1, {}, c.chunklen, {}});
  for (const std::uint64_t extent : c.inner)
    out.dimensions.push_back({"inner", TypeId::uint64, 1, {std::uint64_t{0}, extent - 1}, {}, {}});
  Attribute attribute;
  attribute.type = datatype_from_numpy(c.dtype);
  attribute.filters = {{"blosc",
                        {{"cname", c.cname},
                         {"level", std::int64_t{c.level}},
                         {"shuffle", std::int64_t{c.shuffle}},
                         {"quantize", std::int64_t{c.quantize}}}}};
  out.attributes = {attribute};
  return out;
}

void save(const std::string& path, ByteView bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::string load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Bytes read_all(const Array& array, const Attribute& field) {
  const std::vector<std::uint64_t> shape = array.schema().shape();
  Bytes out(cell_count(shape) * field.cell_size());
  array.read({}, field.name, {out.data(), shape, contiguous_strides(shape, field.cell_size())});
  return out;
}

std::shared_ptr<Store> store_at(const std::string& path) {
  StoreOptions options;
  options.sync = false;
  return open_store(path, options);
}

void write_all(const std::string& dir) {
  for (const Case& c : cases()) {
    const Schema schema = schema_of(c);
    const auto array = bcolz::kBcolzDriver.create(store_at(dir + "/" + c.name), schema, {});
    const Datatype& type = schema.attributes[0].type;
    const Bytes data = values(type, c.rows * cell_count(c.inner), 1);
    // In two parts, so that the second one continues a partial chunk.
    const std::size_t row = type.full_size() * cell_count(c.inner), half = c.rows / 3 * row;
    array->append({{column("", type, copy_of(ByteView(data).first(half)))}, 0, {}});
    array->append({{column("", type, copy_of(ByteView(data).subspan(half)))}, 0, {}});
    save(dir + "/" + c.name + ".raw", c.quantize ? read_all(*array, array->schema().attributes[0]) : data);
    save(dir + "/" + c.name + ".dtype", bytes_of(c.dtype));
  }
  Schema table;
  table.format = "bcolz";
  table.table = true;
  table.dimensions.push_back({"row", TypeId::uint64, 1, {}, {}, {}});
  for (const auto& [name, dtype] : {std::pair{"a", "int32"}, {"b", "float64"}, {"c", "|S6"}}) {
    Attribute attribute;
    attribute.name = name;
    attribute.type = datatype_from_numpy(dtype);
    table.attributes.push_back(attribute);
  }
  const auto array = bcolz::kBcolzDriver.create(store_at(dir + "/table"), table, {});
  Batch rows;
  for (const Attribute& a : table.attributes) rows.columns.push_back(column(a.name, a.type, values(a.type, 5000, 7)));
  array->append(rows);
  Attribute added;
  added.name = "d";
  added.type = TypeId::int64;
  bcolz::add_column(*array, added, column("d", added.type, values(added.type, 5000, 9)));
  bcolz::rename_column(*array, "b", "bb");
  array->resize({4567});
  for (const Attribute& a : array->schema().attributes) {
    save(dir + "/table." + a.name + ".raw", read_all(*array, a));
    save(dir + "/table." + a.name + ".dtype", bytes_of(numpy_string(a.type)));
  }
}

int check_all(const std::string& dir) {
  int bad = 0;
  const auto check = [&](const std::string& name, const std::string& raw) {
    const auto array = bcolz::kBcolzDriver.open(store_at(dir + "/" + name), {});
    for (const Attribute& a : array->schema().attributes) {
      const Bytes found = read_all(*array, a);
      if (text_of(found) == load(dir + "/" + raw + (a.name.empty() ? "" : "." + a.name) + ".raw")) continue;
      std::printf("differs: %s %s\n", name.c_str(), a.name.c_str());
      ++bad;
    }
    for (const Problem& problem : array->verify())
      if (problem.severity == Problem::Severity::damage) {
        std::printf("damage: %s: %s\n", problem.file.c_str(), problem.text.c_str());
        ++bad;
      }
  };
  for (const Case& c : cases()) check(c.name, c.name);
  check("table", "table");
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    if (std::string_view(argv[1]) == "write") return write_all(argv[2]), 0;
    return check_all(argv[2]) ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
