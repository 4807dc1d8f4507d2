// The schemas that a handle has returned by reference.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "tegula/schema.h"

namespace tegula {

// Array::schema() returns a reference while other threads change the array. What it refers to lives as long as the
// handle: keep() holds on to each different schema that was asked for, once. Thread-safe.
class SchemaKeeper {
 public:
  const Schema& keep(std::shared_ptr<const Schema> schema) const;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const Schema>> kept_;
};

// Do the two describe the same array?
bool same_schema(const Schema& a, const Schema& b);

}  // namespace tegula
