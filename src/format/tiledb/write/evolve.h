// Changing the schema of an array.
#pragma once

#include <cstdint>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// `current` is the newest schema with its enumerations. Writes new enumerations, then the schema.
void evolve_array(const WriteTarget& target, const Schema& current, const Evolution& changes, std::uint64_t time);
void upgrade_array(const WriteTarget& target, std::uint32_t version, std::uint64_t time);

// Writes a file of one generic tile.
void put_payload(Store& store, const std::string& key, ByteView payload, std::uint32_t version, const Key& secret);
// Writes an enumeration and returns the name of its file.
std::string put_enumeration(Store& store, const Enumeration& enumeration, std::uint32_t version, const Key& secret);
void put_schema(Store& store, const ArraySchema& schema, const std::string& key, const Key& secret);

}  // namespace tegula::tiledb
