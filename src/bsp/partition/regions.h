// The blocks of a partition: parts of a kernel's control flow that have one entry and no loop inside. Ifs and switches are
// merged into the block around them; a loop begins a block of its own, and so does what stands behind it.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

namespace bsgp::bsp {

struct Region {
  std::vector<llvm::BasicBlock*> blocks; // the entry first
  std::vector<unsigned> next;            // regions behind it, ascending
  std::vector<unsigned> exits;           // their numbers
};

// A basic block at the end of a region, with a jump to another one (or to its own entry) and nothing else.
struct RegionExit {
  llvm::BasicBlock* block = nullptr;
  unsigned from = 0, to = 0;
};

struct Regions {
  std::vector<Region> all; // in the order of loopOrder
  std::vector<RegionExit> exits;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> of;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> exit_of; // the number of the exit that a basic block is
  unsigned basic_blocks = 0;                                 // of the kernel
  unsigned of_instruction(const llvm::Instruction& instruction) const { return of.lookup(instruction.getParent()); }
  llvm::BasicBlock* entry(unsigned region) const { return all[region].blocks.front(); }
};

// Gives each edge between regions a block of its own.
Regions cutIntoRegions(llvm::Function& kernel);

} // namespace bsgp::bsp
