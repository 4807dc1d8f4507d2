// room: convert
// Arrow IPC streams and files.
#include <cstddef>
#include <cstdint>

#include "arrow/ipc_reader.h"
#include "tegula/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tegula::read_arrow(std::as_bytes(std::span(data, size)), "fuzz");
  } catch (const tegula::Error&) {
  }
  return 0;
}
