// One kernel on its way to PTX.
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "plan/plan.h"
#include "target/common/block_regions.h"
#include "target/common/block_terms.h"

namespace bsgp::target {

// Threads cannot name constants of the host, so they name them by number: the places of asserts, the formats of printf,
// the places that are watched.
struct GpuTables {
  llvm::MapVector<llvm::Constant*, unsigned> sites, formats, checks;
  static unsigned numberOf(llvm::MapVector<llvm::Constant*, unsigned>& table, llvm::Value* constant);
};

// A kernel: first its entry, which finds out which thread this is, then the thread's own code.
struct GpuKernel {
  llvm::Function* function = nullptr;
  llvm::Value* rank = nullptr;
  llvm::Value* record = nullptr;    // bsgp_gpu_record: the threads' reports to the host
  llvm::BasicBlock* body = nullptr; // where the thread's own code begins
  llvm::BasicBlock* exit = nullptr; // returns
  bool talks = false;               // printf
  uint32_t shared_bytes = 0;        // of dynamic shared memory
  uint32_t tile = 1;                // blocks of a tile
  llvm::Value* check = nullptr;     // bsgp_gpu_check, of code that is watched
  uint32_t checks = 0, puts = 0;    // as in bsgp_gpu_kernel
  std::string name;
};

// Makes the entry of the thread function and moves its body there. `can_fail`: a launch before it may have failed.
GpuKernel buildGpuKernel(llvm::Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, std::string name,
                         bool can_fail);

// The place of a thread, computed from its thread block.
struct GpuPlace {
  llvm::Value* lane = nullptr;    // in its block, in the type of ranks
  llvm::Value* block = nullptr;   // number of its block, or of the first one of its tile; in that type
  llvm::Value* tile = nullptr;    // number of its thread block, i64
  llvm::Value* in_tile = nullptr; // its thread block runs a whole tile; null: there are none
  uint32_t block_size = 0;
};

// A thread function for blocks that have all their threads, and how many of them one thread block should run at a time.
struct GpuTile {
  llvm::Function* function = nullptr; // its arguments are the kernel's
  llvm::BasicBlock* exit = nullptr;   // returns
  BlockTerms terms;
  std::vector<Region> regions; // in order; all threads come by each of them once
  uint32_t blocks = 1;         // 1: no tiles, and no function
  uint32_t registers = 0;      // of 32 bits, for what crosses a sync
};
bool waits(const llvm::Function& function); // true if its threads wait for each other

GpuTile makeTile(llvm::Function& thread, const plan::Plan& plan, const plan::Kernel& kernel);
// Gives the kernel a path for whole tiles; the function is erased.
void addTiles(GpuKernel& kernel, GpuTile& tile, const GpuPlace& place);

// Replaces what the contract leaves in kernels: asserts, printf, syncs, operations of warps.
void lowerGpuCalls(GpuKernel& kernel, GpuTables& tables);

// Replaces the operations of src/check, before the calls. Watched code has no tiles.
bool isWatched(const llvm::Function& thread);
void lowerGpuChecks(GpuKernel& kernel, GpuTables& tables);
// Links the functions that kernels call for checks; if they call any.
void linkCheckLibrary(llvm::Module& kernels);

// Emit the operations of a warp: the value of the thread at `lane` (0 ... 31), the bits of all conditions, a sync.
llvm::Value* shuffleInWarp(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* lane);
llvm::Value* ballotInWarp(llvm::IRBuilder<>& builder, llvm::Value* condition);
void syncWarp(llvm::IRBuilder<>& builder);

// Replaces accesses for which LLVM has no instruction on this machine: those that acquire and release, fences,
// prefetches.
void lowerGpuMemory(llvm::Function& function);

// Marks the loads of device memory that nothing in the kernel writes to.
void markReadOnlyLoads(llvm::Function& function, const plan::Kernel& kernel);

// The shared variables that the function uses. Constant expressions on their addresses become instructions.
llvm::SmallVector<llvm::GlobalVariable*, 8> sharedVariables(llvm::Function& function);

// More shared variables than the compiler may place move to memory that the launch asks for.
void placeGpuSharedMemory(GpuKernel& kernel);

bool hasAsserts(const llvm::Function& function);

} // namespace bsgp::target
