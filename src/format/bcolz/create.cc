#include "format/bcolz/create.h"

#include <algorithm>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "format/bcolz/carray_write.h"
#include "format/bcolz/pending_set.h"
#include "format/bcolz/schema_model.h"
#include "format/bcolz/writer_lock.h"

namespace tegula::bcolz {

namespace {

constexpr std::string_view kNoAttributes = "{}\n";

// A new carray but for meta/sizes, which is written last: without it there is no carray.
struct Prepared {
  Carray carray;
  std::uint64_t rows = 0, cbytes = 0;
};

Prepared prepare(const std::shared_ptr<Store>& store, const std::string& prefix, NewCarray made, std::uint64_t rows,
                 const Column* values, const Work& work) {
  Prepared out;
  Carray& carray = out.carray;
  carray.store = store;
  carray.prefix = prefix;
  carray.storage = std::move(made.storage);
  carray.sizes.shape = {0};
  carray.sizes.shape.insert(carray.sizes.shape.end(), made.inner.begin(), made.inner.end());
  carray.measure();
  store->make_folder(join(prefix, "data"));
  store->put_text(join(prefix, kStorage), carray.storage.encode());
  out.rows = rows;
  out.cbytes = carray.storage.chunklen * carray.row_bytes;
  if (values)
    out.cbytes += write_new_rows(
        carray, rows,
        [&](std::uint64_t first, std::uint64_t count) {
          return ByteView(values->data).subspan(first * carray.row_bytes, count * carray.row_bytes);
        },
        work);
  else
    out.cbytes += write_default_rows(carray, rows, work);
  store->put_text(join(prefix, kAttributes), kNoAttributes);
  return out;
}

void check_column_name(std::string_view name) {
  if (!usable_column_name(name) || name == kColumnNames || name == kAttributes || name == kPendingFolder)
    fail(ErrorKind::invalid_argument, "'{}' cannot be the name of a column: it becomes the name of a folder", name);
}

// A folder of a carray, or of a table, or what a creation that was stopped left of one.
bool is_ours(const Store& store, const Entry& entry, bool column = false) {
  if (!entry.folder) return entry.name == kAttributes || entry.name == kColumnNames || entry.name == kWriterFile;
  if (entry.name == "data" || entry.name == "meta" || entry.name == kPendingFolder) return true;
  if (column) return false;
  const std::vector<Entry> inside = store.list(entry.name);
  return std::all_of(inside.begin(), inside.end(), [&](const Entry& e) { return is_ours(store, e, true); });
}

void make_room(Store& store, bool overwrite) {
  const std::vector<Entry> entries = store.list("");
  const bool used = std::any_of(entries.begin(), entries.end(),
                                [](const Entry& entry) { return !entry.name.starts_with(kTemporaryPrefix); });
  if (!used) return;
  if (!overwrite)
    fail(ErrorKind::invalid_argument, "there is something already; ask to overwrite it, or choose another place");
  for (const Entry& entry : entries)
    if (!entry.name.starts_with(kTemporaryPrefix) && !is_ours(store, entry))
      fail(ErrorKind::invalid_argument, "the folder holds something else already: '{}'", entry.name);
  // What makes it an array is removed first, so that half of it can never be opened.
  store.remove(kColumnNames);
  store.remove(kSizes);
  for (const Entry& entry : entries) {
    if (entry.folder)
      store.remove_tree(entry.name);
    else
      store.remove(entry.name);
  }
}

std::uint64_t tile_of(const Dimension& dimension) {
  if (dimension.tile == Value{}) return 0;
  if (const auto* u = std::get_if<std::uint64_t>(&dimension.tile); u && *u > 0) return *u;
  if (const auto* i = std::get_if<std::int64_t>(&dimension.tile); i && *i > 0) return static_cast<std::uint64_t>(*i);
  fail(ErrorKind::invalid_argument, "the tile of dimension '{}' is not a number of rows", dimension.name);
}

void refuse_what_bcolz_lacks(const Schema& schema) {
  const char* lacking = schema.sparse                                                     ? "sparse arrays"
                        : !schema.enumerations.empty()                                    ? "enumerations"
                        : !schema.labels.empty()                                          ? "dimension labels"
                        : schema.cell_order == Order::col && schema.dimensions.size() > 1 ? "column-major arrays"
                                                                                          : nullptr;
  if (lacking) fail(ErrorKind::unsupported, "bcolz has no {}", lacking);
  if (schema.table ? schema.dimensions.size() != 1 || schema.attributes.empty()
                   : schema.dimensions.empty() || schema.attributes.size() != 1)
    fail(ErrorKind::invalid_argument, "a {}, not {} and {}",
         schema.table ? "ctable has one dimension and one or more columns" : "carray has dimensions and one attribute",
         schema.dimensions.size(), schema.attributes.size());
}

}  // namespace

std::shared_ptr<const Snapshot> create(std::shared_ptr<Store> store, const Schema& schema,
                                       const CreateOptions& options) {
  refuse_what_bcolz_lacks(schema);
  if (!options.key.empty()) fail(ErrorKind::unsupported, "bcolz has no encryption");
  const std::vector<std::uint64_t> shape = schema.shape();
  const std::uint64_t rows = shape[0], tile = tile_of(schema.dimensions[0]);
  std::vector<NewCarray> made;
  std::set<std::string_view> names;
  for (const Attribute& attribute : schema.attributes) {
    if (schema.table) check_column_name(attribute.name);
    if (!names.insert(attribute.name).second)
      fail(ErrorKind::invalid_argument, "there are two columns '{}'", attribute.name);
    std::vector<std::uint64_t> inner = inner_axes(attribute);
    if (!schema.table) inner.insert(inner.begin(), shape.begin() + 1, shape.end());
    made.push_back(storage_of(attribute, std::move(inner), rows, tile));
  }
  make_room(*store, options.overwrite);
  std::vector<Prepared> prepared;
  for (std::size_t i = 0; i < made.size(); ++i)
    prepared.push_back(
        prepare(store, schema.table ? schema.attributes[i].name : "", std::move(made[i]), rows, nullptr, options.work));
  for (const Prepared& column : prepared) put_sizes(column.carray, column.rows, column.cbytes);
  if (schema.table) {
    store->put_text(kAttributes, kNoAttributes);
    std::vector<std::string> columns;
    for (const Attribute& attribute : schema.attributes) columns.push_back(attribute.name);
    store->put_text(kColumnNames, encode_column_names(columns));
  }
  return Snapshot::open(std::move(store), options.work);
}

void add_column(const Snapshot& table, const Attribute& column, const Column& values, const Work& work) {
  check_column_name(column.name);
  if (std::find(table.names.begin(), table.names.end(), column.name) != table.names.end())
    fail(ErrorKind::invalid_argument, "there is a column '{}' already", column.name);
  const bool given = !values.data.empty();
  const std::uint64_t bytes = column.cell_size() * table.rows;
  if (given && (values.data.size() != bytes || !(values.type == column.type)))
    fail(ErrorKind::invalid_argument, "column '{}' needs {} rows of {}, which are {} bytes; given are {} bytes of {}",
         column.name, table.rows, display_name(column.type), bytes, values.data.size(), display_name(values.type));
  NewCarray made = storage_of(column, inner_axes(column), table.rows, 0);
  table.store->remove_tree(column.name);  // what an interrupted drop left
  const Prepared prepared =
      prepare(table.store, column.name, std::move(made), table.rows, given ? &values : nullptr, work);
  put_sizes(prepared.carray, prepared.rows, prepared.cbytes);
  std::vector<std::string> names = table.names;
  names.push_back(column.name);
  table.store->put_text(kColumnNames, encode_column_names(names));
}

void drop_column(const Snapshot& table, std::string_view name) {
  std::vector<std::string> names = table.names;
  const std::string dropped(name);
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(table.column(name)));
  if (names.empty())
    fail(ErrorKind::invalid_argument, "'{}' is the last column; bcolz does not open a table without columns", name);
  table.store->put_text(kColumnNames, encode_column_names(names));
  table.store->remove_tree(dropped);
}

