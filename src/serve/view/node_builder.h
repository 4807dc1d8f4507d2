// Adds fields to a node; what dense and sparse arrays have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/view/field_types.h"
#include "serve/view/node.h"

namespace tegula::serve {

// One axis of served arrays.
struct Axis {
  std::string name;
  std::uint64_t extent = 0, chunk = 1;
};

// Cells of the field itself in a box of the axes that it shares with the others.
using FieldCells = std::function<Column(const CellBox& box, const Work& work)>;

class NodeBuilder {
 public:
  NodeBuilder(const Schema& schema, const NodeOptions& options) : schema_(schema), options_(options) {}

  // The field as an array over `axes` and those inside of its cells; with nulls also NAME__valid, with an enumeration
  // also NAME__values. What cannot be served is noted.
  void add(const std::string& name, const Attribute& field, const std::vector<Axis>& axes, const FieldCells& cells,
           const CellSource& like);
  // The single array of a node. Throws unsupported.
  std::shared_ptr<const ServedArray> single(const Attribute& field, const std::vector<Axis>& axes,
                                            const FieldCells& cells, const CellSource& like, Json attributes) const;
  // Coordinates along an axis: low, low + 1, ...
  void add_coordinates(const Dimension& dimension, const Axis& axis, std::uint64_t low);
  void leave_out(const std::string& name, const std::string& why) { left_out_[name] = why; }

  Node take(Json attributes);

 private:
  void add_array(const std::string& name, const Schema& schema, Json attributes, CellSource source);
  void add_valid(const std::string& name, const Attribute& field, const std::vector<Axis>& axes,
                 const FieldCells& cells, const CellSource& like);
  void add_values(const std::string& name, const Enumeration& enumeration);

  const Schema& schema_;
  const NodeOptions& options_;
  Node node_;
  Json left_out_ = Json::object();
};

// Chunks of at most about 4 MiB: clients hold whole chunks.
void limit_chunks(std::vector<Axis>& axes, std::uint64_t cell_bytes);

// A group for the cells of a sparse array, which is read once.
Node sparse_node(const std::shared_ptr<const Array>& array, const NodeOptions& options);

}  // namespace tegula::serve
