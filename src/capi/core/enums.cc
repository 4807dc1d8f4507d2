#include "capi/core/enums.h"

#include <array>
#include <chrono>
#include <cstring>
#include <span>

#include "capi/core/context.h"
#include "capi/core/text.h"
#include "capi/core/uris.h"
#include "tegula/version.h"

namespace tegula::capi {

namespace {

using Names = std::span<const char* const>;

// The index is the number; null: no such number.
constexpr const char* kArrayTypes[] = {"dense", "sparse"};
constexpr const char* kLayouts[] = {"row-major", "col-major", "global-order", "unordered", "hilbert"};
constexpr const char* kQueryTypes[] = {"READ", "WRITE", "DELETE", "UPDATE", "MODIFY_EXCLUSIVE"};
constexpr const char* kQueryStatuses[] = {"FAILED",     "COMPLETED",     "INPROGRESS",
                                          "INCOMPLETE", "UNINITIALIZED", "INITIALIZED"};
constexpr const char* kFilterTypes[] = {"NONE",
                                        "GZIP",
                                        "ZSTD",
                                        "LZ4",
                                        "RLE",
                                        "BZIP2",
                                        "DOUBLE_DELTA",
                                        "BIT_WIDTH_REDUCTION",
                                        "BITSHUFFLE",
                                        "BYTESHUFFLE",
                                        "POSITIVE_DELTA",
                                        nullptr,
                                        "CHECKSUM_MD5",
                                        "CHECKSUM_SHA256",
                                        "DICTIONARY_ENCODING",
                                        "SCALE_FLOAT",
                                        "XOR",
                                        nullptr,
                                        "WEBP",
                                        "DELTA"};
constexpr const char* kFilterOptions[] = {"COMPRESSION_LEVEL",
                                          "BIT_WIDTH_MAX_WINDOW",
                                          "POSITIVE_DELTA_MAX_WINDOW",
                                          "SCALE_FLOAT_BYTEWIDTH",
                                          "SCALE_FLOAT_FACTOR",
                                          "SCALE_FLOAT_OFFSET",
                                          "WEBP_QUALITY",
                                          "WEBP_INPUT_FORMAT",
                                          "WEBP_LOSSLESS",
                                          "COMPRESSION_REINTERPRET_DATATYPE"};
constexpr const char* kEncryptionTypes[] = {"NO_ENCRYPTION", "AES_256_GCM"};
constexpr const char* kObjectTypes[] = {"INVALID", "GROUP", "ARRAY"};
constexpr const char* kWalkOrders[] = {"PREORDER", "POSTORDER"};
constexpr const char* kDataOrders[] = {"unordered", "increasing", "decreasing"};
constexpr const char* kFilesystems[] = {"HDFS", "S3", "AZURE", "GCS", "MEM"};
constexpr const char* kVfsModes[] = {"VFS_READ", "VFS_WRITE", "VFS_APPEND"};
constexpr const char* kMimeTypes[] = {"AUTODETECT", "image/tiff", "application/pdf"};
constexpr const char* kSerializationTypes[] = {"CAPNP", "JSON"};

std::int32_t name_of(Names names, std::int32_t number, const char** name) {
  return enter_bare(nullptr, [&] {
    if (number < 0 || static_cast<std::size_t>(number) >= names.size() || !names[static_cast<std::size_t>(number)])
      refuse("C API: there is no number {} of this kind", number);
    out(name) = names[static_cast<std::size_t>(number)];
  });
}

std::int32_t number_of(Names names, const char* name, std::int32_t* number) {
  return enter_bare(nullptr, [&] {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i] || given(name, "name") != names[i]) continue;
      out(number) = static_cast<std::int32_t>(i);
      return;
    }
    refuse("C API: there is no such name: '{}'", name);
  });
}

}  // namespace

// Formats read and written by the stores of this build.
bool supports(Filesystem filesystem) {
  return filesystem == Filesystem::s3 || filesystem == Filesystem::gcs || filesystem == Filesystem::memory;
}

Datatype datatype_of(std::int32_t code) {
  if (code < 0 || code > 43) refuse("C API: Invalid datatype {}", code);
  return datatype_from_tiledb(static_cast<std::uint8_t>(code));
}

Order order_of(std::int32_t layout) {
  if (layout < 0 || layout > 4) refuse("C API: Invalid layout {}", layout);
  return static_cast<Order>(layout);
}

std::int32_t layout_of(Order order) { return static_cast<std::int32_t>(order); }

std::string_view layout_name(std::int32_t layout) {
  return layout < 0 || static_cast<std::size_t>(layout) >= std::size(kLayouts)
             ? std::string_view()
             : kLayouts[static_cast<std::size_t>(layout)];
}

