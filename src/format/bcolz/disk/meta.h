// The JSON files of a carray and a ctable: meta/storage, meta/sizes, __rootdirs__. docs/format/bcolz.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::bcolz {

// `cparams`: how new chunks are compressed. Existing chunks are decoded by what their own headers say.
struct Compression {
  std::string cname;  // empty before bcolz 1.1, which did not record it
  int level = 5;
  int shuffle = 1;            // 0 none, 1 bytes, 2 bits
  bool shuffle_flag = false;  // written as true or false: by carray 0.5 or bcolz 0.x
  int quantize = 0;           // decimal digits that are kept; 0: all
};

// meta/storage, written once when the carray is made.
struct Storage {
  Datatype type;
  Compression compression;
  std::uint64_t chunklen = 1;  // rows of a full chunk
  std::uint64_t expectedlen = 0;
  std::string dflt = "null";  // of rows that resize adds, as JSON text; see default_value.h

  // Throws corrupt or unsupported, naming `file`.
  static Storage decode(ByteView text, const std::string& file);
  std::string encode() const;
  // bcolz 0.7 to 0.12 used C-Blosc 1.4, which damaged some chunks; these versions wrote a flag and no codec name.
  bool maybe_spoiled() const { return compression.cname.empty() && compression.shuffle_flag; }
};

// meta/sizes, replaced by every change of length. Only `shape` has an effect; bcolz displays the other two.
struct Sizes {
  std::vector<std::uint64_t> shape;  // at least one axis; rows first
  std::uint64_t nbytes = 0, cbytes = 0;

  static Sizes decode(ByteView text, const std::string& file);
  std::string encode() const;
};

// The names in __rootdirs__, in order. Throws corrupt for names that cannot be folders and for duplicates.
std::vector<std::string> decode_column_names(ByteView text, const std::string& file);
std::string encode_column_names(const std::vector<std::string>& names);
// Whether a column of this name can be a folder below the table.
bool usable_column_name(std::string_view name);

// str(dtype) of numpy, which is what bcolz stores: "int32", "|S7", ">f8", "datetime64[ns]".
std::string dtype_text(const Datatype& type);

}  // namespace tegula::bcolz
