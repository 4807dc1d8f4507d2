// Open arrays, tables and groups, and the functions that open and create them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tegula/columns.h"
#include "tegula/query.h"
#include "tegula/schema.h"
#include "tegula/selection.h"
#include "tegula/work.h"

namespace tegula {

// A typed metadata value (TileDB), or a JSON document (every other format).
struct MetaValue {
  Datatype type;
  std::uint32_t count = 0;  // values of `type` in `data`; an empty value keeps its type
  Bytes data;
  bool json = false;  // `data` is JSON text
};
using Metadata = std::map<std::string, MetaValue>;

// How missing chunk files are read: as the fill value, or as an error.
enum class Missing : std::uint8_t { fill, error };

struct OpenOptions {
  std::string format;  // empty: detected from the files
  // TileDB: shows only what was written between two times, in milliseconds since 1970, both included.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> at;
  Bytes key;  // AES-256-GCM key, 32 bytes, or empty
  Missing missing = Missing::fill;
  bool sync = true;  // writes are on the disk when they return (fsync)
  // Opens a copy that was stopped before it was whole, too: cells that are missing read as the fill value. Otherwise
  // that is Error(corrupt).
  bool unfinished = false;
  Work work;
  // Options of the store by name, for URIs of remote stores: endpoint, region, keys (docs/stores.md).
  std::map<std::string, std::string> storage = {};
};

struct CreateOptions {
  std::optional<std::uint32_t> format_version;  // default: the newest
  Bytes key;                                    // encrypts a TileDB array: 32 bytes, or empty
  std::uint64_t at = 0;                         // TileDB: time of the schema in milliseconds since 1970; 0: now
  // Replaces the array or group at the URI, of whatever format. It stays until the new one is whole: stopped anywhere,
  // the old one is there or the new one (docs/guarantees.md).
  bool overwrite = false;
  bool sync = true;  // the array is on the disk when create() returns (fsync)
  Work work;
  std::map<std::string, std::string> storage = {};  // as OpenOptions::storage
};

struct WriteOptions {
  std::uint64_t at = 0;      // TileDB: time of the write in milliseconds since 1970; 0: now
  Order order = Order::row;  // the order in which the cells are given
  Work work;
};

// A fragment of a TileDB array. Times are milliseconds since 1970.
struct FragmentInfo {
  std::string name;
  std::uint64_t first_time = 0, last_time = 0;
  std::uint32_t version = 0;
  bool sparse = false;
  std::uint64_t cells = 0;
  std::uint64_t bytes = 0;
  std::vector<Range> domain;
};

// Bytes of a field: as stored, and as they are in memory.
struct FieldSize {
  std::string name;
  std::uint64_t stored = 0, decoded = 0;
};

// Sizes and counts, from listings and metadata; no cell is decoded. No `fields`: the store does not list its files.
struct Info {
  std::uint64_t stored_bytes = 0;
  std::vector<FieldSize> fields;
  std::uint64_t chunks_present = 0, chunks_expected = 0;
  std::vector<FragmentInfo> fragments;
  std::optional<std::vector<Range>> non_empty_domain;
};

// What verify() or repair() found. Damage means cells that cannot be read or may be wrong; a note does not.
struct Problem {
  enum class Severity : std::uint8_t { note, damage } severity = Severity::damage;
  std::string file;
  std::string text;    // what was expected, what was found
  std::string remedy;  // what can be done about it; may be empty
};

// Writes cells batch by batch. commit() makes all of them visible at once; a writer that is destroyed without it leaves
// the array unchanged. Not thread-safe.
class CellWriter {
 public:
  virtual ~CellWriter() = default;
  virtual void write(const Batch& cells) = 0;  // continues where the last batch ended
  virtual void commit() = 0;
};

// A handle of an open array. Several threads may read through one handle. Operations report failures by throwing Error;
// those that the format does not have throw Error(unsupported). What concurrent writers and interrupted writes may
// rely on differs by format: see docs/guarantees.md.
class Array {
 public:
  virtual ~Array() = default;