#define TEGULA_NAMES(prefix, names)                                                             \
  TEGULA_CAPI std::int32_t tiledb_##prefix##_to_str(std::int32_t number, const char** name) {   \
    return name_of(names, number, name);                                                        \
  }                                                                                             \
  TEGULA_CAPI std::int32_t tiledb_##prefix##_from_str(const char* name, std::int32_t* number) { \
    return number_of(names, name, number);                                                      \
  }
TEGULA_NAMES(array_type, kArrayTypes)
TEGULA_NAMES(layout, kLayouts)
TEGULA_NAMES(query_type, kQueryTypes)
TEGULA_NAMES(query_status, kQueryStatuses)
TEGULA_NAMES(filter_type, kFilterTypes)
TEGULA_NAMES(filter_option, kFilterOptions)
TEGULA_NAMES(encryption_type, kEncryptionTypes)
TEGULA_NAMES(object_type, kObjectTypes)
TEGULA_NAMES(walk_order, kWalkOrders)
TEGULA_NAMES(data_order, kDataOrders)
TEGULA_NAMES(filesystem, kFilesystems)
TEGULA_NAMES(vfs_mode, kVfsModes)
TEGULA_NAMES(mime_type, kMimeTypes)
TEGULA_NAMES(serialization_type, kSerializationTypes)
#undef TEGULA_NAMES

TEGULA_CAPI std::int32_t tiledb_datatype_to_str(std::int32_t number, const char** name) {
  return enter_bare(nullptr, [&] {
    datatype_of(number);
    out(name) = tiledb_name(static_cast<std::uint8_t>(number)).data();
  });
}

TEGULA_CAPI std::int32_t tiledb_datatype_from_str(const char* name, std::int32_t* number) {
  return enter_bare(nullptr, [&] {
    for (std::uint8_t code = 0; !tiledb_name(code).empty(); ++code) {
      if (tiledb_name(code) != given(name, "name")) continue;
      out(number) = code;
      return;
    }
    refuse("C API: there is no datatype '{}'", name);
  });
}

TEGULA_CAPI std::uint64_t tiledb_datatype_size(std::int32_t number) {
  return number < 0 || number > 43 ? 0 : datatype_from_tiledb(static_cast<std::uint8_t>(number)).size;
}

TEGULA_CAPI std::uint64_t tiledb_offset_size() { return sizeof(std::uint64_t); }
TEGULA_CAPI std::uint32_t tiledb_var_num() { return kVar; }
TEGULA_CAPI std::uint32_t tiledb_max_path() { return 4096; }
TEGULA_CAPI const char* tiledb_timestamps() { return "__timestamps"; }

TEGULA_CAPI std::uint64_t tiledb_timestamp_now_ms() {
  using std::chrono::milliseconds, std::chrono::system_clock;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

// The release whose ABI this is.
TEGULA_CAPI void tiledb_version(std::int32_t* major, std::int32_t* minor, std::int32_t* patch) {
  if (major) *major = 2;
  if (minor) *minor = 30;
  if (patch) *patch = 0;
}

// Who answers: the name and release of this library.
TEGULA_CAPI const char* tegula_capi_version() { return "tegula " TEGULA_VERSION; }

TEGULA_CAPI std::int32_t tiledb_as_built_dump(TextHandle** text) {
  return enter_bare(nullptr, [&] {
    const auto backend = [](Filesystem filesystem) {
      return fmt::format(R"({{"enabled": {}}})", supports(filesystem) ? "true" : "false");
    };
    give(text,
         TextHandle{fmt::format(R"({{"as_built": {{"parameters": {{"storage_backends": {{"azure": {}, "gcs": {}, )"
                                R"("hdfs": {}, "s3": {}}}, "support": {{"serialization": {{"enabled": )"
                                R"(false}}}}}}}}}})",
                                backend(Filesystem::azure), backend(Filesystem::gcs), backend(Filesystem::hdfs),
                                backend(Filesystem::s3))});
  });
}

// Nothing is ever printed.
TEGULA_CAPI std::int32_t tiledb_log_warn(ContextHandle* context, const char* message) {
  return enter(context, [&](const auto&) { given(message, "message"); });
}

TEGULA_CAPI std::int32_t tiledb_uri_to_path(ContextHandle* context, const char* uri, char* path,
                                            std::uint32_t* length) {
  return enter(context, [&](const auto&) {
    const std::string found = local_path(absolute_uri(given(uri, "URI")));
    if (found.size() + 1 > out(length))
      refuse("C API: the path needs {} bytes, there is room for {}", found.size() + 1, *length);
    std::memcpy(&out(path), found.c_str(), found.size() + 1);
    *length = static_cast<std::uint32_t>(found.size());
  });
}

}  // namespace tegula::capi
