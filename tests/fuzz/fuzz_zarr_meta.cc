// room: format/zarr
// Metadata documents of every version: the first byte says which, the rest is the document.
#include <cstddef>
#include <cstdint>

#include "format/zarr/meta/array_meta.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/original.h"
#include "format/zarr/meta/schema_model.h"
#include "format/zarr/meta/v1.h"
#include "format/zarr/meta/v2.h"
#include "format/zarr/meta/v3.h"
#include "tegula/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tegula;
  if (size == 0) return 0;
  constexpr zarr::ArrayMeta (*kParse[])(ByteView, std::string_view) = {zarr::parse_original, zarr::parse_v1,
                                                                       zarr::parse_v2, zarr::parse_v3};
  const ByteView document = std::as_bytes(std::span(data + 1, size - 1));
  try {
    const zarr::ArrayMeta meta = kParse[data[0] % 4](document, "fuzz");
    zarr::schema_of(meta);
    if (!meta.pickled) zarr::dump_document(meta.document, meta.version);
  } catch (const Error&) {
  }
  return 0;
}
