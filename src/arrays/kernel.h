// A kernel: one pass over the places of a shape, as a straight line of instructions on values; and the order of kernels.
//
//   graph → schedule.h → Kernel → run.h
//
// Instructions name earlier ones by number. A kernel owns a reference to each node that it reads or makes: an evaluation frees others.
#pragma once

#include <string>
#include <vector>

#include "arrays/node.h"

namespace bsgp::arrays {

struct Instruction {
  enum Kind : uint8_t {
    Load,       // loads[index]
    Constant,   // `constant`
    Coordinate, // maps[index], an int64
    Inside,     // all of insides[index]; a bool
    Apply,      // `operation` on values of `from`
    Cast,       // of a value of `from`
    Gather,     // loads[index], at the coordinate of operand 0 along its axis
  } kind;
  bsgp_operation operation = BSGP_OP_ADD;
  bsgp_dtype type;             // of the result
  bsgp_dtype from = BSGP_BOOL; // of the operands
  int32_t operands[3] = {-1, -1, -1};
  int32_t index = 0;
  Number constant = {};
  bool operator==(const Instruction&) const = default;
};

// Elements of a computed array at the places of the kernel.
struct Load {
  NodeRef array; // computed when the kernel runs
  Shape shape;   // its values seen as
  View view;
  int32_t gathered = -1; // the axis whose coordinate is a value
  uint32_t origin = 0;   // of the gather
};

// Places in the order in which a kernel passes over them: first `outer` axes, then those that are reduced, then `inner` ones.
struct Places {
  Shape shape;
  int32_t outer = 0, reduced = 0; // the number of axes; without a reduction all are outer
  bool operator==(const Places&) const = default;
  int32_t inner() const { return shape.rank - outer - reduced; }
  int64_t outerElements() const { return shape.range(0, outer); }
  int64_t reducedElements() const { return shape.range(outer, outer + reduced); }
  int64_t innerElements() const { return shape.range(outer + reduced, shape.rank); }
};

struct Output {
  int32_t value;
  NodeRef node;
  bool is_fold; // node->fold of the value over the reduced places
};

struct Kernel {
  Places places;
  std::vector<Instruction> code;
  std::vector<Load> loads;
  std::vector<Map> maps;
  std::vector<std::vector<Inside>> insides;
  std::vector<Output> outputs;
  NodeRef alone;      // a node that is computed alone, of the loads, in place of all of that; else null
  std::string reason; // why its result is stored, for explain
};

} // namespace bsgp::arrays
