// Runs a compiled spawn: kernels through the JIT, one thread after another in an order of our choice, the plan step by
// step. Streams begin full of garbage and lie in memory of their own, so that a read of what was never written shows.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/TargetSelect.h>

#include "bsp_spawn.h"

namespace bsgp::test {

class Machine {
public:
  // What a require does; it may set the thread count.
  std::vector<std::function<void(Machine&)>> requires_;
  std::map<uint32_t, uint64_t> slots; // by number
  int64_t size = 0;
  uint64_t seed = 0; // 0: threads run in order

  explicit Machine(SpawnProgram& program) : plan_(program.plan()) {
    for (const plan::Kernel& kernel : plan_.kernels)
      addRunner(*program.kernels.module, kernel);
    setRank(*program.kernels.module);
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    EXPECT_FALSE(llvm::verifyModule(*program.kernels.module, &stream)) << problems;
    startJit(program);
  }

  void run() {
    for (const plan::Step& step : plan_.steps)
      execute(step);
    EXPECT_TRUE(streams_.empty()) << "a stream is not freed";
  }

private:
  static constexpr int64_t kZone = 64; // untouched bytes around a stream
  static constexpr uint8_t kGarbage = 0xC7;

  // run.K(slots): loads each argument from its 8 bytes and calls the kernel, as the targets do.
  void addRunner(llvm::Module& module, const plan::Kernel& kernel) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    auto* runner = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "run." + kernel.symbol, module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", runner));
    llvm::Function* callee = module.getFunction(kernel.symbol);
    ASSERT_EQ(callee->arg_size(), kernel.params.size());
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : callee->args())
      arguments.push_back(
          builder.CreateLoad(argument.getType(),
                             builder.CreateConstGEP1_64(builder.getInt64Ty(), runner->getArg(0), argument.getArgNo())));
    builder.CreateCall(callee, arguments);
    builder.CreateRetVoid();
  }

  static void setRank(llvm::Module& module) {
    llvm::Type* wide = llvm::Type::getInt64Ty(module.getContext());
    auto* current = new llvm::GlobalVariable(module, wide, false, llvm::GlobalValue::ExternalLinkage,
                                             llvm::ConstantInt::get(wide, 0), "current_rank");
    for (llvm::Function& function : module)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        if (ir::opOf(instruction) == ir::Op::Rank) {
          llvm::IRBuilder<> builder(&instruction);
          instruction.replaceAllUsesWith(builder.CreateLoad(instruction.getType(), current));
          instruction.eraseFromParent();
        }
  }

  void startJit(SpawnProgram& program) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    llvm::cantFail(jit_->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(program.kernels.module), std::move(program.kernels.context))));
    rank_ = llvm::cantFail(jit_->lookup("current_rank")).toPtr<int64_t*>();
    for (const plan::Kernel& kernel : plan_.kernels)
      kernels_.push_back(llvm::cantFail(jit_->lookup("run." + kernel.symbol)).toPtr<void (*)(const uint64_t*)>());
  }

  void execute(const plan::Step& step) {
    switch (step.kind) {
    case plan::Step::Superstep:
      old_size_ = size;
      return;
    case plan::Step::Require:
      return requires_.at(step.index)(*this);
    case plan::Step::Allocate: {
      ASSERT_FALSE(streams_.count(step.index)) << "allocated twice";
      streams_[step.index] = std::vector<uint8_t>(size * plan_.streams[step.index].bytes + 2 * kZone, kGarbage);
      return;
    }
    case plan::Step::Clear:
      ASSERT_TRUE(streams_.count(step.index));
      return void(std::fill(streams_[step.index].begin() + kZone, streams_[step.index].end() - kZone, 0));
    case plan::Step::Launch:
      return launch(step.index);
    case plan::Step::Free: {
      std::vector<uint8_t>& stream = streams_.at(step.index);
      for (int64_t i = 0; i < kZone; ++i)
        ASSERT_TRUE(stream[i] == kGarbage && stream[stream.size() - 1 - i] == kGarbage) << "written out of bounds";
      streams_.erase(step.index);
      return;
    }
    case plan::Step::FreeTemps:
      return;
    case plan::Step::Decide:
    case plan::Step::Branch:
    case plan::Step::Jump:
    case plan::Step::Move:
    case plan::Step::Swap:
    case plan::Step::Blocks:
      FAIL() << "the host decides nothing in these spawns";
    }
  }

  void launch(uint32_t number) {
    std::vector<uint64_t> arguments;
    for (const plan::Param& param : plan_.kernels[number].params)
      arguments.push_back(argument(param));
    std::vector<int64_t> ranks(size);
    std::iota(ranks.begin(), ranks.end(), 0);
    if (seed)
      std::shuffle(ranks.begin(), ranks.end(), std::mt19937_64(seed + number));
    for (int64_t rank : ranks) {
      *rank_ = rank;
      kernels_[number](arguments.data());
    }
  }

  uint64_t argument(const plan::Param& param) {
    switch (param.kind) {
    case plan::Param::Frame:
    case plan::Param::Append:
      return slots.at(param.index);
    case plan::Param::Stream:
      EXPECT_TRUE(streams_.count(param.index)) << "stream " << param.index << " is not allocated";
      return uint64_t(streams_[param.index].data() + kZone);
    case plan::Param::Size:
      return uint64_t(size);
    case plan::Param::OldSize:
      return uint64_t(old_size_);
    case plan::Param::Block:
      ADD_FAILURE() << "these spawns have no partition";
    }
    return 0;
  }

  const plan::Plan& plan_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  int64_t* rank_ = nullptr;
  std::vector<void (*)(const uint64_t*)> kernels_;
  std::map<uint32_t, std::vector<uint8_t>> streams_;
  int64_t old_size_ = 0;
};

} // namespace bsgp::test
