#include "format/zarr/meta/v1.h"

#include <algorithm>

#include "base/fail.h"
#include "format/zarr/codec/cell_order.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/fill_value.h"

namespace tegula::zarr {

ArrayMeta parse_v1(ByteView text, std::string_view name) {
  Json document = parse_json(text, name);
  if (!document.is_object()) fail(ErrorKind::corrupt, "{} is not a JSON object", name);
  if (const Json& version = member(document, "zarr_format"); version != 1)
    fail(ErrorKind::corrupt, "{} has zarr_format {}, expected 1", name, dump_json(version));
  ArrayMeta meta;
  meta.version = 1;
  meta.shape = shape_member(document, "shape");
  meta.chunks = shape_member(document, "chunks");
  meta.cell.type = numpy_dtype(member(document, "dtype"));
  if (meta.cell.type.id == TypeId::object)
    fail(ErrorKind::unsupported, "dtype object: the chunks hold memory addresses of the program that wrote them");
  if (meta.cell.item() == 0) fail(ErrorKind::unsupported, "items of 0 bytes");
  check_chunks(meta);
  meta.chain.permutation = order_permutation(member(document, "order"), meta.rank());

  const std::string compression = text_option(document, "compression", "none");
  const Json& opts = member(document, "compression_opts");
  constexpr std::string_view kKnown[] = {"blosc", "zlib", "bz2", "lzma"};
  if (compression != "none") {
    if (std::find(std::begin(kKnown), std::end(kKnown), compression) == std::end(kKnown))
      fail(ErrorKind::unsupported, "compression '{}' is not one that this build knows", compression);
    const Json options = opts.is_object() ? opts : opts.is_null() ? Json::object() : Json{{"level", opts}};
    Datatype type = meta.cell.type;
    meta.chain.steps.push_back(make_byte_step(compression, options, type));
    meta.filters.push_back(filter_of(compression, options));
  }
  const Json& fill = member(document, "fill_value");
  meta.fill_defined = !fill.is_null();
  meta.cell.fill = meta.fill_defined ? fill_from_json(fill, meta.cell.type, FillStyle::numpy)
                                     : Bytes(meta.cell.item(), std::byte{0});
  meta.document = std::move(document);
  return meta;
}

}  // namespace tegula::zarr
