// Requires: the entry of a kernel whose threads watch themselves. Ensures: none of the operations of src/check is left;
// where it is device memory that is watched, functions of check_library.c are called.
//
//   %q = check.access(p, base, s)   of device memory: %q = bsgp_gpu_check_access(check, rank, p, base, number of s, facts)
//                                   else, with the extent of the array: br (p - base <= extent - bytes), rest, bad
//                                   bad: bsgp_gpu_check_tell(...);  %q is then memory that does no harm
//   check.value(bad, k, v, _, s)    br bad, report, rest;  report: bsgp_gpu_check_tell(...)
//   check.is_written(p, s)          bsgp_gpu_check_is_written(check, p, bytes); of shared memory: true
//
// Threads of one block are not compared with each other: operations that order them are dropped.
#include <bit>
#include <numeric>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/check_code.h"
#include "ir/operations.h"
#include "ir/supersteps.h"
#include "plan/check_abi.h"
#include "plan/gpu_check_abi.h"
#include "support/check.h"
#include "target/common/check_sites.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

extern const char kCheckLibrary[];

namespace {

constexpr StringRef kPrefix = "bsgp_gpu_check_";
constexpr uint64_t kScratch = 64; // bytes: no access has more

bool isAtomic(const SiteFacts& site) {
  return site.access >= BSGP_ACCESS_ATOMIC_LOAD && site.access <= BSGP_ACCESS_ATOMIC_UPDATE;
}

uint64_t classOf(const SiteFacts& site) {
  return std::min<uint64_t>(site.access, BSGP_ACCESS_ATOMIC_STORE); // an update is one, too
}

class Checks {
public:
  Checks(GpuKernel& kernel, GpuTables& tables)
      : kernel_(kernel), tables_(tables), context_(kernel.function->getContext()) {}
  void lower();

private:
  void look(const CallInst& check);
  void lower(CallInst& check);
  Value* access(CallInst& check, const SiteFacts& site);
  Value* arrayAccess(CallInst& check, const SiteFacts& site);
  Value* scratch(IRBuilder<>& builder, const SiteFacts& site, Type* pointer);
  Value* isWritten(CallInst& check);
  void setWritten(CallInst& check);
  void value(CallInst& check);
  void put(CallInst& check);
  Value* call(IRBuilder<>& builder, const char* name, Type* result, ArrayRef<Value*> given);
  void tell(IRBuilder<>& builder, bsgp_gpu_told what, Value* site, Value* a, Value* b);
  Instruction* unlikely(Value* condition, Instruction* before) {
    return SplitBlockAndInsertIfThen(condition, before, /*Unreachable=*/false, ir::unlikely(context_));
  }
  unsigned numberOf(Value* site) { return GpuTables::numberOf(tables_.checks, site); }
  uint64_t factsOfAccess(const SiteFacts& site) const;

