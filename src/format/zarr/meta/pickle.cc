#include "format/zarr/meta/pickle.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/codec/dtypes.h"
#include "format/zarr/meta/fill_value.h"
#include "format/zarr/meta/pickle_machine.h"

namespace tegula::zarr {

namespace {

using Kind = PickleNode::Kind;

const PickleNode& entry(const PickleNode& dict, std::string_view key) {
  const PickleNode* value = dict.find(key);
  if (!value) fail(ErrorKind::corrupt, "the pickle has no '{}'", key);
  return *value;
}

Json integer_json(const PickleNode& node, std::string_view key) {
  if (node.kind != Kind::integer && node.kind != Kind::boolean)
    fail(ErrorKind::corrupt, "'{}' of the pickle is not an integer", key);
  return node.large         ? Json(static_cast<std::uint64_t>(node.integer))
         : node.integer < 0 ? Json(node.integer)
                            : Json(static_cast<std::uint64_t>(node.integer));
}

Json shape_json(const PickleNode& node, std::string_view key) {
  if (node.kind != Kind::sequence) fail(ErrorKind::corrupt, "'{}' of the pickle is not a list", key);
  Json out = Json::array();
  for (const PickleNode* item : node.items) out.push_back(integer_json(*item, key));
  return out;
}

Bytes fill_bytes(const PickleNode& node, const Datatype& type) {
  switch (node.kind) {
    case Kind::boolean:
      return fill_from_json(node.integer != 0, type, FillStyle::numpy);
    case Kind::integer:
      return fill_from_json(integer_json(node, "fill_value"), type, FillStyle::numpy);
    case Kind::real:
      return fill_from_json(node.real, type, FillStyle::numpy);
    case Kind::text:
      return fill_from_json(node.utf8(), type, FillStyle::numpy);
    case Kind::bytes: {
      if (type.id != TypeId::bytes && type.id != TypeId::raw)
        return fill_from_json(node.utf8(), type, FillStyle::numpy);
      Bytes out;
      for (const char32_t c : node.text.substr(0, type.size)) out.push_back(static_cast<std::byte>(c));
      out.resize(type.size, std::byte{0});
      return out;
    }
    case Kind::complex:
      return fill_from_json(Json::array({node.real, node.imaginary}), type, FillStyle::numpy);
    case Kind::scalar: {
      if (node.type == type) return node.data;
      if (node.type.is_date() && type.is_date() &&
          (node.type.unit != type.unit || node.type.unit_count != type.unit_count))
        fail(ErrorKind::unsupported, "the fill value is a {}, the array holds {}", display_name(node.type),
             display_name(type));
      return fill_from_json(fill_to_json(node.data, node.type, FillStyle::numpy), type, FillStyle::numpy);
    }
    default:
      fail(ErrorKind::unsupported, "the pickle has a fill value of a kind that zarr 0.3.0 does not write");
  }
}

}  // namespace

OriginalPickle read_original_pickle(ByteView text, std::string_view name) {
  const Context doing([&] { return fmt::format("reading {} as a pickle", name); });
  PickleMachine machine;
  const PickleNode& top = machine.run(text, name);
  if (top.kind != Kind::dict) fail(ErrorKind::corrupt, "the pickle is not a dict");
  const PickleNode& dtype = entry(top, "dtype");
  if (dtype.kind != Kind::dtype) fail(ErrorKind::corrupt, "'dtype' of the pickle is not a dtype");
  if (dtype.type.id == TypeId::object)
    fail(ErrorKind::unsupported, "dtype object: the chunks hold memory addresses of the program that wrote them");
  OriginalPickle out;
  out.document = {{"chunks", shape_json(entry(top, "chunks"), "chunks")},
                  {"clevel", integer_json(entry(top, "clevel"), "clevel")},
                  {"cname", entry(top, "cname").utf8()},
                  {"dtype", numpy_dtype_json(dtype.type)},
                  {"shape", shape_json(entry(top, "shape"), "shape")},
                  {"shuffle", integer_json(entry(top, "shuffle"), "shuffle")}};
  const PickleNode& fill = entry(top, "fill_value");
  out.fill_defined = fill.kind != Kind::none;
  out.fill = out.fill_defined ? fill_bytes(fill, dtype.type) : Bytes(dtype.type.full_size(), std::byte{0});
  return out;
}

}  // namespace tegula::zarr
