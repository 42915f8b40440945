// Requires: what is visible outside are `bsgp_main(call, ...)` and exported functions `f(context, ...)`.
// Ensures:
//
//   define i32 @f(context, ...) {
//     gpu = call @bsgp_rt_context_on_gpu(context)      ; of bsgp_main: @bsgp_rt_call_on_gpu(call)
//     br (gpu != 0), on.gpu, on.cpu
//   on.gpu: ret (tail call @f.gpu(context, ...))
//   on.cpu: ret (tail call @f.cpu(context, ...))
//   }
//   @bsgp_program_has_gpu_code                          ; for target "auto"
#include "target/both/both_targets.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "support/check.h"
#include "target/common/verifier.h"
#include "target/cpu/machine/entry_guard.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr char kMain[] = "bsgp_main";
constexpr char kMark[] = "bsgp_program_has_gpu_code";

// A module belongs to its context; the other program was made in another.
std::unique_ptr<Module> moved(Module& module, LLVMContext& context) {
  SmallVector<char, 0> bits;
  raw_svector_ostream stream(bits);
  WriteBitcodeToFile(module, stream);
  Expected<std::unique_ptr<Module>> read =
      parseBitcodeFile(MemoryBufferRef(StringRef(bits.data(), bits.size()), "gpu"), context);
  BSGP_CHECK(bool(read), "LLVM cannot read what it wrote: %s", toString(read.takeError()).c_str());
  return std::move(*read);
}

bool isEntry(const Function& function) {
  return !function.isDeclaration() && !function.hasLocalLinkage() && function.getName() != "main";
}

std::vector<std::string> entriesOf(const Module& module) {
  std::vector<std::string> names;
  for (const Function& function : module)
    if (isEntry(function))
      names.push_back(function.getName().str());
  return names;
}

void rename(Module& module, const std::vector<std::string>& names, const char* ending) {
  for (const std::string& name : names)
    module.getFunction(name)->setName(name + ending);
}

// Variables that both programs may change: one of each. Visible only until they are linked.
std::vector<std::string> shareVariables(Module& program, Module& gpu) {
  std::vector<std::string> shared;
  for (GlobalVariable& variable : program.globals()) {
    GlobalVariable* twin = gpu.getNamedGlobal(variable.getName());
    if (variable.isConstant() || !twin || twin->isConstant() || variable.isDeclaration() ||
        variable.hasPrivateLinkage() || variable.hasAppendingLinkage())
      continue;
    shared.push_back(variable.getName().str());
    variable.setLinkage(GlobalValue::ExternalLinkage);
    twin->setLinkage(GlobalValue::ExternalLinkage);
    twin->setInitializer(nullptr);
  }
  return shared;
}

void defineChoice(Module& module, const std::string& name) {
  LLVMContext& context = module.getContext();
  Function *cpu = module.getFunction(name + ".cpu"), *gpu = module.getFunction(name + ".gpu");
  BSGP_CHECK(cpu && gpu && cpu->getFunctionType() == gpu->getFunctionType(),
             "%s is not the same function on CPU and GPU", name.c_str());
  auto* entry = Function::Create(cpu->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  entry->setAttributes(cpu->getAttributes());
  cpu->setLinkage(GlobalValue::InternalLinkage);
  gpu->setLinkage(GlobalValue::InternalLinkage);
  IRBuilder<> builder(BasicBlock::Create(context, "start", entry));
  auto* on_gpu = BasicBlock::Create(context, "on.gpu", entry);
  auto* on_cpu = BasicBlock::Create(context, "on.cpu", entry);
  const char* question = name == kMain ? "bsgp_rt_call_on_gpu" : "bsgp_rt_context_on_gpu";
  auto* type = FunctionType::get(builder.getInt32Ty(), {builder.getPtrTy()}, false);
  Value* answer = builder.CreateCall(module.getOrInsertFunction(question, type), {entry->getArg(0)});
  builder.CreateCondBr(builder.CreateIsNotNull(answer), on_gpu, on_cpu);
  builder.SetInsertPoint(on_gpu);
  forwardCall(builder, *entry, *gpu);
  builder.SetInsertPoint(on_cpu);
  forwardCall(builder, *entry, *cpu);
}

// Calls from the program's own `main` go by the choice.
void useChoice(Module& module, const std::string& name) {
  Function* cpu = module.getFunction(name + ".cpu");
  if (Function* main = module.getFunction("main"))
    cpu->replaceUsesWithIf(module.getFunction(name), [&](Use& use) {
      auto* user = dyn_cast<Instruction>(use.getUser());
      return user && user->getFunction() == main;
    });
}

void mark(Module& module) {
  auto* one = ConstantInt::get(Type::getInt32Ty(module.getContext()), 1);
  auto* variable =
      new GlobalVariable(module, one->getType(), /*isConstant=*/true, GlobalValue::WeakODRLinkage, one, kMark);
  appendToUsed(module, {variable});
}

} // namespace

void addGpuProgram(ir::Kernels& program, const ir::Kernels& gpu_program) {
  Module& module = *program.module;
  std::unique_ptr<Module> gpu = moved(*gpu_program.module, module.getContext());
  std::vector<std::string> entries = entriesOf(module);
  rename(module, entries, ".cpu");
  rename(*gpu, entries, ".gpu");
  std::vector<std::string> shared = shareVariables(module, *gpu);
  bool failed = Linker::linkModules(module, std::move(gpu));
  BSGP_CHECK(!failed, "the programs for CPU and GPU do not fit together");
  for (const std::string& name : shared)
    module.getNamedGlobal(name)->setLinkage(GlobalValue::InternalLinkage);
  for (const std::string& name : entries) {
    defineChoice(module, name);
    useChoice(module, name);
  }
  mark(module);
  checkAfter("join-targets", module);
}

} // namespace bsgp::target
