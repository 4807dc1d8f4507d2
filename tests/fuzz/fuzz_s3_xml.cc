// room: store
// The input is the answer of an S3 server, or of Azure. A listing that is taken has keys with names.
#include <cstdlib>

#include "store/azure/azure_xml.h"
#include "store/http/http.h"
#include "store/s3/xml.h"
#include "tegula/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tegula;
  const ByteView bytes = std::as_bytes(std::span(data, size));
  objects::read_answer(bytes);
  http::parse_content_range(text_of(bytes));
  try {
    for (const objects::ListedKey& key : s3::read_list_page(bytes, "x").keys)
      if (key.key.empty()) std::abort();
  } catch (const Error&) {
  }
  try {
    for (const objects::ListedKey& key : azure::read_blob_list(bytes, "x").keys)
      if (key.key.empty()) std::abort();
  } catch (const Error&) {
  }
  try {
    s3::read_delete_result(bytes, "x");
  } catch (const Error&) {
  }
  return 0;
}
