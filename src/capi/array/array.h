// Arrays, closed and open.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "capi/core/config.h"
#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/schema/schema.h"
#include "format/tiledb/array.h"
#include "tegula/array.h"

namespace tegula::capi {

// Options for opening and creating what is at a place, from the parameters that decide them.
OpenOptions open_options(const Config& config);
std::map<std::string, std::string> storage_options(const Config& config);
Bytes encryption_key(const Config& config);

// Opens what is there and nothing else: an array of TileDB. Throws Refusal(missing) when there is none.
std::shared_ptr<Array> open_engine(const ContextState& context, const std::string& uri, const OpenOptions& options,
                                   std::string_view missing);

// Shared by its handle, queries and subarrays.
class OpenArray {
 public:
  OpenArray(std::shared_ptr<ContextState> context, std::string_view given_uri);
  // Metadata that nobody closed for is lost, as a caller who only frees the handle expects.

  void open(QueryType type);
  void reopen();
  void close();  // writes metadata

  const std::string& uri() const { return uri_; }
  const std::shared_ptr<ContextState>& context() const { return context_; }
  bool is_open() const { return type_.has_value(); }
  QueryType type() const;  // throws Refusal unless it is open
  // Throws Refusal unless it is open, for reading or for writing.
  void need_read(std::string_view what) const;
  void need_write(std::string_view what) const;

  tiledb::TiledbArray& engine() const;               // throws Refusal unless it is open
  std::shared_ptr<SchemaParts> schema() const;       // likewise; a copy for the caller to change
  const tiledb::ArraySchema& stored_schema() const;  // likewise
  const Schema& model() const { return engine().schema(); }
  Config config() const { return config_.value_or(context_->config); }
  Work work() const { return work_of(*context_); }
  // The time of a write; 0: now.
  std::uint64_t write_time() const { return end_ == UINT64_MAX ? 0 : end_; }

  // As callers set them; at_end() is that of the opening when it was not set.
  void set_config(const Config& config);
  void set_start(std::uint64_t time) { start_ = time; }
  void set_end(std::uint64_t time) { end_ = time; }
  std::uint64_t at_start() const { return start_; }
  std::uint64_t at_end() const;

  // While it is open for reading: what is stored. Values stay where they are until it is closed.
  const Metadata& metadata() const;
  void put_metadata(const std::string& key, std::optional<MetaValue> value);

  // The box around all cells; no value when there are none.
  const std::optional<tiledb::NdRange>& non_empty_domain() const;

 private:
  const std::shared_ptr<ContextState> context_;
  const std::string uri_;
  std::optional<Config> config_;
  std::uint64_t start_ = 0, end_ = UINT64_MAX, end_at_open_ = UINT64_MAX, opened_at_ = 0;
  std::optional<QueryType> type_;
  std::shared_ptr<Array> array_;
  std::shared_ptr<const tiledb::Snapshot> snapshot_;  // as it was opened; keeps the stored schema
  mutable std::mutex mutex_;
  mutable std::optional<Metadata> metadata_;
  mutable std::optional<std::optional<tiledb::NdRange>> domain_;
  std::map<std::string, std::optional<MetaValue>> changes_;
};

struct ArrayHandle {
  static constexpr std::string_view kName = "array";
  std::shared_ptr<OpenArray> array;
};

inline OpenArray& array_of(const ArrayHandle* handle) { return *checked(handle).array; }

}  // namespace tegula::capi
