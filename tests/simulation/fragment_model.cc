#include "simulation/fragment_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace tegula::simulation {

std::size_t FragmentModel::begin(ModelWrite write) {
  writes_.push_back(std::move(write));
  return writes_.size() - 1;
}

bool FragmentModel::may_win(std::uint64_t cell, std::int32_t value, const std::vector<const ModelWrite*>& seen) const {
  const auto wrote = [&](const ModelWrite* write) { return write->cells.contains(cell); };
  const auto winner = std::find_if(seen.begin(), seen.end(), [&](const ModelWrite* write) {
    return wrote(write) && write->cells.at(cell) == value;
  });
  return winner != seen.end() && std::none_of(winner + 1, seen.end(), [&](const ModelWrite* later) {
           const bool before = (*winner)->committed && *(*winner)->committed < later->begun;
           return wrote(later) && (rule_ != Rule::merged || before);
         });
}

std::string FragmentModel::fault_in(const Cells& answer, std::uint64_t began, std::uint64_t ended) const {
  const auto shows = [&](const ModelWrite& write) {
    return std::any_of(write.cells.begin(), write.cells.end(), [&](const auto& cell) {
      const auto [first, last] = answer.equal_range(cell.first);
      return std::any_of(first, last, [&](const auto& found) { return found.second == cell.second; });
    });
  };
  std::vector<const ModelWrite*> seen;
  for (const ModelWrite& write : writes_) {
    const bool before = write.committed && *write.committed <= began;
    if (before || (write.begun <= ended && shows(write))) seen.push_back(&write);
  }
  std::sort(seen.begin(), seen.end(), [](const ModelWrite* a, const ModelWrite* b) { return a->time < b->time; });
  std::multimap<std::uint64_t, std::int32_t> written;
  for (const ModelWrite* write : seen) written.insert(write->cells.begin(), write->cells.end());
  for (const auto& [at, value] : written) {
    const std::size_t found = answer.count(at);
    if (found != (rule_ == Rule::duplicates ? written.count(at) : 1))
      return fmt::format("cell {} shows {} times", at, found);
  }
  for (const auto& [at, value] : answer) {
    const auto [first, last] = written.equal_range(at);
    const auto same = [v = value](const auto& cell) { return cell.second == v; };
    if (std::count_if(first, last, same) != 1) return fmt::format("cell {} shows {}, which nobody wrote", at, value);
    if (rule_ != Rule::duplicates && !may_win(at, value, seen))
      return fmt::format("cell {} shows {}, although another write is later", at, value);
    const auto [begin, end] = answer.equal_range(at);
    if (std::count_if(begin, end, same) != 1) return fmt::format("cell {} shows {} more than once", at, value);
  }
  return {};
}

}  // namespace tegula::simulation
