// Something that a thread has to look at from time to time while it works in the library.
#pragma once

namespace tegula {

// While one lives, poll() is called on the thread that made it wherever that thread checks for cancellation, which is
// between pieces of work; it has to be cheap, and what it throws ends the operation. They nest: the innermost is
// called. The interpreter of a scripting language looks for its signals this way.
class CancelPoll {
 public:
  CancelPoll(const CancelPoll&) = delete;
  CancelPoll& operator=(const CancelPoll&) = delete;
  virtual void poll() = 0;

  // What Cancel::check() calls.
  static void run();

 protected:
  CancelPoll() noexcept;
  ~CancelPoll();

 private:
  CancelPoll* outer_;
};

}  // namespace tegula