  // The schema as this handle knows it now. The reference stays valid, and its contents stay the same, as long as the
  // handle lives, even while other threads change the array; call again to see changes. A handle keeps one copy of each
  // distinct schema it has returned.
  virtual const Schema& schema() const = 0;
  virtual Metadata metadata() const = 0;
  virtual Info info(const Work& work = {}) const = 0;
  virtual std::unique_ptr<BatchStream> query(const Query& query) const = 0;
  // Dense arrays, fields with cells of a fixed size: decodes directly into `out`, which has the shape of the selection.
  virtual void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                    const Work& work = {}) const;
  // Decodes every cell and checks every file. Damage is returned, not thrown.
  virtual std::vector<Problem> verify(const Work& work = {}) const;

  // The three forms of write() are all-or-nothing for TileDB and bcolz: when one throws or the process dies, a reader
  // that opens the array sees all of its cells or none. A zarr write makes all of its chunks before it replaces the
  // first: what fails until then, a cancellation included, changes nothing. Only a crash, or an error of the store,
  // while the chunks are being replaced leaves some of them old and some new, each whole.
  //
  // Dense arrays and tables: the selected cells of one field, which for TileDB must be the only attribute.
  virtual void write(const Selection& selection, std::string_view field, const StridedView& values,
                     const WriteOptions& options = {});
  // Dense (TileDB, zarr): every attribute of a box, with the cells of the selection in options.order.
  virtual void write(const Selection& selection, const Batch& cells, const WriteOptions& options = {});
  // Sparse: cells given by columns for every dimension and attribute. Zarr: every cell of the array.
  virtual void write(const Batch& cells, const WriteOptions& options = {});
  // TileDB: writes one fragment of more cells than fit in memory. Dense: every attribute of the box (default: the whole
  // domain), with its cells in options.order (row, col or global). Sparse: no box, cells in global order.
  virtual std::unique_ptr<CellWriter> write_stream(const std::optional<Selection>& box,
                                                   const WriteOptions& options = {});
  // Adds rows at the end of the first axis (zarr, bcolz). All-or-nothing.
  virtual void append(const Batch& rows, const WriteOptions& options = {});
  // Changes the shape (zarr, bcolz). New cells hold the fill value; cells outside of the new shape are lost.
  virtual void resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options = {});
  // Entries without a value are removed.
  virtual void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                               const WriteOptions& options = {});
};

enum class ObjectKind : std::uint8_t { none, array, group };

struct Member {
  std::string name;  // unique in the group
  std::string uri;   // what open() takes
  ObjectKind kind = ObjectKind::none;
};

// A group of TileDB, zarr v2 or zarr v3, or a plain folder that holds arrays.
class Group {
 public:
  virtual ~Group() = default;
  virtual std::string_view format() const = 0;
  virtual std::vector<Member> members() const = 0;
  virtual Metadata metadata() const = 0;

  // TileDB: adds the array or group at `uri`. An empty `name` stands for the URI. A URI below the group is stored
  // relative to it unless `absolute` is set.
  virtual void add(const std::string& uri, std::string_view name = {}, bool absolute = false);
  // TileDB: removes a member from the group. The array or group itself is not deleted.
  virtual void remove(std::string_view name);
  // Entries without a value are removed.
  virtual void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                               const WriteOptions& options = {});
  // Zarr: makes or renews the consolidated metadata of the group, a copy of the documents of everything below it, which
  // other programs read instead of them. Changes through tegula keep such copies in step.
  virtual void consolidate(const WriteOptions& options = {});
  // Zarr: where consolidated metadata differs from the documents that it is a copy of. The members are not verified.
  virtual std::vector<Problem> verify(const Work& work = {}) const;
};

// What probe() finds at a URI; `format` is empty when there is nothing.
struct Found {
  ObjectKind kind = ObjectKind::none;
  std::string format;
};
// URIs are plain paths, file:// and mem://.
Found probe(const std::string& uri, const std::map<std::string, std::string>& storage = {});

// Throw not_found when there is no array, or no group, at `uri`.
std::shared_ptr<Array> open(const std::string& uri, const OpenOptions& options = {});
std::shared_ptr<Group> open_group(const std::string& uri, const OpenOptions& options = {});
// Creates an array in the format that `schema.format` names, and opens it.
std::shared_ptr<Array> create(const std::string& uri, const Schema& schema, const CreateOptions& options = {});
// `format` is "tiledb", "zarr2" or "zarr3".
std::shared_ptr<Group> create_group(const std::string& uri, std::string_view format, const CreateOptions& options = {});

}  // namespace tegula
