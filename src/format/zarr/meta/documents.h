// Metadata documents of new arrays, in the style of the libraries that own the formats.
#pragma once

#include <string>

#include "base/json.h"
#include "tegula/schema.h"

namespace tegula::zarr {

// Shape, chunks, type, fill value and filters come from the schema. Throws unsupported for what the version cannot
// express.
Json document_original(const Schema& schema);
Json document_v1(const Schema& schema);
Json document_v2(const Schema& schema);
Json document_v3(const Schema& schema);
// Of an empty group of format 2 or 3.
Json group_document(int version);

// The text of a document, as the library that owns the format writes it.
std::string dump_document(const Json& document, int version);

}  // namespace tegula::zarr
