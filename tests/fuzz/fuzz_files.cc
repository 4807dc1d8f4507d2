// Files of cells as the command takes them. Byte 0 chooses CSV, JSON or .npy; the rest is the file.
// room: cli/input
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "files/npy.h"
#include "input/csv_rows.h"
#include "input/data_input.h"
#include "tegula/error.h"

namespace {

using namespace tegula;

// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

Attribute attribute(const char* name, Datatype type, std::uint32_t values = 1, bool nullable = false) {
  Attribute out;
  out.name = name;
  out.type = type;
  out.values_per_cell = values;
  out.nullable = nullable;
  return out;
}

Schema fields_of_every_kind() {
  Schema schema;
  schema.format = "tiledb";
  schema.sparse = true;
  Dimension x;
  x.name = "x";
  x.type = TypeId::int32;
  schema.dimensions = {x};
  schema.attributes = {attribute("a", TypeId::int64, 1, true),     attribute("b", TypeId::float32),
                       attribute("c", TypeId::utf8, kVar, true),   attribute("d", datatype_from_numpy("<M8[ms]")),
                       attribute("e", TypeId::uint8, kVar),        attribute("f", TypeId::boolean),
                       attribute("g", datatype_from_numpy("|S3")), attribute("h", TypeId::int16, 2)};
  return schema;
}

void read_cells(unsigned kind, const cli::InputFile& file) {
  static const Schema schema = fields_of_every_kind();
  if (kind == 0) {
    const auto rows = cli::csv_rows(file, schema, {});
    while (rows->next(1000, 1 << 20)) {
    }
  } else if (kind == 1) {
    cli::read_json_cells(file, schema);
  } else {
    const cli::NpyHeader header = cli::read_npy_header(file);
    CellBox box;
    box.first.assign(header.shape.size(), 0);
    box.count = header.shape;
    Bytes cells = cli::read_npy_box(file, header, box);
    for (const Attribute& attribute : schema.attributes) {
      try {
        cli::column_of_npy(header.type, copy_of(cells), attribute);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile memory(data + 1, size - 1);
  try {
    read_cells(data[0] % 3, cli::InputFile(memory.path(), {}));
  } catch (const Error&) {
  }
  return 0;
}
