// Let B be removed after M has appeared, and let a reading N miss both. It missed B, so B was removed before the end of
// N, and M was there by then: M appeared during N. A reading L before N has B, and one after N has M. So N is good when
// it has everything that L has, and also when the one after it has nothing new.
#include "store/file/steady_names.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "store/store.h"

namespace tegula {

namespace {

constexpr int kReadings = 24;

// Files that are being written come and go, and count for nobody.
bool counts(const std::string& name) { return !name.starts_with(kTemporaryPrefix); }

bool includes(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& name) {
    return !counts(name) || std::binary_search(all.begin(), all.end(), name);
  });
}

}  // namespace

std::optional<std::vector<std::string>> steady_names(const std::function<FolderNames()>& read) {
  std::vector<std::string> before;
  for (int reading = 0; reading < kReadings; ++reading) {
    FolderNames now = read();
    std::sort(now.names.begin(), now.names.end());
    if (now.steady) return std::move(now.names);
    if (reading > 0) {
      if (includes(now.names, before)) return std::move(now.names);
      if (includes(before, now.names)) return before;
      std::this_thread::sleep_for(std::chrono::milliseconds(reading / 4));
    }
    before = std::move(now.names);
  }
  return std::nullopt;
}

}  // namespace tegula
