#include "run/input_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/fail.h"
#include "convert/block_copy.h"
#include "convert/fragment_copy.h"
#include "format/registry/registry.h"
#include "input/arrow_input.h"
#include "input/csv_rows.h"
#include "input/file_array.h"
#include "model/strided.h"
#include "query/columns/gather.h"
#include "query/request/iso_dates.h"
#include "query/request/request.h"
#include "store/wrap/sub_store.h"

namespace tegula::cli {

namespace {

const Attribute& only_attribute(const Schema& schema, const std::optional<std::string>& field) {
  if (field) {
    if (const Attribute* a = schema.attribute(field_named(*field, schema))) return *a;
    fail(ErrorKind::invalid_argument, "there is no field '{}'", *field);
  }
  if (schema.attributes.size() != 1)
    fail(ErrorKind::invalid_argument, "the array has {} fields; name the one to write with --field",
         schema.attributes.size());
  return schema.attributes[0];
}

bool is_npy(const CellInput& input) { return data_kind(input.flags.file, input.flags.as) == DataKind::npy; }

std::unique_ptr<Rows> rows_of_file(const CellInput& input, const Schema& schema) {
  switch (data_kind(input.flags.file, input.flags.as)) {
    case DataKind::csv:
      return csv_rows(input.file, schema, input.options.work);
    case DataKind::arrow:
      return arrow_rows(input.file, schema, input.options.work);
    default:
      return rows_of(read_json_cells(input.file, schema));
  }
}

std::unique_ptr<FileArray> open_cells(const CellInput& input, const Schema& schema, CellBox box) {
  if (!is_npy(input)) return row_array(rows_of_file(input, schema), schema, std::move(box));
  if (schema.sparse)
    fail(ErrorKind::invalid_argument, "a sparse array takes cells with coordinates, from .csv, .json or .arrow");
  NpyHeader header = read_npy_header(input.file);
  if (box.count.empty() && !header.shape.empty())
    box = {std::vector<std::uint64_t>(header.shape.size(), 0), header.shape};
  return npy_array(input.file, std::move(header), schema, only_attribute(schema, input.flags.field), std::move(box));
}

// Where the cells go in a dense array.
struct Place {
  Selection selection;
  Picks picks;
  CellBox box;        // when it is one
  bool plain = true;  // a box that is written from its first cell to its last
};

// Throws invalid_argument for a .npy file of another shape.
Place place_of(const CellInput& input, const Schema& schema) {
  Place place;
  if (!input.flags.select.empty()) place.selection = parse_selection(input.flags.select);
  place.picks = resolve(place.selection, schema.shape());
  for (const AxisPick& axis : place.picks.axes) {
    place.plain = place.plain && axis.indices.empty() && (axis.step == 1 || axis.count <= 1) && axis.start >= 0;
    place.box.first.push_back(static_cast<std::uint64_t>(axis.start));
    place.box.count.push_back(axis.count);
  }
  place.plain = place.plain && !place.picks.points;
  if (!is_npy(input)) return place;
  const std::vector<std::uint64_t> have = read_npy_header(input.file).shape, want = place.picks.shape();
  if (have != want)
    fail(ErrorKind::invalid_argument, "the file has the shape ({}), the selection ({})", fmt::join(have, ", "),
         fmt::join(want, ", "));
  return place;
}

void check_count(std::uint64_t cells, std::uint64_t wanted) {
  if (cells != wanted) fail(ErrorKind::invalid_argument, "the file has {} cells, the selection {}", cells, wanted);
}

// A selection with steps or lists of indices, or one of several fields: all cells at once.
void write_at_once(Array& to, const CellInput& input, const Place& place) {
  const Schema schema = to.schema();
  const std::vector<std::uint64_t> shape = place.picks.shape();
  Query all;
  all.work.memory = UINT64_MAX;
  const CellBox whole{std::vector<std::uint64_t>(shape.size(), 0), shape};
  const Batch batch = collect(*open_cells(input, schema, whole)->query(all));
  check_count(batch.cells, cell_count(shape));
  const Column& first = batch.columns.at(0);
  if (batch.columns.size() == 1 && !first.var() && !first.nullable)
    return to.write(place.selection, first.name,
                    {first.data.data(), shape, contiguous_strides(shape, first.cell_size())}, input.options);
  to.write(place.selection, batch, input.options);
}

// Copies from the file as from an array.
struct FileCopy {
  FileCopy(const FileArray& from, Array& to, const CellInput& input, Store* store, std::vector<CellBox> where)
      : boxes(std::move(where)),
        task{{from, fields},  to, boxes, store, note, false, UINT64_MAX, false, passed, input.options.work,
             input.options.at} {
    for (const Attribute& attribute : to.schema().attributes) fields.push_back(attribute.name);
    note.source = input.file.name();
    note.target = "a new array";
  }
  FileCopy(const FileCopy&) = delete;
  std::vector<std::string> fields;
  std::vector<CellBox> boxes;
  ResumeNote note;
  std::uint64_t passed = 0;
  CopyTask task;
};

void store_dense(Array& to, const CellInput& input, Store* note) {
  const Schema schema = to.schema();
  const Place place = place_of(input, schema);
  if (!place.plain || (is_npy(input) && schema.attributes.size() > 1)) return write_at_once(to, input, place);
  const std::unique_ptr<FileArray> from = open_cells(input, schema, place.box);
  const FileCopy copy(*from, to, input, note, {place.box});
  if (driver_of(to).copy.fragments)
    copy_dense_fragments(copy.task);
  else
    copy_dense_blocks(copy.task);
  const std::uint64_t cells = cell_count(place.box.count);
  check_count(cells + from->rest(), cells);
}

// A part of a directory of a store, which goes when this does.
struct Aside {
  explicit Aside(std::shared_ptr<Store> in)
      : store(std::move(in)), name(fmt::format("{}cells-{}", kTemporaryPrefix, getpid())) {}
  ~Aside() {
    try {
      store->remove_tree(name);
    } catch (const std::exception&) {
      // `repair` removes what is left.
    }
  }
  Aside(const Aside&) = delete;
  const std::shared_ptr<Store> store;
  const std::string name;
};

// More cells than fit in memory: parts of them become fragments of an array beside the target, from which they come
// back in global order.
void sort_aside(Array& to, const CellInput& input, Batch first, Rows& rows, std::uint64_t bytes,
                const std::shared_ptr<Store>& scratch, const CreateOptions& options) {
  const Work work = quiet(input.options.work);
  Progress* const progress = input.options.work.progress;
  const Aside aside(scratch);
  Schema schema = to.schema();
  schema.allows_duplicates = true;
  for (Attribute& attribute : schema.attributes) attribute.filters.clear();
  const std::shared_ptr<Array> sorted = create(sub_store(aside.store, aside.name), schema, options);
  WriteOptions writing;
  writing.work = work;
  if (progress) progress->begin("reading cells", 0);
  for (std::optional<Batch> batch = std::move(first); batch; batch = rows.next(UINT64_MAX, bytes)) {
    sorted->write(*batch, writing);
    if (progress) progress->advance(batch->cells);
  }
  if (progress) progress->begin("writing cells", 0);
  Query query;
  query.order = Order::global;
  query.work = work;
  query.work.memory = work.memory / 4;
  WriteOptions stream = input.options;
  stream.work = work;
  stream.order = Order::global;
  const std::unique_ptr<CellWriter> writer = to.write_stream(std::nullopt, stream);
  const std::unique_ptr<BatchStream> batches = sorted->query(query);
  while (const std::optional<Batch> batch = batches->next()) {
    writer->write(*batch);
    if (progress) progress->advance(batch->cells);
  }
  writer->commit();
  if (progress) progress->end();
}

void store_sparse(Array& to, const CellInput& input, const std::shared_ptr<Store>& scratch) {
  if (is_npy(input)) open_cells(input, to.schema(), {});
  const std::unique_ptr<Rows> rows = rows_of_file(input, to.schema());
  const std::uint64_t bytes = input.options.work.memory / 16;
  std::optional<Batch> first = rows->next(UINT64_MAX, bytes);
  if (!first) return;
  std::optional<Batch> second = rows->next(UINT64_MAX, bytes);
  if (!second) return to.write(*first, input.options);
  append(*first, *second);
  CreateOptions options;
  options.format_version = std::max<std::uint32_t>(5, to.schema().format_version);  // the first one with duplicates
  options.key = input.key;
  options.sync = false;
  sort_aside(to, input, *std::move(first), *rows, bytes, scratch, options);
}

}  // namespace

void InputFlags::describe(Verb& verb) {
  verb.option("--as", as, "npy|csv|json|arrow", "what the file is (default: by its name)")
      .option("--at", at, "T", "TileDB: time of the write, milliseconds or an ISO date (default: now)")
      .flag("--no-sync", no_sync, "do not wait until the data is on the disk (no fsync)");
}

WriteOptions InputFlags::write_options(const Globals& globals) const {
  WriteOptions options;
  options.at = parse_write_time(at);
  options.work = globals.work;
  return options;
}

InputFile InputFlags::open(const Work& work) const {
  data_kind(file, as);
  return InputFile(file, work);
}

void store_cells(Array& to, const CellInput& input, Store* note, const std::shared_ptr<Store>& scratch) {
  if (to.schema().sparse) return store_sparse(to, input, scratch);
  if (!to.schema().table) return store_dense(to, input, note);
  const std::unique_ptr<FileArray> from = open_cells(input, to.schema(), {});
  copy_rows(FileCopy(*from, to, input, note, {}).task);
}

void append_rows(Array& to, const CellInput& input) {
  const Schema schema = to.schema();
  const std::vector<std::uint64_t> before = schema.shape();
  const std::unique_ptr<FileArray> from = open_cells(input, schema, {});
  if (!is_npy(input) && before.size() > 1) {
    // Rows of several cells each, which must not be torn.
    Query all;
    all.work.memory = UINT64_MAX;
    return to.append(collect(*from->query(all)), input.options);
  }
  try {
    copy_rows(FileCopy(*from, to, input, nullptr, {}).task);
  } catch (...) {
    if (to.schema().shape() != before) {
      WriteOptions undo;
      undo.work.threads = input.options.work.threads;  // without the request to stop
      to.resize(before, undo);
    }
    throw;
  }
}

}  // namespace tegula::cli
