// Writes to one carray, in steps whose order a table can choose: chunks and sizes are written separately.
#pragma once

#include <cstdint>
#include <functional>

#include "format/bcolz/carray.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::bcolz {

// New rows, counted from the first new one. Called from several threads; the bytes stay valid.
using NewRows = std::function<ByteView(std::uint64_t first, std::uint64_t count)>;

// The chunk file of raw rows.
Bytes encode_rows(const Carray& carray, ByteView raw);

// Writes the chunks that hold the new rows; the partial last chunk is replaced by one that begins with its old rows, so
// the carray stays as it was until put_sizes(). Returns the bytes that `cbytes` grows by.
std::uint64_t write_new_rows(const Carray& carray, std::uint64_t count, const NewRows& rows, const Work& work);
// The same for rows of the default value.
std::uint64_t write_default_rows(const Carray& carray, std::uint64_t count, const Work& work);

// Makes `rows` the length of the carray.
void put_sizes(const Carray& carray, std::uint64_t rows, std::uint64_t cbytes);
// `cbytes` as bcolz counts it for the first `rows` rows: the compressed full chunks, and one chunk uncompressed.
std::uint64_t count_cbytes(const Carray& carray, std::uint64_t rows);

// To be called after put_sizes() made a carray shorter: shortens the last chunk and removes the chunks after it.
void remove_surplus(const Carray& before, std::uint64_t rows);

}  // namespace tegula::bcolz
