// Writing to connections that the other side has closed.
#pragma once

#include <csignal>

namespace tegula::http {

// While one exists, a write of this thread to a closed connection is an error of that write and not a SIGPIPE, which
// would end the process. Those that others are to get stay.
class NoPipeSignal {
 public:
  NoPipeSignal();
  ~NoPipeSignal();
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t before_;
  bool pending_ = false;  // one was waiting already
};

}  // namespace tegula::http
