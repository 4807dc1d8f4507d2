// Shuffles beside memcpy on data that stays in the second-level cache.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "codec/integer/delta.h"
#include "codec/integer/double_delta.h"
#include "codec/shuffle/shuffle.h"
#include "timed.h"

namespace tegula::codec {
namespace {

constexpr std::size_t kBytes = 64 << 10;

Bytes some_bytes() {
  Bytes out(kBytes);
  std::uint32_t state = 1;
  for (std::byte& b : out) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}

void copy(benchmark::State& state) {
  const Bytes in = some_bytes();
  Bytes out(kBytes);
  bench::run_timed(state, kBytes, [&] {
    std::memcpy(out.data(), in.data(), kBytes);
    benchmark::DoNotOptimize(out.data());
  });
}
BENCHMARK(copy)->Name("transforms/memcpy");

using Transpose = void (*)(ByteView, MutableBytes, std::size_t);

template <Transpose F>
void transpose(benchmark::State& state) {
  const Bytes in = some_bytes();
  Bytes out(kBytes);
  const auto element_size = static_cast<std::size_t>(state.range(0));
  bench::run_timed(state, kBytes, [&] {
    F(in, out, element_size);
    benchmark::DoNotOptimize(out.data());
  });
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int size : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) b->Arg(size);
}
void few_sizes(benchmark::internal::Benchmark* b) {
  for (const int size : {2, 4, 8}) b->Arg(size);
}

BENCHMARK(transpose<byteshuffle>)->Name("transforms/byteshuffle")->Apply(sizes);
BENCHMARK(transpose<byteunshuffle>)->Name("transforms/byteunshuffle")->Apply(sizes);
BENCHMARK(transpose<bitshuffle_block>)->Name("transforms/bitshuffle")->Apply(sizes);
BENCHMARK(transpose<bitunshuffle_block>)->Name("transforms/bitunshuffle")->Apply(sizes);
BENCHMARK(transpose<plain::byteshuffle>)->Name("transforms/plain/byteshuffle")->Apply(few_sizes);
BENCHMARK(transpose<plain::byteunshuffle>)->Name("transforms/plain/byteunshuffle")->Apply(few_sizes);
BENCHMARK(transpose<plain::bitshuffle_block>)->Name("transforms/plain/bitshuffle")->Apply(few_sizes);
BENCHMARK(transpose<plain::bitunshuffle_block>)->Name("transforms/plain/bitunshuffle")->Apply(few_sizes);

using Encode = void (*)(ByteView, Bytes&, TypeId);
using Decode = void (*)(ByteView, MutableBytes, TypeId);

// A slow ramp of 64-bit values, as timestamps are.
template <Encode E, Decode D>
void decode_ramp(benchmark::State& state) {
  Bytes raw(kBytes), coded;
  for (std::uint64_t i = 0; i < kBytes / 8; ++i) {
    const std::uint64_t value = 1'700'000'000'000 + i * 1000 + i * i % 17;
    std::memcpy(raw.data() + 8 * i, &value, 8);
  }
  E(raw, coded, TypeId::int64);
  bench::run_timed(state, kBytes, [&] {
    D(coded, raw, TypeId::int64);
    benchmark::DoNotOptimize(raw.data());
  });
}
BENCHMARK(decode_ramp<delta_encode, delta_decode>)->Name("transforms/delta_decode");
BENCHMARK(decode_ramp<double_delta_encode, double_delta_decode>)->Name("transforms/double_delta_decode");

}  // namespace
}  // namespace tegula::codec
