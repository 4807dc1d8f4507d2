// A callback that runs wherever the library checks for cancellation.
#pragma once

namespace tegula {

// While one exists, the thread that created it calls poll() whenever it checks for cancellation, which is between units
// of work. poll() must be cheap; an exception from it ends the operation. They nest: only the innermost is called.
// Python uses one to notice its signals.
class CancelPoll {
 public:
  CancelPoll(const CancelPoll&) = delete;
  CancelPoll& operator=(const CancelPoll&) = delete;
  virtual void poll() = 0;

  // Calls the innermost one of this thread; Cancel::check() does so.
  static void run();

 protected:
  CancelPoll() noexcept;
  ~CancelPoll();

 private:
  CancelPoll* outer_;
};

}  // namespace tegula
