// Segments → machine code, in vectors, by LLVM's code generator alone: what there is to optimize the graph has done.
#pragma once

#include <memory>

#include "arrays/compiled/segment.h"

namespace bsgp::arrays {

// values: the addresses of the inputs, then of the outputs, for the first place. A number's is that of its one value. count: at least
// CompiledSegment::width. Outputs overlap no inputs.
using SegmentCode = void (*)(const void* const* values, int64_t count);

struct CompiledSegment {
  std::shared_ptr<void> owner; // of the code
  SegmentCode run = nullptr;
  int32_t width = 0;
};

// An object file. Fails where LLVM cannot make code for this machine.
Result<std::string> generateSegment(const Segment& segment);
Result<CompiledSegment> linkSegment(const Segment& segment, const std::string& object);

// The kind of machine that code is made for.
std::string machineOfCode();

} // namespace bsgp::arrays
