#include "run/opening.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error_message.h"
#include "base/fail.h"
#include "files/text_file.h"
#include "format/registry/registry.h"
#include "query/request/iso_dates.h"
#include "query/request/value_text.h"
#include "store/open/open_store.h"
#include "store/wrap/tracing_store.h"
#include "store/zip/archive_uri.h"
#include "tegula/bcolz.h"
#include "text/format_names.h"

namespace tegula::cli {

void OpenFlags::describe(Verb& verb) {
  verb.option("--format", format, "NAME", fmt::format("{} (default: detected)", known_formats()))
      .option("--at", at, "T|T1:T2",
              "TileDB: as of a time, or what was written between two; milliseconds or an ISO date");
  describe_key(verb);
}

void OpenFlags::describe_key(Verb& verb) {
  verb.option("--key", key, "HEX", "key of an encrypted array, 64 hexadecimal digits")
      .option("--key-file", key_file, "FILE", "the same from a file: 32 bytes or 64 digits");
}

Bytes encryption_key(const std::string& hex, const std::string& file) {
  if (!hex.empty() && !file.empty()) fail(ErrorKind::invalid_argument, "--key and --key-file exclude each other");
  Bytes key;
  if (!hex.empty()) key = bytes_of_hex(hex, "--key");
  if (!file.empty()) {
    std::string text = read_text(file);
    if (text.size() == 32) {
      key = copy_of(bytes_of(text));
    } else {
      while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
      key = bytes_of_hex(text, "the key in '" + file + "'");
    }
  }
  if (!key.empty() && key.size() != 32)
    fail(ErrorKind::invalid_argument, "the key has {} bytes; AES-256 takes 32 (64 hexadecimal digits)", key.size());
  return key;
}

OpenOptions OpenFlags::options(const Globals& globals) const {
  OpenOptions options;
  options.format = full_format(format);
  if (!at.empty()) options.at = parse_time_range(at);
  options.key = encryption_key(key, key_file);
  options.missing = missing == "error" ? Missing::error : Missing::fill;
  options.work = globals.work;
  options.storage = globals.storage;
  return options;
}

namespace {

void print_line(std::string_view line) { std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data()); }

// Remote stores tell of their requests, local ones of the calls.
std::shared_ptr<Store> traced(std::shared_ptr<Store> store, const Globals& globals) {
  if (!globals.trace_io || store->hints().remote()) return store;
  return tracing_store(std::move(store), print_line);
}

StoreOptions store_options(const Globals& globals, bool sync) {
  StoreOptions options;
  options.sync = sync;
  options.settings = globals.storage;
  options.traffic = globals.traffic;
  if (globals.trace_io) options.trace = print_line;
  return options;
}

}  // namespace

std::shared_ptr<Store> store_of(const std::string& uri, const Globals& globals, bool sync) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(uri, unknown) && !archive_uri(uri))
    fail(ErrorKind::not_found,
         "'{}' is a file, and arrays are folders or zip archives; `tegula ls` shows those in a folder", uri);
  return traced(open_store(uri, store_options(globals, sync)), globals);
}

TargetStore target_of(const std::string& uri, const Globals& globals, bool overwrite, bool sync) {
  TargetStore target = open_target(uri, store_options(globals, sync), overwrite);
  target.store = traced(std::move(target.store), globals);
  return target;
}

std::shared_ptr<Array> open_array(const std::string& uri, const OpenFlags& flags, const Globals& globals, bool sync) {
  std::shared_ptr<Store> store = store_of(uri, globals, sync);
  try {
    std::shared_ptr<Array> array = open(store, flags.options(globals));
    if (const std::string torn = bcolz::torn_rows(*array); !torn.empty() && !globals.quiet)
      std::fprintf(stderr, "warning: %s: %s\n", uri.c_str(), torn.c_str());
    return array;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found || probe(*store).kind != ObjectKind::group) throw;
    fail(error.kind(), "{}; `tegula ls` shows what it holds", error_message(error));
  }
}

}  // namespace tegula::cli
