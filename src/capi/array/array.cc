#include "capi/array/array.h"

#include <array>

#include "capi/core/uris.h"
#include "format/tiledb/disk/names.h"
#include "tegula/error.h"

namespace tegula::capi {

namespace {

constexpr std::string_view kMissing = "[TileDB::Array] Error: Cannot open array; Array does not exist.";

// Parameters of S3 that the stores of the engine know by the same name.
constexpr std::array<std::string_view, 5> kS3Options{"vfs.s3.region", "vfs.s3.aws_access_key_id",
                                                     "vfs.s3.aws_secret_access_key", "vfs.s3.aws_session_token",
                                                     "vfs.s3.endpoint_override"};

}  // namespace

std::map<std::string, std::string> storage_options(const Config& config) {
  std::map<std::string, std::string> options;
  for (const std::string_view name : kS3Options)
    if (std::string value = config.text(std::string(name)); !value.empty())
      options[std::string(name)] = std::move(value);
  return options;
}

Bytes encryption_key(const Config& config) {
  const std::string type = config.text("sm.encryption_type");
  if (type.empty() || type == "NO_ENCRYPTION") return {};
  if (type != "AES_256_GCM") refuse("Array: '{}' is not a type of encryption", type);
  const std::string key = config.text("sm.encryption_key");
  if (key.size() != 32) refuse("Array: the encryption key has {} bytes, AES_256_GCM needs 32", key.size());
  return copy_of(bytes_of(key));
}

OpenOptions open_options(const Config& config) {
  OpenOptions options;
  options.format = "tiledb";
  options.key = encryption_key(config);
  return options;
}

std::shared_ptr<Array> open_engine(const ContextState& context, const std::string& uri,
                                   const OpenOptions& given_options, std::string_view missing) {
  OpenOptions options = given_options;
  options.work = work_of(context);
  const std::string place = engine_uri(uri, context);
  if (place.starts_with("s3://")) options.storage = storage_options(context.config);
  try {
    return tegula::open(place, options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) throw Refusal(std::string(missing));
    throw;
  }
}

OpenArray::OpenArray(std::shared_ptr<ContextState> context, std::string_view given_uri)
    : context_(std::move(context)), uri_(absolute_uri(given_uri)) {}

void OpenArray::open(QueryType type) {
  if (is_open()) refuse("[TileDB::Array] Error: Cannot open array; Array already open.");
  OpenOptions options = open_options(config());
  const bool reads = type == QueryType::read;
  opened_at_ = end_ != UINT64_MAX ? end_ : reads ? tiledb::now_ms() : 0;
  if (reads) {
    if (start_ > opened_at_)
      refuse("Array: Cannot open array; the timestamps [{}, {}] are in the wrong order", start_, opened_at_);
    options.at = {start_, opened_at_};
  } else {
    options.at = {0, UINT64_MAX};
  }
  array_ = open_engine(*context_, uri_, options, kMissing);
  snapshot_ = tiledb::tiledb_array(*array_).snapshot();
  type_ = type;
  end_at_open_ = end_;
}

void OpenArray::reopen() {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot reopen array; Array is not open.");
  if (*type_ != QueryType::read)
    refuse("[TileDB::Array] Error: Cannot reopen array; Array was not opened in read mode.");
  const QueryType type = *type_;
  close();
  // An end that was set before the array was opened is used up; one that was set since counts from now on.
  if (end_ == end_at_open_) end_ = UINT64_MAX;
  open(type);
}

void OpenArray::close() {
  if (!is_open()) return;
  auto changes = std::move(changes_);
  changes_.clear();
  const std::shared_ptr<Array> array = std::move(array_);
  type_.reset();
  snapshot_.reset();
  metadata_.reset();
  domain_.reset();
  if (changes.empty()) return;
  WriteOptions options;
  options.at = write_time();
  options.work = work();
  array->update_metadata(changes, options);
}

QueryType OpenArray::type() const {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot get query type; Array is not open");
  return *type_;
}

void OpenArray::need_read(std::string_view what) const {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot {}; Array is not open", what);
  if (*type_ != QueryType::read) refuse("[TileDB::Array] Error: Cannot {}; Array was not opened in read mode", what);
}

void OpenArray::need_write(std::string_view what) const {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot {}; Array is not open", what);
  if (*type_ == QueryType::read)
    refuse("[TileDB::Array] Error: Cannot {}; Array was not opened in write or modify_exclusive mode", what);
}

tiledb::TiledbArray& OpenArray::engine() const {
  if (!is_open()) refuse("[TileDB::Array] Error: Array is not open");
  return tiledb::tiledb_array(*array_);
}

const tiledb::ArraySchema& OpenArray::stored_schema() const {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot get array schema; Array is not open");
  return snapshot_->schema();
}

std::shared_ptr<SchemaParts> OpenArray::schema() const {
  const tiledb::ArraySchema& stored = stored_schema();  // before the snapshot is looked at: it may be closed
  auto parts = std::make_shared<SchemaParts>(stored, snapshot_->model().enumerations);
  parts->uri = uri_;
  return parts;
}

void OpenArray::set_config(const Config& config) {
  if (is_open()) refuse("[TileDB::Array] Error: Cannot set a config on an open array");
  config_ = config;
}

std::uint64_t OpenArray::at_end() const {
  if (end_ != UINT64_MAX) return end_;
  return is_open() ? opened_at_ : UINT64_MAX;
}

const Metadata& OpenArray::metadata() const {
  need_read("get metadata");
  const std::lock_guard lock(mutex_);
  if (!metadata_) metadata_ = engine().metadata();
  return *metadata_;
}

void OpenArray::put_metadata(const std::string& key, std::optional<MetaValue> value) {
  need_write("put metadata");
  changes_.insert_or_assign(key, std::move(value));
}

const std::optional<tiledb::NdRange>& OpenArray::non_empty_domain() const {
  if (!is_open()) refuse("[TileDB::Array] Error: Cannot get non-empty domain; Array is not open");
  if (*type_ != QueryType::read && *type_ != QueryType::write && *type_ != QueryType::modify_exclusive)
    refuse("[TileDB::Array] Error: Cannot get non-empty domain; Array was not opened in read or write mode");
  const std::lock_guard lock(mutex_);
  if (!domain_) domain_ = engine().info(work()).non_empty_domain;
  return *domain_;
}

}  // namespace tegula::capi
