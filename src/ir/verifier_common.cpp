#include "ir/verifier_common.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace bsgp::ir {

using namespace llvm;

namespace {

constexpr unsigned kFrameArgument = 2; // of bsgp_rt_run(call, plan, frame)

} // namespace

std::string violationAt(const Instruction& where, std::string_view what) {
  std::string text;
  raw_string_ostream(text) << where;
  return fmt::format("{}:{}", what, text);
}

std::string inFunction(const Function& function, const std::string& violation) {
  return violation.empty() ? violation : fmt::format("{}: {}", function.getName().str(), violation);
}

std::string violationOfLlvm(const Function& function) {
  std::string text;
  raw_string_ostream stream(text);
  return verifyFunction(function, &stream) ? text : std::string();
}

std::string violationInFrame(const Module& module, const plan::Outline& plan) {
  const GlobalValue* constant = module.getNamedValue(plan.symbol);
  if (!constant) // it is never run
    return "";
  std::vector<plan::FrameSlot> slots = plan.slots;
  slots.push_back({"thread.size", plan.size_offset, 8});
  if (std::any_of(plan.supersteps.begin(), plan.supersteps.end(), [](auto& step) { return step.next.size() > 1; }))
    slots.push_back({"decision", plan.decision_offset, 4});
  for (const User* user : constant->users()) {
    auto* run = dyn_cast<CallInst>(user);
    if (!run || run->arg_size() <= kFrameArgument)
      continue;
    auto* frame = dyn_cast<AllocaInst>(run->getArgOperand(kFrameArgument));
    auto bytes = frame ? frame->getAllocationSize(module.getDataLayout()) : std::nullopt;
    if (!bytes)
      return inFunction(*run->getFunction(), violationAt(*run, "the frame is none of the function's variables"));
    for (const plan::FrameSlot& slot : slots)
      if (uint64_t(slot.offset) + slot.bytes > bytes->getFixedValue())
        return inFunction(*run->getFunction(), fmt::format("{} of {} is at {} of a frame of {} bytes", slot.name,
                                                           plan.name, slot.offset, bytes->getFixedValue()));
  }
  return "";
}

std::string violationOutside(const Module& module, const FunctionSet& ours) {
  for (const Function& callee : module)
    if (callee.getName().starts_with("bsgp."))
      for (const User* user : callee.users())
        if (auto* call = dyn_cast<Instruction>(user); call && !ours.count(call->getFunction()))
          return inFunction(*call->getFunction(), violationAt(*call, "a call of ours outside of spawns and kernels"));
  return "";
}

} // namespace bsgp::ir
