#include "run/written_part.h"

#include "convert/written_boxes.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

void leave_out_the_unwritten(Query& query, const Array& array) {
  const Schema& schema = array.schema();
  if (schema.sparse || !capabilities(array).fragments || query.select || !query.ranges.empty()) return;
  double cells = 1;
  for (const std::uint64_t extent : schema.shape()) cells *= static_cast<double>(extent);
  const std::optional<std::vector<Range>> written = cells > kLargeDomain ? array.info().non_empty_domain : std::nullopt;
  for (std::size_t i = 0; written && i < written->size(); ++i)
    query.ranges.push_back({schema.dimensions[i].name, {(*written)[i]}});
}

}  // namespace tegula::cli
