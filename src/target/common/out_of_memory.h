// A compiler that has no memory left: a sentence on the standard error, no half-written files, exit status 1.
//
// LLVM cannot be left with an error. So the process ends there, also if the compiler is embedded in another program;
// all other failures give a status in the C interface.
#pragma once

#include <cstddef>

namespace bsgp::target {

// From here on the process ends where any of its threads gets no memory, and where LLVM gives up. To be called in bsgpc
// before anything takes memory.
void endWithoutMemory() noexcept;
// The program that bsgpc runs gets std::bad_alloc, as it does when it is built.
void throwWithoutMemory() noexcept;

// While one lives, this thread is inside of LLVM.
class InLlvm {
public:
  InLlvm() noexcept;
  ~InLlvm();
  InLlvm(const InLlvm&) = delete;
  InLlvm& operator=(const InLlvm&) = delete;
};

// Bytes of this process, and the most that it may have; 0: unlimited or unknown.
struct AddressSpace {
  size_t used = 0, limit = 0;
};
AddressSpace addressSpace() noexcept;

} // namespace bsgp::target
