// A decoded instruction.
#pragma once

#include <cstdint>

namespace bsgp::emulator {

struct Op;
class Warp;

// Runs an instruction for the lanes in Warp::exec.
using Handler = void (*)(Warp&, const Op&);

// Operands are byte offsets in the frame of a warp, where a register (or a constant) of n bytes takes 32 * n bytes, one
// lane after the other, and a predicate 4 bytes, one bit a lane.
struct Op {
  Handler run = nullptr;
  uint32_t o[6] = {0, 0, 0, 0, 0, 0};
  uint32_t guard = 0;      // offset of a predicate
  uint32_t guard_flip = 0; // all ones: runs where the guard is false
  uint32_t aux = 0;        // what the handler wants: a modifier, a count, a target
  uint32_t number = 0;     // of the instruction's text in the kernel
  uint64_t imm = 0;        // offset of an address
};

} // namespace bsgp::emulator
