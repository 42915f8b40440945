// Borders in long stretches of code without a branch. LLVM's scheduler of instructions compares each one that writes the flags
// with all before it in its block: 8000 lines of arithmetic took it 15 s. It does not move instructions over a label.
#pragma once

namespace llvm {
class Module;
}

namespace bsgp::target {

// Sets a label at every few hundred instructions of a long block. To run behind all passes: others do not expect them.
void cutSchedules(llvm::Module& module);

} // namespace bsgp::target
