#include "capi/files/vfs.h"

#include <atomic>

namespace tegula::capi {

namespace {

Place place_in(const VfsHandle* handle, const char* uri) {
  const VfsHandle& vfs = checked(handle);
  return place_of(*vfs.context, given(uri, "URI"), vfs.memory);
}

void need_file(const Place& place, std::string_view what) {
  if (!place.is_file()) refuse("VFS: Cannot {}; File '{}' does not exist", what, place.uri);
}

using FileCallback = std::int32_t (*)(const char*, void*);
using DeepCallback = std::int32_t (*)(const char*, std::size_t, std::uint64_t, void*);
using DeepCallback2 = std::int32_t (*)(const char*, std::size_t, std::uint64_t, std::uint8_t, void*);

// Visits everything below a folder, folders before what they hold. Returns the last answer.
template <class F>
Answer visit(const Store& store, const std::string& key, const std::string& uri, const F& callback) {
  for (const Entry& entry : store.list(key)) {
    const std::string below = uri + "/" + entry.name;
    Answer answer{callback(below, entry)};
    if (answer == Answer::go_on && entry.folder)
      answer = visit(store, key.empty() ? entry.name : key + "/" + entry.name, below, callback);
    if (answer != Answer::go_on) return answer;
  }
  return Answer::go_on;
}

void move_away(const Place& place) {
  if (place.is_file())
    place.store->remove(place.key);
  else
    place.store->remove_tree(place.key);
}

FileHandle& open_file(FileHandle* handle) {
  FileHandle& file = checked(handle);
  if (!file.open) refuse("VFS: the file '{}' is closed", file.place.uri);
  return file;
}

}  // namespace

void FileHandle::flush() {
  if (!changed) return;
  place.store->put(place.key, written);
  changed = false;
}

TEGULA_CAPI std::int32_t tiledb_vfs_alloc(ContextHandle* context, ConfigHandle* config, VfsHandle** handle) {
  return enter(context, [&](const auto& state) {
    static std::atomic<unsigned> count = 0;
    give(handle, VfsHandle{state, config_or(config, state->config), fmt::format("vfs-{}", ++count)});
  });
}

TEGULA_CAPI void tiledb_vfs_free(VfsHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_vfs_get_config(ContextHandle* context, VfsHandle* handle, ConfigHandle** config) {
  return enter(context, [&](const auto&) { give(config, ConfigHandle{checked(handle).config}); });
}

TEGULA_CAPI std::int32_t tiledb_vfs_is_file(ContextHandle* context, VfsHandle* handle, const char* uri,
                                            std::int32_t* is) {
  return enter(context, [&](const auto&) { out(is) = place_in(handle, uri).is_file() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_vfs_is_dir(ContextHandle* context, VfsHandle* handle, const char* uri,
                                           std::int32_t* is) {
  return enter(context, [&](const auto&) { out(is) = place_in(handle, uri).is_folder() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_vfs_file_size(ContextHandle* context, VfsHandle* handle, const char* uri,
                                              std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    need_file(place, "get file size");
    out(size) = place.store->size(place.key).value_or(0);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_dir_size(ContextHandle* context, VfsHandle* handle, const char* uri,
                                             std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    if (!place.is_folder()) refuse("VFS: Cannot get directory size; '{}' does not exist", place.uri);
    std::uint64_t total = 0;
    for (const ListedFile& file : place.store->list_all(place.key).files) total += file.size;
    out(size) = total;
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_create_dir(ContextHandle* context, VfsHandle* handle, const char* uri) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    place.store->make_folder(place.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_remove_dir(ContextHandle* context, VfsHandle* handle, const char* uri) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    if (place.key.empty()) refuse("VFS: Cannot remove directory; '{}' is a whole store", place.uri);
    if (!place.is_folder()) refuse("VFS: Failed to delete path '{}'; not a valid path.", place.uri);
    place.store->remove_tree(place.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_remove_file(ContextHandle* context, VfsHandle* handle, const char* uri) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    need_file(place, "delete file");
    place.store->remove(place.key);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_touch(ContextHandle* context, VfsHandle* handle, const char* uri) {
  return enter(context, [&](const auto&) {
    const Place place = place_in(handle, uri);
    if (!place.is_file()) place.store->put(place.key, ByteView());
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_copy_file(ContextHandle* context, VfsHandle* handle, const char* from,
                                              const char* to) {
  return enter(context, [&](const auto&) { copy_file(place_in(handle, from), place_in(handle, to)); });
}

TEGULA_CAPI std::int32_t tiledb_vfs_copy_dir(ContextHandle* context, VfsHandle* handle, const char* from,
                                             const char* to) {
  return enter(context, [&](const auto&) { copy_folder(place_in(handle, from), place_in(handle, to)); });
}

TEGULA_CAPI std::int32_t tiledb_vfs_move_file(ContextHandle* context, VfsHandle* handle, const char* from,
                                              const char* to) {
  return enter(context, [&](const auto&) {
    const Place source = place_in(handle, from);
    copy_file(source, place_in(handle, to));
    move_away(source);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_move_dir(ContextHandle* context, VfsHandle* handle, const char* from,
                                             const char* to) {
  return enter(context, [&](const auto&) {
    const Place source = place_in(handle, from);
    copy_folder(source, place_in(handle, to));
    move_away(source);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_ls(ContextHandle* context, VfsHandle* handle, const char* uri,
                                       FileCallback callback, void* data) {
  Answer answer = Answer::go_on;
  const std::int32_t status = enter(context, [&](const auto&) {
    if (!callback) refuse("C API: Invalid callback: it is null");
    const Place place = place_in(handle, uri);
    for (const Entry& entry : place.store->list(place.key)) {
      answer = Answer{callback((place.uri + "/" + entry.name).c_str(), data)};
      if (answer != Answer::go_on) break;
    }
  });
  return status == kOk && answer == Answer::fail ? kError : status;
}

TEGULA_CAPI std::int32_t tiledb_vfs_ls_recursive(ContextHandle* context, VfsHandle* handle, const char* uri,
                                                 DeepCallback callback, void* data) {
  Answer answer = Answer::go_on;
  const std::int32_t status = enter(context, [&](const auto&) {
    if (!callback) refuse("C API: Invalid callback: it is null");
    const Place place = place_in(handle, uri);
    answer = visit(*place.store, place.key, place.uri, [&](const std::string& path, const Entry& entry) {
      return callback(path.c_str(), path.size(), entry.size, data);
    });
  });
  return status == kOk && answer == Answer::fail ? kError : status;
}

TEGULA_CAPI std::int32_t tiledb_vfs_ls_recursive_v2(ContextHandle* context, VfsHandle* handle, const char* uri,
                                                    DeepCallback2 callback, void* data) {
  Answer answer = Answer::go_on;
  const std::int32_t status = enter(context, [&](const auto&) {
    if (!callback) refuse("C API: Invalid callback: it is null");
    const Place place = place_in(handle, uri);
    answer = visit(*place.store, place.key, place.uri, [&](const std::string& path, const Entry& entry) {
      return callback(path.c_str(), path.size(), entry.size, entry.folder ? 1 : 0, data);
    });
  });
  return status == kOk && answer == Answer::fail ? kError : status;
}

TEGULA_CAPI std::int32_t tiledb_vfs_open(ContextHandle* context, VfsHandle* handle, const char* uri, std::int32_t mode,
                                         FileHandle** file) {
  return enter(context, [&](const auto&) {
    if (mode < 0 || mode > 2) refuse("C API: Invalid VFS mode {}", mode);
    FileHandle opened{place_in(handle, uri), mode};
    if (mode == 0) need_file(opened.place, "open file");
    if (mode == 1) opened.changed = true;
    if (mode == 2)
      if (auto before = opened.place.store->get(opened.place.key)) opened.written = std::move(*before);
    give(file, std::move(opened));
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_read(ContextHandle* context, FileHandle* handle, std::uint64_t offset, void* into,
                                         std::uint64_t size) {
  return enter(context, [&](const auto&) {
    const FileHandle& file = open_file(handle);
    if (file.mode != 0) refuse("VFS: Cannot read from file; File '{}' is not opened in read mode", file.place.uri);
    if (size == 0) return;
    if (!into) refuse("C API: Invalid buffer: it is null");
    RangeRead read{file.place.key, offset, {static_cast<std::byte*>(into), static_cast<std::size_t>(size)}};
    file.place.store->get(std::span(&read, 1));
    if (!read.found) refuse("VFS: Cannot read from file '{}'; it does not exist", file.place.uri);
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_write(ContextHandle* context, FileHandle* handle, const void* from,
                                          std::uint64_t size) {
  return enter(context, [&](const auto&) {
    FileHandle& file = open_file(handle);
    if (file.mode == 0)
      refuse("VFS: Cannot write to file; File '{}' is not opened in write or append mode", file.place.uri);
    if (size == 0) return;
    if (!from) refuse("C API: Invalid buffer: it is null");
    const auto* bytes = static_cast<const std::byte*>(from);
    file.written.insert(file.written.end(), bytes, bytes + size);
    file.changed = true;
  });
}

TEGULA_CAPI std::int32_t tiledb_vfs_sync(ContextHandle* context, FileHandle* handle) {
  return enter(context, [&](const auto&) { open_file(handle).flush(); });
}

TEGULA_CAPI std::int32_t tiledb_vfs_close(ContextHandle* context, FileHandle* handle) {
  return enter(context, [&](const auto&) {
    FileHandle& file = open_file(handle);
    file.flush();
    file.open = false;
  });
}

// What was written and not closed is kept, if it can be.
TEGULA_CAPI void tiledb_vfs_fh_free(FileHandle** handle) {
  enter_bare(nullptr, [&] {
    if (handle && *handle && is_live(*handle, FileHandle::kName) && (*handle)->open) (*handle)->flush();
  });
  free_handle(handle);
}

TEGULA_CAPI std::int32_t tiledb_vfs_fh_is_closed(ContextHandle* context, FileHandle* handle, std::int32_t* closed) {
  return enter(context, [&](const auto&) { out(closed) = checked(handle).open ? 0 : 1; });
}

}  // namespace tegula::capi
