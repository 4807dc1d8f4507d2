// bench_codecs: speed of each codec in raw bytes per second, beside the bare library on the same chunk and a plain
// copy. Try --benchmark_filter=blosc; the counter "ratio" is raw size over coded size, "best" the
// speed of the fastest call.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
