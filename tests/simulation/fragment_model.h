// The model of a TileDB array: which writes a reader may see, and what it then sees.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tegula::simulation {

// The cells that a reader found: values by coordinate. Several values of a coordinate only where duplicates are
// allowed.
using Cells = std::multimap<std::uint64_t, std::int32_t>;

struct ModelWrite {
  std::uint64_t time = 0;  // its timestamp, no other has the same
  std::map<std::uint64_t, std::int32_t> cells;
  std::uint64_t begun = 0;                 // steps
  std::optional<std::uint64_t> committed;  // when the call returned; none: it is under way, or failed and may count
};

// Every value belongs to one write, so that a cell says whose it is.
class FragmentModel {
 public:
  // How writes meet in a cell: `duplicates`: all are there. `merged`: the later time wins, but a write that is
  // committed while or after later ones are merged lies above the merge, whose cells have no times of their own (dense
  // arrays).
  enum class Rule : std::uint8_t { latest, duplicates, merged };
  explicit FragmentModel(Rule rule) : rule_(rule) {}

  std::size_t begin(ModelWrite write);
  void commit(std::size_t write, std::uint64_t step) { writes_[write].committed = step; }

  // A reader that began at one step and ended at another sees every write that had returned before, and of the others
  // each as a whole or not at all. Returns what is wrong with its answer, or nothing.
  std::string fault_in(const Cells& answer, std::uint64_t began, std::uint64_t ended) const;

 private:
  // May a reader see `value` in a cell, of all that the writes it sees put there?
  bool may_win(std::uint64_t cell, std::int32_t value, const std::vector<const ModelWrite*>& seen) const;

  const Rule rule_;
  std::vector<ModelWrite> writes_;
};

}  // namespace tegula::simulation
