#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "ir/operations.h"
#include "support/check.h"
#include "target/common/array_registers.h"
#include "target/common/leftovers.h"
#include "target/common/plan_constants.h"
#include "target/common/signs_of_zero.h"
#include "target/common/verifier.h"
#include "target/cpu/machine/machine.h"
#include "target/ptx/gpu_code.h"
#include "target/ptx/gpu_kernel.h"
#include "target/ptx/gpu_machine.h"
#include "target/ptx/gpu_module.h"

namespace bsgp::target {

using namespace llvm;

namespace {

class Lowering {
public:
  Lowering(ir::Kernels& program, const GpuOptions& options, const CpuOptions& host)
      : program_(program), module_(*program.module), options_(options), host_(host),
        machine_(createGpuMachine(options)) {}

  GpuKernels take();           // then
  void define(Constant* code); // the plans
  const GpuTables& tables() const { return tables_; }

private:
  bool canFail() const;
  void lower(const plan::Plan& plan, const plan::Kernel& kernel);
  std::string nameOf(const plan::Plan& plan, const plan::Kernel& kernel);
  void definePlans(Constant* code);

  ir::Kernels& program_;
  Module& module_;
  const GpuOptions& options_;
  const CpuOptions& host_;
  std::unique_ptr<TargetMachine> machine_;
  bool can_fail_ = false;
  GpuTables tables_;
  std::map<std::string, GpuKernel> kernels_; // by symbol: two supersteps may share one
  std::set<std::string> names_;
};

bool Lowering::canFail() const {
  for (const plan::Plan& plan : program_.plans)
    for (const plan::Kernel& kernel : plan.kernels)
      if (hasAsserts(*module_.getFunction(kernel.symbol)))
        return true;
  return false;
}

// "findFaces:12", superstep 3: findFaces_12_step3. What a profiler shows.
std::string Lowering::nameOf(const plan::Plan& plan, const plan::Kernel& kernel) {
  std::string plain = "k_";
  for (char c : plan.name)
    plain += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  plain += fmt::format("_step{}", kernel.superstep);
  std::string name = plain;
  for (unsigned i = 2; !names_.insert(name).second || module_.getNamedValue(name); ++i)
    name = fmt::format("{}_{}", plain, i);
  return name;
}

void Lowering::lower(const plan::Plan& plan, const plan::Kernel& kernel) {
  Function* thread = module_.getFunction(kernel.symbol);
  BSGP_CHECK(thread && !thread->isDeclaration(), "%s has no kernel %s", plan.symbol.c_str(), kernel.symbol.c_str());
  if (options_.opt_level >= 2 && !isWatched(*thread))
    makeArraysRegisters(*thread);
  GpuKernel made = buildGpuKernel(*thread, plan, kernel, nameOf(plan, kernel), can_fail_);
  thread->eraseFromParent();
  if (made.check)
    lowerGpuChecks(made, tables_);
  else
    markReadOnlyLoads(*made.function, kernel);
  lowerGpuCalls(made, tables_);
  lowerGpuMemory(*made.function);
  placeGpuSharedMemory(made);
  kernels_.emplace(kernel.symbol, std::move(made));
}

void Lowering::definePlans(Constant* code) {
  std::map<std::string, Constant*> constants;
  for (const plan::Plan& plan : program_.plans)
    definePlan(module_, plan, BSGP_CODE_GPU, [&](const plan::Kernel& kernel) {
      const GpuKernel& made = kernels_.at(kernel.symbol);
      Constant*& constant = constants[kernel.symbol];
      if (!constant)
        constant = defineGpuKernel(module_, code, made);
      return KernelEntry{made.name, nullptr, constant};
    });
}

// Divisions and roots of float that may be inexact.
void approximate(Module& kernels) {
  for (Function& function : kernels)
    for (Instruction& instruction : make_early_inc_range(instructions(function))) {
      auto* operation = dyn_cast<FPMathOperator>(&instruction);
      if (!operation || !operation->hasApproxFunc() || !instruction.getType()->isFloatTy())
        continue;
      IRBuilder<> builder(&instruction);
      Value* made = nullptr;
      auto* call = dyn_cast<IntrinsicInst>(&instruction);
      if (instruction.getOpcode() == Instruction::FDiv)
        made = builder.CreateIntrinsic(Intrinsic::nvvm_div_approx_f, {},
                                       {instruction.getOperand(0), instruction.getOperand(1)});
      else if (call && call->getIntrinsicID() == Intrinsic::sqrt)
        made = builder.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_f, {}, {call->getArgOperand(0)});
      if (!made)
        continue;
      instruction.replaceAllUsesWith(made);
      instruction.eraseFromParent();
    }
}

GpuKernels Lowering::take() {
  describeMachine(module_, host_);
  can_fail_ = canFail();
  for (const plan::Plan& plan : program_.plans)
    for (const plan::Kernel& kernel : plan.kernels)
      if (!kernels_.count(kernel.symbol))
        lower(plan, kernel);
  std::unique_ptr<Module> kernels = extractKernels(module_);
  for (auto& [symbol, kernel] : kernels_)
    kernel.function = nullptr; // it went with them
  ir::dropUnusedDeclarations(module_);
  dropSharedMemory(module_);
  kernels->setTargetTriple(machine_->getTargetTriple().str());
  kernels->setDataLayout(machine_->createDataLayout());
  linkCheckLibrary(*kernels);
  checkAfter("lower-kernels-to-gpu", *kernels);
  if (options_.after_pass)
    options_.after_pass("lower-kernels-to-gpu", *kernels);
  return GpuKernels(std::move(kernels), std::move(machine_), options_);
}

void Lowering::define(Constant* code) {
  definePlans(code);
  checkAfter("lower-kernels-to-gpu", module_);
}

} // namespace

GpuKernels::GpuKernels(std::unique_ptr<Module> module, std::unique_ptr<TargetMachine> machine, GpuOptions options)
    : module_(std::move(module)), machine_(std::move(machine)), options_(std::move(options)) {}
GpuKernels::GpuKernels(GpuKernels&&) = default;
GpuKernels::~GpuKernels() = default;

std::string GpuKernels::ptx() {
  auto passed = [&](const char* pass) {
    if (options_.after_pass)
      options_.after_pass(pass, *module_);
  };
  optimizeKernels(*module_, *machine_, options_);
  if (options_.approximate)
    approximate(*module_);
  keepSignsOfZero(*module_);
  checkAfter("optimize-kernels", *module_, options_.verify ? Rules::All : Rules::Ours);
  passed("optimize-kernels");
  std::string ptx = ptxOf(*module_, *machine_);
  passed("generate-ptx");
  return ptx;
}

std::string lowerKernelsToPtx(ir::Kernels& program, const GpuOptions& options, const CpuOptions& host) {
  Lowering lowering(program, options, host);
  std::string ptx = lowering.take().ptx();
  lowering.define(defineGpuCode(*program.module, ptx, options.sm, lowering.tables()));
  return ptx;
}

GpuKernels takeKernels(ir::Kernels& program, const GpuOptions& options, const CpuOptions& host) {
  Lowering lowering(program, options, host);
  GpuKernels kernels = lowering.take();
  lowering.define(defineOpenGpuCode(*program.module, options.sm, lowering.tables()));
  return kernels;
}

} // namespace bsgp::target
