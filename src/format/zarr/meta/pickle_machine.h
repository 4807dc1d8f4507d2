// Interprets the few pickle opcodes and globals that occur in the metadata of zarr 0.3.0.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::zarr {

// One object of a pickle. Pointers are to objects of the same machine, which owns them; lists may contain themselves.
struct PickleNode {
  enum class Kind : std::uint8_t {
    mark,
    none,
    boolean,
    integer,
    real,
    text,
    bytes,
    sequence,
    dict,
    global,
    dtype,
    complex,
    scalar
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;                                  // boolean, integer
  bool large = false;                                        // integer: the bits are those of a uint64 above 2^63 - 1
  double real = 0, imaginary = 0;                            // real, complex
  std::u32string text;                                       // text, bytes (one per byte), global ("module name")
  std::vector<PickleNode*> items;                            // sequence
  std::vector<std::pair<PickleNode*, PickleNode*>> entries;  // dict
  Datatype type;                                             // dtype, scalar
  Bytes data;                                                // scalar

  // Text and bytes as UTF-8; throws corrupt for other kinds.
  std::string utf8() const;
  const PickleNode* find(std::string_view key) const;  // of a dict; null when absent
};

class PickleMachine {
 public:
  // Runs to the stop opcode. Throws corrupt for damage, unsupported for other opcodes and globals.
  const PickleNode& run(ByteView pickle, std::string_view name);

 private:
  PickleNode* make(PickleNode::Kind kind);
  PickleNode* pop();
  std::vector<PickleNode*> pop_to_mark();
  PickleNode* reduce(const PickleNode& global, const PickleNode& arguments);
  void build(PickleNode& object, const PickleNode& state);

  std::deque<PickleNode> nodes_;
  std::vector<PickleNode*> stack_;
  std::vector<PickleNode*> memo_;
};

}  // namespace tegula::zarr
