#include "format/zarr/meta/original.h"

#include "base/fail.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/codec/options.h"
#include "format/zarr/meta/fill_value.h"
#include "format/zarr/meta/pickle.h"

namespace tegula::zarr {

namespace {

ArrayMeta from_document(Json document) {
  ArrayMeta meta;
  meta.version = 0;
  meta.shape = shape_member(document, "shape");
  meta.chunks = shape_member(document, "chunks");
  if (meta.shape.empty()) fail(ErrorKind::corrupt, "the shape has no axes");
  meta.cell.type = numpy_dtype(member(document, "dtype"));
  if (meta.cell.type.id == TypeId::object)
    fail(ErrorKind::unsupported, "dtype object: the chunks hold memory addresses of the program that wrote them");
  if (meta.cell.item() == 0) fail(ErrorKind::unsupported, "items of 0 bytes");
  check_chunks(meta);
  const Json blosc = {{"cname", member(document, "cname")},
                      {"clevel", member(document, "clevel")},
                      {"shuffle", member(document, "shuffle")}};
  Datatype type = meta.cell.type;
  meta.chain.steps.push_back(make_byte_step("blosc", blosc, type));
  meta.filters.push_back(filter_of("blosc", blosc));
  meta.keys = {"__zdata__/", '.', ".blosc", "0"};
  meta.document = std::move(document);
  return meta;
}

}  // namespace

ArrayMeta parse_original(ByteView text, std::string_view name) {
  if (text.empty()) fail(ErrorKind::corrupt, "{} is empty", name);
  if (text[0] == std::byte{'('} || text[0] == std::byte{'c'}) {
    OriginalPickle pickle = read_original_pickle(text, name);
    ArrayMeta meta = from_document(std::move(pickle.document));
    meta.pickled = true;
    meta.fill_defined = pickle.fill_defined;
    meta.cell.fill = std::move(pickle.fill);
    return meta;
  }
  Json document = parse_json(text, name);
  if (!document.is_object()) fail(ErrorKind::corrupt, "{} is not a JSON object", name);
  ArrayMeta meta = from_document(std::move(document));
  const Json& fill = member(meta.document, "fill_value");
  meta.fill_defined = !fill.is_null();
  meta.cell.fill = meta.fill_defined ? fill_from_json(fill, meta.cell.type, FillStyle::numpy)
                                     : Bytes(meta.cell.item(), std::byte{0});
  return meta;
}

}  // namespace tegula::zarr
