// The form before the split, from irgen to bsp: each spawn is one function with all its supersteps (operations.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "ir/host_facts.h"
#include "plan/plan.h"
#include "support/source.h"

namespace bsgp::ir {

struct Spawn {
  llvm::Function* function = nullptr; // of the module
  SourceRange range;                  // of the spawn statement, for messages
  bool is_partition = false;          // its supersteps run block by block
  plan::Outline outline;
  struct Step {
    std::vector<uint32_t> requires_;    // run in this order before the superstep's launch; index into outline.requires_
    std::vector<plan::Site> sites;      // of each
    std::vector<uint32_t> freed_first;  // dtempnew scopes freed before its requires,
    std::vector<uint32_t> freed_scopes; // and after the superstep's launch
    plan::Site site;                    // of the superstep's first statement
    // The supersteps that may follow, from 1. If there are several, a require decides (plan::Step::Decide): edge i
    // leads to next[i].
    std::vector<uint32_t> next;
    uint32_t decides = 0; // index into outline.requires_
    plan::Site decided_at;
  };
  std::vector<Step> steps; // [0] is superstep 1
};

struct Spawns {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; // host functions too
  std::vector<Spawn> spawns;
  HostFacts facts;
};

} // namespace bsgp::ir
