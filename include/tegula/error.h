// The one exception type of the library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tegula {

// What went wrong, as far as a caller can react to it. The command maps kinds to exit codes, the Python package to
// exception classes.
enum class ErrorKind : std::uint8_t {
  not_found,         // it does not exist
  corrupt,           // it exists, but its bytes are damaged
  unsupported,       // valid, but not something this build can read or write
  invalid_argument,  // the request is wrong
  permission,        // the system denied access
  io,                // the system reported a failure
  cancelled,         // the caller asked to stop
};

std::string_view name(ErrorKind kind) noexcept;

// The operation that threw it has failed. Expected outcomes are not reported as errors.
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