  GpuKernel& kernel_;
  GpuTables& tables_;
  LLVMContext& context_;
  unsigned shift_ = 3; // of granules
  bool may_be_ordered_ = false;
  GlobalVariable* scratch_[2] = {}; // shared memory that bad accesses reach: reads, and all others
};

Value* number(IRBuilder<>& builder, Value* pointer) {
  return pointer->getType()->isPointerTy() ? builder.CreatePtrToInt(pointer, builder.getInt64Ty()) : pointer;
}

Value* Checks::call(IRBuilder<>& builder, const char* name, Type* result, ArrayRef<Value*> given) {
  SmallVector<Value*, 8> arguments{kernel_.check};
  arguments.append(given.begin(), given.end());
  SmallVector<Type*, 8> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = kernel_.function->getParent()->getOrInsertFunction((kPrefix + name).str(),
                                                                             FunctionType::get(result, types, false));
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  return builder.CreateCall(callee, arguments);
}

Value* rankOf(IRBuilder<>& builder, const GpuKernel& kernel) {
  return builder.CreateSExt(kernel.rank, builder.getInt64Ty());
}

void Checks::tell(IRBuilder<>& builder, bsgp_gpu_told what, Value* site, Value* a, Value* b) {
  Value* zero = builder.getInt64(0);
  call(builder, "tell", builder.getVoidTy(),
       {builder.getInt64(uint64_t(what) << 32 | numberOf(site)), rankOf(builder, kernel_), a, b, zero, zero, zero});
}

// Notes for the kernel which checks all of its operations need.
void Checks::look(const CallInst& check) {
  ir::Op op = ir::opOf(check);
  if (op == ir::Op::CheckFence)
    may_be_ordered_ = true;
  if (op == ir::Op::CheckIsWritten || op == ir::Op::CheckSetWritten)
    kernel_.checks |= BSGP_GPU_WRITTEN;
  if (op == ir::Op::CheckPut)
    kernel_.puts = std::max(kernel_.puts, uint32_t(ir::constantArgument(check, 1)) + 1);
  if (op != ir::Op::CheckAccess)
    return;
  SiteFacts site = factsOf(*check.getArgOperand(2));
  if (isAtomic(site) && !(site.flags & BSGP_SITE_NO_RESULT))
    kernel_.checks |= BSGP_GPU_ATOMIC_RESULTS;
  if (site.space != BSGP_MEMORY_DEVICE)
    return;
  may_be_ordered_ |= site.access == BSGP_ACCESS_ATOMIC_LOAD;
  if (!(site.checks & BSGP_CHECK_RACE))
    return;
  kernel_.checks |= BSGP_GPU_RACES;
  shift_ = std::min(shift_, unsigned(std::countr_zero(site.bytes | site.align | 8)));
}

uint64_t Checks::factsOfAccess(const SiteFacts& site) const {
  auto bit = [](bool is_set, unsigned at) { return uint64_t(is_set) << at; };
  return site.bytes | std::max<uint64_t>(site.align, 1) << BSGP_FACT_ALIGN | uint64_t(site.access) << BSGP_FACT_ACCESS |
         classOf(site) << BSGP_FACT_CLASS | bit(site.checks & BSGP_CHECK_RACE, BSGP_FACT_RACES) |
         bit(may_be_ordered_, BSGP_FACT_MAY_BE_ORDERED) | bit(!site.is_of_library, BSGP_FACT_COUNTS);
}

Value* Checks::access(CallInst& check, const SiteFacts& site) {
  if (site.space >= BSGP_MEMORY_SHARED)
    return arrayAccess(check, site);
  IRBuilder<> builder(&check);
  Value* address =
      call(builder, "access", builder.getInt64Ty(),
           {rankOf(builder, kernel_), number(builder, check.getArgOperand(0)), number(builder, check.getArgOperand(1)),
            builder.getInt32(numberOf(check.getArgOperand(2))), builder.getInt64(factsOfAccess(site))});
  return builder.CreateIntToPtr(address, check.getType());
}

Value* Checks::scratch(IRBuilder<>& builder, const SiteFacts& site, Type* pointer) {
  bool reads = site.access == BSGP_ACCESS_READ;
  if (site.space != BSGP_MEMORY_SHARED) { // nothing writes to it
    Value* field = builder.CreateConstGEP1_64(builder.getInt8Ty(), kernel_.check, offsetof(bsgp_gpu_check, zeros));
    return builder.CreateIntToPtr(builder.CreateLoad(builder.getInt64Ty(), field), pointer);
  }
  auto* type = ArrayType::get(builder.getInt8Ty(), kScratch);
  GlobalVariable*& array = scratch_[reads];
  if (!array) {
    array = new GlobalVariable(*kernel_.function->getParent(), type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                               UndefValue::get(type), kernel_.name + (reads ? "_zeros" : "_trash"), nullptr,
                               GlobalValue::NotThreadLocal, ir::kSharedSpace);
    array->setAlignment(Align(16));
  }
  for (uint64_t at = 0; at < site.bytes; at += 8)
    builder.CreateAlignedStore(builder.getInt64(0), builder.CreateConstGEP1_64(builder.getInt8Ty(), array, at),
                               Align(8), /*isVolatile=*/true);
  return array;
}

// Checks an access to an array whose extent is known, or whose bounds the code itself guards.
Value* Checks::arrayAccess(CallInst& check, const SiteFacts& site) {
  BSGP_CHECK(site.bytes <= kScratch, "an access has %d bytes", int(site.bytes));
  IRBuilder<> builder(&check);
  Value *address = check.getArgOperand(0), *at = number(builder, address);
  Value* base = number(builder, check.getArgOperand(1));
  Value* is_told = builder.CreateICmpEQ(at, builder.getInt64(BSGP_TOLD_ADDRESS));
  Value* bad = is_told;
  if (site.extent) {
    bool fits = site.bytes <= site.extent;
    Value* outside =
        fits ? builder.CreateICmpUGT(builder.CreateSub(at, base), builder.getInt64(site.extent - site.bytes))
             : builder.getTrue();
    bad = builder.CreateOr(is_told, outside);
  }
  BasicBlock* before = check.getParent();
  Instruction* then = unlikely(bad, &check);
  if (site.extent) {
    builder.SetInsertPoint(then);
    builder.SetInsertPoint(unlikely(builder.CreateNot(is_told), then));
    tell(builder, BSGP_TOLD_OUTSIDE, check.getArgOperand(2), at, base);
  }
  builder.SetInsertPoint(then);
  Value* other = scratch(builder, site, address->getType());
  builder.SetInsertPoint(&check);
  PHINode* chosen = builder.CreatePHI(check.getType(), 2);
  chosen->addIncoming(address, before);
  chosen->addIncoming(other, then->getParent());
  return chosen;
}

Value* Checks::isWritten(CallInst& check) {
  SiteFacts site = factsOf(*check.getArgOperand(1));
  IRBuilder<> builder(&check);
  if (site.space > BSGP_MEMORY_HOST)
    return builder.getTrue();
  const char* name = site.space == BSGP_MEMORY_HOST ? "is_set" : "is_written";
  Value* bytes = builder.getInt64(site.bytes);
  return builder.CreateIsNotNull(
      call(builder, name, builder.getInt32Ty(), {number(builder, check.getArgOperand(0)), bytes}));
}

void Checks::setWritten(CallInst& check) {
  SiteFacts site = factsOf(*check.getArgOperand(2));
  if (site.space != BSGP_MEMORY_DEVICE)
    return;
  IRBuilder<> builder(&check);
  Value* written = builder.CreateZExt(check.getArgOperand(1), builder.getInt32Ty());
  call(builder, "set_written", builder.getVoidTy(),
       {number(builder, check.getArgOperand(0)), builder.getInt64(site.bytes), written});
}

void Checks::value(CallInst& check) {
  IRBuilder<> builder(unlikely(check.getArgOperand(0), &check));
  Value* kind = builder.CreateZExt(check.getArgOperand(1), builder.getInt64Ty());
  tell(builder, BSGP_TOLD_VALUE, check.getArgOperand(4), check.getArgOperand(2), kind);
}

void Checks::put(CallInst& check) {
  IRBuilder<> builder(&check);
  call(builder, "put", builder.getVoidTy(),
       {rankOf(builder, kernel_), check.getArgOperand(0), check.getArgOperand(1),
        builder.getInt32(numberOf(check.getArgOperand(2)))});
}

void Checks::lower(CallInst& check) {
  Value* result = nullptr;
  switch (ir::opOf(check)) {
  case ir::Op::CheckAccess:
    result = access(check, factsOf(*check.getArgOperand(2)));
    break;
  case ir::Op::CheckValue:
    value(check);
    break;
  case ir::Op::CheckIsWritten:
    result = isWritten(check);
    break;
  case ir::Op::CheckSetWritten:
    setWritten(check);
    break;
  case ir::Op::CheckPut:
    put(check);
    break;
  default:
    break;
  }
  if (result)
    check.replaceAllUsesWith(result);
  check.eraseFromParent();
}

void Checks::lower() {
  SmallVector<CallInst*, 64> checks;
  for (Instruction& instruction : instructions(*kernel_.function))
    if (ir::isCheck(ir::opOf(instruction)))
      checks.push_back(cast<CallInst>(&instruction));
  kernel_.checks = BSGP_GPU_CHECKED;
  for (CallInst* check : checks)
    look(*check);
  kernel_.checks |= shift_ << BSGP_GPU_SHIFT;
  for (CallInst* check : checks)
    lower(*check);
}

} // namespace

bool isWatched(const Function& thread) {
  return any_of(instructions(thread),
                [](const Instruction& instruction) { return ir::isCheck(ir::opOf(instruction)); });
}

void lowerGpuChecks(GpuKernel& kernel, GpuTables& tables) {
  Checks(kernel, tables).lower();
}

void linkCheckLibrary(Module& kernels) {
  if (none_of(kernels, [](const Function& function) { return function.getName().starts_with(kPrefix); }))
    return;
  SMDiagnostic problem;
  std::unique_ptr<Module> library = parseAssemblyString(kCheckLibrary, problem, kernels.getContext());
  BSGP_CHECK(library, "check_library.ll: %s", problem.getMessage().str().c_str());
  library->setTargetTriple(kernels.getTargetTriple());
  library->setDataLayout(kernels.getDataLayout());
  bool failed = Linker::linkModules(kernels, std::move(library));
  BSGP_CHECK(!failed, "the functions for checks cannot be linked");
  for (Function& function : kernels)
    if (function.getName().starts_with(kPrefix))
      function.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace bsgp::target
