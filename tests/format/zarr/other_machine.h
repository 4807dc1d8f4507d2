// The same files, for somebody who does not know that they are the same: the locks of this process do not help.
#pragma once

#include "store/wrap/wrapped_store.h"

namespace tegula::testing {

class OtherMachine final : public WrappedStore {
 public:
  OtherMachine(std::shared_ptr<Store> store, int number) : WrappedStore(std::move(store)), number_(number) {}
  std::string identity() const override { return "machine " + std::to_string(number_); }

 private:
  int number_;
};

}  // namespace tegula::testing
