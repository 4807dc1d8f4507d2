// Contexts and the way in: every function of the ABI runs inside enter() or enter_bare(), which let no exception out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "capi/core/config.h"
#include "capi/core/handles.h"
#include "tegula/work.h"

namespace tegula::capi {

enum Status : std::int32_t { kOk = 0, kError = -1, kOutOfMemory = -2, kInvalidContext = -3, kInvalidError = -4 };

// What handles share with the context they were made in; lives as long as any of them.
struct ContextState {
  Config config;
  unsigned number = 0;  // of this context in the process
  Cancel cancel;
  std::mutex mutex;
  std::optional<std::string> last_error;

  void fail(std::string text) {
    const std::lock_guard lock(mutex);
    last_error = std::move(text);
  }
};

struct ContextHandle {
  static constexpr std::string_view kName = "context";
  std::shared_ptr<ContextState> state;
};

struct ErrorHandle {
  static constexpr std::string_view kName = "error";
  std::string text;
};

struct Failure {
  std::int32_t status = kError;
  std::string text;
};
// What the exception that is being handled comes to.
Failure current_failure() noexcept;

// Runs body(state of the context); a failure leaves its text in the context.
template <class F>
std::int32_t enter(ContextHandle* context, F&& body) noexcept {
  if (!is_live(context, ContextHandle::kName)) return kInvalidContext;
  const std::shared_ptr<ContextState> state = context->state;
  try {
    body(state);
    return kOk;
  } catch (...) {
    Failure failure = current_failure();
    state->fail(std::move(failure.text));
    return failure.status;
  }
}

// For functions without a context: a failure becomes an error handle, where the caller wants one.
void give_error(ErrorHandle** error, Failure failure) noexcept;

template <class F>
std::int32_t enter_bare(ErrorHandle** error, F&& body) noexcept {
  if (error) *error = nullptr;
  try {
    body();
    return kOk;
  } catch (...) {
    Failure failure = current_failure();
    const std::int32_t status = failure.status;
    give_error(error, std::move(failure));
    return status;
  }
}

// The budget and the way to stop of an operation of this context.
Work work_of(const ContextState& context);

}  // namespace tegula::capi
