#include "store/s3/secret_json.h"

#include "base/fail.h"

namespace tegula::s3 {

Json parse_secret_json(ByteView bytes, std::string_view where) {
  try {
    return parse_json(bytes, where);
  } catch (const Error&) {
    fail(ErrorKind::corrupt, "{}: the {} bytes are not JSON (they are not shown, because they may hold keys)", where,
         bytes.size());
  }
}

}  // namespace tegula::s3
