#include "base/fail.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

std::vector<Consolidation> plan_consolidation(const Array&, const ConsolidateOptions&) {
  fail(ErrorKind::unsupported, "consolidation is not there yet");
}
std::vector<Consolidation> consolidate(Array&, const ConsolidateOptions&) {
  fail(ErrorKind::unsupported, "consolidation is not there yet");
}
std::vector<std::string> vacuum(Array&, const VacuumOptions&) {
  fail(ErrorKind::unsupported, "vacuum is not there yet");
}

}  // namespace tegula::tiledb
