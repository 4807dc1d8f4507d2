// `tegula rechunk`: a copy with other tiles or filters.
#include "app/verbs.h"
#include "base/fail.h"
#include "run/copy_array.h"

namespace tegula::cli {

void describe_rechunk(Verb verb, Globals& globals) {
  auto flags = std::make_shared<CopyFlags>();
  flags->describe(verb);
  verb.examples(
          "  tegula rechunk temps finer --tile 16,16\n"
          "  tegula rechunk temps smaller --filters zstd:19 --verify")
      .run([flags, &globals] {
        if (flags->tile.empty() && flags->filters.empty() && !flags->format_version)
          fail(ErrorKind::invalid_argument, "what should change? --tile, --filters or --format-version");
        return copy_array(*flags, globals);
      });
}

}  // namespace tegula::cli
