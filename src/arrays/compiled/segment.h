// Arithmetic of a kernel that is compiled: instructions after each other whose values stay in registers.
//
//   kernel.h → Segments → code.h
//
// The folder `compiled` takes instructions of a kernel, and gives functions over blocks of places that do the same as the loops one by
// one, to the bit. Loads, borders, sin, cos, tan, divisions of integers and complex numbers stay with the
// loops.
#pragma once

#include "arrays/kernel.h"

namespace bsgp::arrays {

// Whether it is a function of math.bsgp on this type.
bool isMathFunction(bsgp_operation operation, bsgp_dtype type);

// Its text is the key: equal texts are the same code. Inputs come first, then instructions, which name values by their place in that
// order; numbers are inputs, too.
struct Segment {
  struct Operation {
    Instruction::Kind kind; // Apply or Cast
    bsgp_operation operation;
    bsgp_dtype from, type;
    int32_t operands[3];
  };
  std::vector<bsgp_dtype> inputs;
  std::vector<bool> is_number; // of inputs: one value for all places
  std::vector<Operation> operations;
  std::vector<int32_t> outputs; // values that others read

  std::vector<int32_t> reads, writes, members; // the kernel's instructions that the inputs, outputs and operations are
  std::string text() const;
  int cost() const; // of all operations for a place, in additions
};

// The steps of a block: instructions that loops do, and segments, in an order in which each can be done.
struct Steps {
  struct Step {
    int32_t instruction = -1; // by a loop; -1: the segment
    int32_t segment = -1;
  };
  std::vector<Step> steps;
  std::vector<Segment> segments;
};
Steps stepsOf(const Kernel& kernel);

} // namespace bsgp::arrays
