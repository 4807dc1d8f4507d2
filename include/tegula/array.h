// What a person holds: an open array, table or group.
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

enum class Missing : std::uint8_t { fill, error };

struct OpenOptions {
  std::string format;                                         // empty: found by looking
  std::optional<std::pair<std::uint64_t, std::uint64_t>> at;  // milliseconds, both ends included; TileDB only
  Bytes key;                                                  // AES-256-GCM key, 32 bytes, or empty
  Missing missing = Missing::fill;                            // what a chunk that is not there means
  bool sync = true;                                           // writes: fsync files and folders
  Work work;
};

struct CreateOptions {
  std::optional<std::uint32_t> format_version;
  Bytes key;
  std::uint64_t at = 0;  // TileDB: time of the schema, 0 is now
  bool overwrite = false;
  bool sync = true;  // fsync files and folders
  Work work;
};

struct WriteOptions {
  std::uint64_t at = 0;      // TileDB: time of the fragment, 0 is now
  Order order = Order::row;  // of the cells given
  Work work;
};

// A fragment of a TileDB array.
struct FragmentInfo {
  std::string name;
  std::uint64_t first_time = 0, last_time = 0;
  std::uint32_t version = 0;
  bool sparse = false;
  std::uint64_t cells = 0;
  std::uint64_t bytes = 0;
  std::vector<Range> domain;
};

struct FieldSize {
  std::string name;
  std::uint64_t stored = 0, decoded = 0;
};

// Sizes and counts; costs a listing and metadata, never a decode.
struct Info {
  std::uint64_t stored_bytes = 0;
  std::vector<FieldSize> fields;
  std::uint64_t chunks_present = 0, chunks_expected = 0;
  std::vector<FragmentInfo> fragments;
  std::optional<std::vector<Range>> non_empty_domain;
};

struct Problem {
  enum class Severity : std::uint8_t { note, damage } severity = Severity::damage;
  std::string file;
  std::string text;    // what was expected, what was found
  std::string remedy;  // what `repair` or a person can do; may be empty
};

// Cells in pieces. Nothing is visible before commit() returns, and then all of them are; dropped before, it leaves
// nothing behind. Not thread-safe.
class CellWriter {
 public:
  virtual ~CellWriter() = default;
  virtual void write(const Batch& cells) = 0;  // the next ones
  virtual void commit() = 0;
};

// Handles are safe to share between reading threads. Every operation throws Error; one that a format lacks throws
// Error(unsupported).
class Array {
 public:
  virtual ~Array() = default;

  // The schema as this handle knows it now. The reference stays valid, and what it shows stays the same, as long as the
  // handle lives, also while other threads change the array; call again to see changes. A handle keeps one copy of each
  // different schema that it returned.
  virtual const Schema& schema() const = 0;
  virtual Metadata metadata() const = 0;
  virtual Info info(const Work& work = {}) const = 0;
  virtual std::unique_ptr<BatchStream> query(const Query& query) const = 0;
  // Dense, fixed-size fields: decodes straight into `out`, whose shape is the selection's.
  virtual void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                    const Work& work = {}) const;
  // Decodes and checks everything; returns what is wrong instead of throwing.
  virtual std::vector<Problem> verify(const Work& work = {}) const;

  // Dense: cells of the selection. Nothing is visible before it returns, and then all of it is.
  virtual void write(const Selection& selection, std::string_view field, const StridedView& values,
                     const WriteOptions& options = {});
  // Dense: every attribute of a box at once; cells are in options.order over the selection.
  virtual void write(const Selection& selection, const Batch& cells, const WriteOptions& options = {});
  // Sparse: dimensions and attributes; dense and tables: see append().
  virtual void write(const Batch& cells, const WriteOptions& options = {});
  // TileDB: a write of more cells than memory holds. Dense: a box (without one the whole domain), every attribute,
  // cells in options.order (row, col or global) over it. Sparse: no box, cells in global order.
  virtual std::unique_ptr<CellWriter> write_stream(const std::optional<Selection>& box,
                                                   const WriteOptions& options = {});
  // Adds rows at the end of the first axis (zarr, bcolz).
  virtual void append(const Batch& rows, const WriteOptions& options = {});
  virtual void resize(const std::vector<std::uint64_t>& shape, const WriteOptions& options = {});
  // Entries without a value are removed.
  virtual void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                               const WriteOptions& options = {});
};

enum class ObjectKind : std::uint8_t { none, array, group };

struct Member {
  std::string name;  // how to address it below the group
  std::string uri;   // what open() takes
  ObjectKind kind = ObjectKind::none;
};

// TileDB, zarr v2 and v3 groups, and plain folders that hold arrays.
class Group {
 public:
  virtual ~Group() = default;
  virtual std::string_view format() const = 0;
  virtual std::vector<Member> members() const = 0;
  virtual Metadata metadata() const = 0;

  // TileDB. `name` may be empty: the member is then addressed by its URI. A URI below the group is stored relative to
  // it unless `absolute` is set.
  virtual void add(const std::string& uri, std::string_view name = {}, bool absolute = false);
  virtual void remove(std::string_view name);  // the member stays where it is
  // Entries without a value are removed.
  virtual void update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                               const WriteOptions& options = {});
};

// What is at `uri`: plain paths, file://, mem://.
struct Found {
  ObjectKind kind = ObjectKind::none;
  std::string format;
};
Found probe(const std::string& uri);

// Throw not_found when nothing, or something else, is there.
std::shared_ptr<Array> open(const std::string& uri, const OpenOptions& options = {});
std::shared_ptr<Group> open_group(const std::string& uri, const OpenOptions& options = {});
// `schema.format` decides the format.
std::shared_ptr<Array> create(const std::string& uri, const Schema& schema, const CreateOptions& options = {});
// "tiledb", "zarr2" or "zarr3".
std::shared_ptr<Group> create_group(const std::string& uri, std::string_view format, const CreateOptions& options = {});

}  // namespace tegula
