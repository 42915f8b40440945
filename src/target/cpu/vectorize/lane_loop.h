// Describes a loop over the threads of a range for the vectorizer.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace bsgp::target {

constexpr uint64_t kLargestMultiple = uint64_t(1) << 20; // nothing uses larger powers of two
uint64_t largestPowerIn(uint64_t number); // the largest power of two that divides it, up to kLargestMultiple

// Counts the iterations: `phi` is `start` in the first one and `step` more in each one after it.
struct LaneCounter {
  llvm::PHINode* phi = nullptr;
  llvm::Value* start = nullptr;
  int64_t step = 0; // of integers; bytes of addresses
  bool no_wrap = false;
  uint64_t multiple = 1; // `start` is a multiple of it, a power of two
};

// An iteration runs one thread, from the header to the latch, the only block that leaves the loop.
struct LaneLoop {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock *preheader = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr;
  llvm::SmallVector<LaneCounter, 4> counters;
  const llvm::SCEV* last_turn = nullptr; // number of iterations, less one

  bool contains(const llvm::Value* value) const {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction && loop->contains(instruction);
  }
  const LaneCounter* counter(const llvm::Value* value) const {
    for (const LaneCounter& counter : counters)
      if (counter.phi == value)
        return &counter;
    return nullptr;
  }
};

// Drops `x & 0xffffffff`, `x << 32 >> 32` and their kin if they change nothing: they would hide that a number grows
// with the rank. Irgen's conversions from 32 to 64 bits leave them. Returns true if there was one.
bool dropCuts(const LaneLoop& lanes);

// Computes the counter's value `turns` (i64) iterations after the first one.
llvm::Value* counterAfter(llvm::IRBuilder<>& builder, const LaneCounter& counter, llvm::Value* turns);

// Brings the loop, and those inside, to the form in which describeLaneLoop reads it: LLVM's simple form, and values that
// leave a loop by phis. True if that changed anything.
bool simplifyLaneLoop(llvm::Loop& loop, llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

// Nullopt, and the reason, if an iteration depends on another one, or if lanes cannot share its flow.
std::optional<LaneLoop> describeLaneLoop(llvm::Loop& loop, llvm::ScalarEvolution& evolution, std::string& reason);

} // namespace bsgp::target
