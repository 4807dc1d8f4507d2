#include "capi/core/stats.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "capi/core/context.h"
#include "capi/core/text.h"

namespace tegula::capi {

namespace {

struct Figures {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
};
std::atomic<bool> enabled = false;
Figures reads, writes;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// The form of libtiledb's documents, with its names for what is counted.
std::string document() {
  std::string timers, counters;
  const auto add = [&](const char* name, const Figures& figures) {
    if (figures.count == 0) return;
    timers += fmt::format("{}\n    \"Context.Query.{}.dowork.sum\": {:.9f}", timers.empty() ? "" : ",", name,
                          static_cast<double>(figures.nanoseconds) / 1e9);
    counters += fmt::format("{}\n    \"Context.Query.{}.loop_num\": {}", counters.empty() ? "" : ",", name,
                            figures.count.load());
  };
  add("Reader", reads);
  add("Writer", writes);
  return fmt::format("{{\n  \"timers\": {{{}\n  }},\n  \"counters\": {{{}\n  }}\n}}\n", timers, counters);
}

std::string documents() { return "[\n" + document() + "]\n"; }

std::int32_t print_to(std::FILE* file) {
  return enter_bare(nullptr, [&] {
    const std::string text = documents();
    std::fwrite(text.data(), 1, text.size(), file ? file : stdout);
  });
}

}  // namespace

Counted::Counted(bool write) : write_(write), begun_(enabled ? now() : 0) {}

Counted::~Counted() {
  if (begun_ == 0) return;
  Figures& figures = write_ ? writes : reads;
  ++figures.count;
  figures.nanoseconds += now() - begun_;
}

TEGULA_CAPI std::int32_t tiledb_stats_enable() {
  enabled = true;
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_stats_disable() {
  enabled = false;
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_stats_is_enabled(std::uint8_t* is) {
  return enter_bare(nullptr, [&] { out(is) = enabled ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_stats_reset() {
  for (Figures* figures : {&reads, &writes}) figures->count = 0, figures->nanoseconds = 0;
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_stats_dump_str(char** text) {
  return enter_bare(nullptr, [&] { out(text) = malloc_text(documents()); });
}

TEGULA_CAPI std::int32_t tiledb_stats_raw_dump_str(char** text) {
  return enter_bare(nullptr, [&] { out(text) = malloc_text(documents()); });
}

TEGULA_CAPI std::int32_t tiledb_stats_dump(std::FILE* file) { return print_to(file); }
TEGULA_CAPI std::int32_t tiledb_stats_raw_dump(std::FILE* file) { return print_to(file); }

TEGULA_CAPI std::int32_t tiledb_stats_free_str(char** text) {
  if (text) std::free(*text), *text = nullptr;
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_ctx_get_stats(ContextHandle* context, char** text) {
  return enter(context, [&](const auto&) { out(text) = malloc_text(document()); });
}

// Of all queries: they are not counted one by one.
TEGULA_CAPI std::int32_t tiledb_query_get_stats(ContextHandle* context, const void* query, char** text) {
  return enter(context, [&](const auto&) {
    if (!is_live(query, "query")) refuse("C API: Invalid TileDB query object");
    out(text) = malloc_text(document());
  });
}

}  // namespace tegula::capi
