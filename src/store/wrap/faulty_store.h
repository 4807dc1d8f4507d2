// A store one of whose calls fails, as a disk or a system may let it fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace tegula {

enum class StoreFault : std::uint8_t {
  denied,          // Error(permission)
  broken,          // Error(io): the disk cannot read, or a server does not answer
  no_descriptors,  // Error(io), for changes as well
  no_space,        // Error(io), for changes only
  cut_short,       // files end in their middle: whole reads return less, ranges and tails beyond are Error(corrupt)
  vanished,        // files are absent
};
std::string_view name(StoreFault fault) noexcept;

// Call number `at` (counted from 0) fails, and with `lasting` all after it, too. What is counted is the calls that the
// fault may meet: reads of files and their sizes; lists as well, unless the fault is in the files (cut_short,
// vanished); changes (put, begin, append, sync, commit, appear, make_folder, and scratch space) as said above; removals
// for want of descriptors only. A batch of ranges is one call for each range.
struct CallFault {
  StoreFault fault = StoreFault::broken;
  std::uint64_t at = UINT64_MAX;
  bool lasting = false;
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> failed{0};  // how many did
};
std::shared_ptr<Store> faulty_store(std::shared_ptr<Store> store, std::shared_ptr<CallFault> plan);

}  // namespace tegula