void rename_column(const Snapshot& table, std::string_view from, std::string_view to, const Work& work) {
  const std::size_t index = table.column(from);
  const std::string source(from), target(to);
  if (from == to) return;
  check_column_name(to);
  if (std::find(table.names.begin(), table.names.end(), to) != table.names.end())
    fail(ErrorKind::invalid_argument, "there is a column '{}' already", to);
  Store& store = *table.store;
  store.remove_tree(target);
  store.make_folder(join(target, "data"));
  // Stores cannot rename folders: the files are copied, and the list of names decides which copy counts.
  std::vector<std::string> files;
  for (const std::string folder : {"", "data", "meta"})
    for (const Entry& entry : store.list(join(source, folder)))
      if (!entry.folder) files.push_back(join(folder, entry.name));
  parallel_for(work, files.size(), [&](std::size_t i) {
    const std::optional<Bytes> bytes = store.get(join(source, files[i]));
    if (!bytes) fail(ErrorKind::io, "'{}' was removed while it was copied", store.describe(join(source, files[i])));
    store.put(join(target, files[i]), *bytes);
  });
  std::vector<std::string> names = table.names;
  names[index] = target;
  store.put_text(kColumnNames, encode_column_names(names));
  store.remove_tree(source);
}

}  // namespace tegula::bcolz
