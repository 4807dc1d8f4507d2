#include "verbs.h"

namespace tegula::cli {

const std::vector<VerbEntry>& verbs() {
  static const std::vector<VerbEntry> all = {
      {"read", "read cells: a part, a selection, those that match a condition, or aggregates", describe_read},
      {"head", "show the first cells", describe_head},
  };
  return all;
}

}  // namespace tegula::cli
