// Conversions that are stopped at every change of their target, one after the other, and continued.
#pragma once

#include <gtest/gtest.h>

#include "convert/compare.h"
#include "convert/convert.h"
#include "convert/resume_note.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
#include "store/wrap/failing_store.h"
#include "tegula/error.h"

namespace tegula {

struct Stops {
  std::size_t resumed = 0;       // runs that went on
  std::size_t kept = 0;          // fragments they found
  std::shared_ptr<Array> whole;  // the copy of the run that was not stopped
};

// Expects every resumed run to end with the source's values, and not to write what it found once more.
inline Stops stop_at_every_change(const Array& source, const ConvertOptions& options, const Work& work) {
  Stops stops;
  for (std::uint64_t at = 0; at < 500; ++at) {
    const std::shared_ptr<Store> store = make_memory_store();
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = at;
    try {
      stops.whole = convert(source, failing_store(store, plan), options, work).array;
      return stops;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      if (error.kind() != ErrorKind::io) return stops;
    }
    if (!read_note(*store)) continue;
    OpenOptions unfinished;
    unfinished.unfinished = true;
    const std::size_t before = open(store, unfinished)->info().fragments.size();
    EXPECT_TRUE(convert(source, store, options, work).resumed);
    EXPECT_FALSE(read_note(*store));
    const Comparison report = compare(source, *open(store), {});
    EXPECT_TRUE(report.same()) << "stopped at change " << at << ": " << report.different;
    EXPECT_GE(open(store)->info().fragments.size(), before);
    ++stops.resumed;
    stops.kept += before;
  }
  ADD_FAILURE() << "500 changes and no end";
  return stops;
}

}  // namespace tegula
