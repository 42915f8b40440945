// A compiler that has no memory left: a sentence on the standard error, no half-written files, exit status 1.
//
// There is no way back out of LLVM. So the process ends there, also where the compiler is embedded in another program;
// everything else that the C interface does gives a status.
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
