#include "store/objects/secret_json.h"

#include "base/fail.h"

namespace tegula::objects {

Json parse_secret_json(ByteView bytes, std::string_view where) {
  try {
    return parse_json(bytes, where);
  } catch (const Error&) {
    fail(ErrorKind::corrupt, "{}: the {} bytes are not JSON (they are not shown, because they may hold keys)", where,
         bytes.size());
  }
}

}  // namespace tegula::objects
