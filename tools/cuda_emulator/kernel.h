// A kernel, ready to run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "op.h"

namespace bsgp::emulator {

// Registers that the machine sets.
enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  zero
};

struct SpecialSlot {
  Special special;
  uint32_t offset, bytes; // in the frame; 2, 4 or 8 bytes a lane
};

struct ConstantSlot {
  uint32_t offset, bytes; // 0 bytes: a predicate
  uint64_t value;
};

struct ParameterLayout {
  uint32_t offset, bytes;
};

struct SharedVariable {
  std::string name;
  uint32_t offset, bytes;
};

struct Kernel {
  std::string name;
  std::vector<Op> code;
  std::vector<unsigned> lines;               // of the instructions, by Op::number
  std::vector<std::string_view> texts;       // likewise
  std::vector<std::vector<uint32_t>> tables; // of brx.idx: targets
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  std::vector<ParameterLayout> parameters;
  std::vector<SharedVariable> shared; // of fixed sizes
  uint32_t frame_bytes = 0;           // of a warp
  uint32_t parameter_bytes = 0;
  uint32_t shared_bytes = 0; // static; dynamic shared memory begins there
  uint32_t local_bytes = 0;  // of a thread
  uint32_t slot_bytes = 0;   // of a thread: parameters of the functions it calls
  uint32_t register_count = 0;
  uint32_t max_threads = 1024;
  uint32_t required[3] = {0, 0, 0};
  uint32_t dynamic_limit = 48 << 10; // cuFuncSetAttribute
};

} // namespace bsgp::emulator
