#include "app/verbs.h"

namespace tegula::cli {

void describe_run(Verb verb, Globals& globals);

const std::vector<VerbEntry>& verbs() {
  static const std::vector<VerbEntry> all = {
      {"info", "what an array is: schema, sizes, fragments, metadata", describe_info},
      {"ls", "arrays, groups and tables in a folder", describe_ls},
      {"tree", "the same, with everything below", describe_tree},
      {"fragments", "fragments of a TileDB array", describe_fragments},
      {"read", "read cells: a part, a selection, those that match a condition, or aggregates", describe_read},
      {"head", "show the first cells", describe_head},
      {"stats", "extremes, mean, nulls and a histogram of each field", describe_stats},
      {"create", "make an array, empty or from a file", describe_create},
      {"write", "write cells from a file", describe_write},
      {"append", "add rows from a file (bcolz, zarr)", describe_append},
      {"convert", "copy an array into another format or grid", describe_convert},
      {"rechunk", "copy an array into another grid of the same format", describe_rechunk},
      {"diff", "do two arrays hold the same values?", describe_diff},
      {"plot", "draw a 1-d or 2-d part, or sparse points", describe_plot},
      {"verify", "decode and check everything; exit 1 when something is damaged", describe_verify},
      {"repair", "mend what can be mended: unfinished writes, bcolz tables cut short", describe_repair},
      {"meta", "list, get, set and remove metadata", describe_meta},
      {"evolve", "add and drop attributes, enumerations, columns", describe_evolve},
      {"delete", "delete cells by a condition, or fragments by time (TileDB)", describe_delete},
      {"consolidate", "merge fragments, commits or metadata of a TileDB array", describe_consolidate},
      {"vacuum", "remove what consolidation has merged (TileDB)", describe_vacuum},
      {"upgrade", "write a later TileDB format version from now on", describe_upgrade},
      {"index", "write the names of all files beside them, for web servers, which do not list them", describe_index},
      {"group", "make groups, add and remove members", describe_group},
      {"serve", "read everything below a folder or bucket as zarr over HTTP", describe_serve},
      {"run", "run a program that was made for libtiledb on tegula", describe_run},
      {"tour", "see it all on small data, in under a minute", describe_tour},
  };
  return all;
}

}  // namespace tegula::cli
