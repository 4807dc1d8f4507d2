#include "capi/core/context.h"

#include <algorithm>
#include <new>

#include "tegula/error.h"

namespace tegula::capi {

Failure current_failure() noexcept {
  try {
    try {
      throw;
    } catch (const Refusal& refusal) {
      return {kError, refusal.what()};
    } catch (const Error& error) {
      return {kError, std::string("tegula: ") + error.what()};
    } catch (const std::bad_alloc&) {
      return {kOutOfMemory, "TileDB internal: out of memory"};
    } catch (const std::exception& error) {
      return {kError, std::string("TileDB internal: ") + error.what()};
    } catch (...) {
      return {kError, "TileDB internal: an exception of an unknown kind"};
    }
  } catch (...) {
    return {kOutOfMemory, {}};
  }
}

void give_error(ErrorHandle** error, Failure failure) noexcept {
  if (!error) return;
  try {
    give(error, ErrorHandle{std::move(failure.text)});
  } catch (...) {
    *error = nullptr;
  }
}

Work work_of(const ContextState& context) {
  Work work;
  work.threads =
      static_cast<unsigned>(std::min<std::uint64_t>(context.config.number("sm.compute_concurrency_level"), 1024));
  // Budgets are limits, not sizes: what is larger than the default of the engine changes nothing. One below a few
  // megabytes would only cut results into pieces that nobody asked for.
  work.memory = std::clamp<std::uint64_t>(context.config.number("sm.mem.total_budget"), 64ull << 20, work.memory);
  work.cancel = &context.cancel;
  return work;
}

}  // namespace tegula::capi
