// Work on what arrives while the rest is under way.
#pragma once

#include <cstddef>
#include <functional>

namespace tegula::http {

// Calls request(arrived) on a thread of its own, which hands it numbers, and calls use(i) for each of them, on as many
// threads as the current work allows. Returns when all are done. The first exception of either side ends the other and
// is rethrown; so is a cancellation of the current work.
void use_arrivals(const std::function<void(const std::function<void(std::size_t)>& arrived)>& request,
                  const std::function<void(std::size_t)>& use);

}  // namespace tegula::http
