// Labels in long blocks. LLVM's scheduler of instructions compares each one that writes the flags with all before it in its block,
// and does not move instructions over a label. 8000 lines of arithmetic compile in 4 s with labels, in 10 s without.
#pragma once

namespace llvm {
class Module;
}

namespace bsgp::target {

// Sets a label at every few hundred instructions of a long block. To run behind all passes: others do not expect them.
void cutSchedules(llvm::Module& module);

} // namespace bsgp::target
