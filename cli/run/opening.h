// Opens what the command line names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/command.h"
#include "store/open/target_store.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::cli {

// The options of verbs that open something.
struct OpenFlags {
  std::string format;
  std::string at;        // "T" or "T1:T2"
  std::string key;       // hex
  std::string key_file;  // 32 bytes, or 64 hex digits
  std::string missing;

  void describe(Verb& verb);
  void describe_key(Verb& verb);
  OpenOptions options(const Globals& globals) const;
};

// The 32 bytes of --key or --key-file; empty when neither was given.
Bytes encryption_key(const std::string& hex, const std::string& file);

// The store of a URI, traced when --trace-io asks for it.
std::shared_ptr<Store> store_of(const std::string& uri, const Globals& globals, bool sync = true);
// The same for a new array, which may become a zip archive.
TargetStore target_of(const std::string& uri, const Globals& globals, bool overwrite, bool sync = true);

std::shared_ptr<Array> open_array(const std::string& uri, const OpenFlags& flags, const Globals& globals,
                                  bool sync = true);

}  // namespace tegula::cli
