// `tegula convert`: a copy in another format.
#include "app/verbs.h"
#include "run/copy_array.h"
#include "text/format_names.h"

namespace tegula::cli {

void describe_convert(Verb verb, Globals& globals) {
  auto flags = std::make_shared<CopyFlags>();
  verb.option("--to", flags->to_format, "FORMAT", fmt::format("{}, zarr (default: as the source)", known_formats()));
  flags->describe(verb);
  verb.examples(
          "  tegula convert table.bcolz table.tdb --to tiledb --verify\n"
          "  tegula convert temps temps.zarr --to zarr3 --tile 100,100")
      .run([flags, &globals] { return copy_array(*flags, globals); });
}

}  // namespace tegula::cli
