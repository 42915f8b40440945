// What the phases in the middle hand on: a module, and what is known of its spawns.
#pragma once

#include <memory>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "plan/report.h"
#include "support/source.h"

namespace bsgp::ir {

// What irgen knows of one spawn beside its function.
struct Spawn {
  llvm::Function* function = nullptr;
  SourceRange range;   // of the spawn statement, for messages
  plan::Plan plan;     // name, symbol, site, rank_bits, block, size_offset, slots, requires_, supersteps filled in
  plan::Report report; // by bsp
  struct Step {
    std::vector<uint32_t> requires_;    // run in this order before the superstep's launch; index into plan.requires_
    std::vector<plan::Site> sites;      // of each
    std::vector<uint32_t> freed_scopes; // dtempnew scopes freed after the superstep's launch
    plan::Site site;                    // of the superstep's first statement
  };
  std::vector<Step> steps; // [0] is superstep 1
};

// What irgen hands on, and, with the plans filled in and the spawn functions replaced by kernels, what bsp hands on.
struct Compiled {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<Spawn> spawns;
};

} // namespace bsgp::ir
