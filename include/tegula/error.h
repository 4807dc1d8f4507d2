// The one exception type of the library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tegula {

// What a caller can act on. The command and the Python package map these to exit codes and exception classes.
enum class ErrorKind : std::uint8_t {
  not_found,         // nothing there
  corrupt,           // there, but the bytes are wrong
  unsupported,       // right, but not something this build reads or writes
  invalid_argument,  // the request makes no sense
  permission,        // the system refused
  io,                // the system failed
  cancelled,         // the caller asked to stop
};

std::string_view name(ErrorKind kind) noexcept;

// Ends the operation that threw it; nothing that is expected to happen is reported this way.
// what() reads "<kind>: <what was being done>: <what went wrong>".
class Error : public std::runtime_error {
 public:
  // Prefixes `message` with the contexts that are open on this thread (base/context.h).
  Error(ErrorKind kind, const std::string& message);
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace tegula
