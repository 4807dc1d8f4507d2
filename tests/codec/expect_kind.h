// EXPECT_ERROR for tables, where the kind of error is a value.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "tegula/error.h"

namespace tegula::codec {

template <class F>
void expect_error(ErrorKind kind, F work, std::string_view what) {
  try {
    work();
    ADD_FAILURE() << what << ": no error";
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), name(kind)) << what << ": " << error.what();
  }
}

}  // namespace tegula::codec
