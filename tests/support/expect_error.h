// EXPECT_ERROR(kind, "part of the message", expression)
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tegula/error.h"

#define EXPECT_ERROR(expected_kind, part, ...)                                                     \
  do {                                                                                             \
    try {                                                                                          \
      __VA_ARGS__;                                                                                 \
      ADD_FAILURE() << "no error from " #__VA_ARGS__;                                              \
    } catch (const ::tegula::Error& error) {                                                       \
      EXPECT_EQ(::tegula::name(error.kind()), ::tegula::name(::tegula::ErrorKind::expected_kind)); \
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();          \
    }                                                                                              \
  } while (false)
