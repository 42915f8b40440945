// Puts labels in long blocks. LLVM's scheduler of instructions compares each one that writes the flags with all
// before it in its block, and does not move instructions over a label. 8000 lines of arithmetic compile in 4 s with
// labels, in 10 s without.
//
// Behind a label stand copies of the values that the instructions up to the next one use. LLVM makes one register of
// a chain x = x * 3 + y; and visits all uses of a register for each of them. 4000 such lines of ints compile in 3.3 s
// with copies, in 24 s without (threads one by one).
#pragma once

namespace llvm {
class Module;
}

namespace bsgp::target {

// Sets a label, and copies, at every few hundred instructions of a long block. To run behind all passes: others do not expect them.
void cutSchedules(llvm::Module& module);

} // namespace bsgp::target
