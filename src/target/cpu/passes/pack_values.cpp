// Requires: loops over threads run in the order of ranks; an append of a vector has a mask of the lanes that append.
// Ensures: the place where the next value goes is in a register while the function runs, and in memory when it returns.
//
//   call @bsgp.append.i32(to, v, keep)    =>   store v, at;  at += keep ? 4 : 0
//   call @bsgp.append.v8i32(to, v, keep)  =>   store pack(v, keep), at;  at += 4 * popcount(keep)
//   x = call @bsgp.append.take(to, n)     =>   x = at;  at += n
//
// A whole vector is stored, whatever is kept: what is behind the last value is written over by the next ones. `pack` moves
// the kept lanes to the front. AVX-512 compresses in a register: compressing to memory is microcode on some processors.
// AVX2 and SSSE3 permute eight parts of a vector by a table that the mask's bits choose an entry of. Elsewhere lanes are
// stored one after the other.
#include "target/cpu/passes/pack_values.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kParts = 8; // that a table entry orders
constexpr char kTable[] = "bsgp.packing";

// The instructions by which the machine can move lanes.
struct Packing {
  bool compress_wide = false;  // lanes of 4 and 8 bytes
  bool compress_all = false;   // of 1 and 2, too
  bool permute_wide = false;   // by a table, eight parts of 4 bytes
  bool permute_narrow = false; // ... of 1 and 2 bytes
};

Packing packingOf(const TargetMachine& machine, const Function& function) {
  Packing packing;
  if (!machine.getTargetTriple().isX86())
    return packing;
  const TargetSubtargetInfo& subtarget = *machine.getSubtargetImpl(function);
  packing.compress_wide = subtarget.checkFeatures("+avx512vl");
  packing.compress_all = packing.compress_wide && subtarget.checkFeatures("+avx512vbmi2");
  packing.permute_wide = subtarget.checkFeatures("+avx2");
  packing.permute_narrow = subtarget.checkFeatures("+ssse3");
  return packing;
}

// Entry m: the numbers of the bits of m, in order, one in each byte.
GlobalVariable& tableIn(Module& module) {
  if (GlobalVariable* known = module.getNamedGlobal(kTable))
    return *known;
  SmallVector<uint64_t, 256> entries;
  for (unsigned mask = 0; mask != 1u << kParts; ++mask) {
    uint64_t entry = 0;
    for (unsigned bit = 0, at = 0; bit != kParts; ++bit)
      if (mask >> bit & 1)
        entry |= uint64_t(bit) << 8 * at++;
    entries.push_back(entry);
  }
  Constant* value = ConstantDataArray::get(module.getContext(), entries);
  auto* table = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, kTable);
  table->setAlignment(Align(64));
  return *table;
}

class Packer {
public:
  Packer(Function& function, Packing packing)
      : function_(function), packing_(packing), builder_(function.getContext()),
        pointer_(PointerType::get(function.getContext(), ir::kDeviceSpace)) {}

  void run(ArrayRef<CallInst*> calls) {
    for (CallInst* call : calls) {
      builder_.SetInsertPoint(call);
      place_ = placeOf(*call->getArgOperand(0));
      if (ir::opOf(*call) == ir::Op::AppendTake)
        take(*call);
      else
        append(call->getArgOperand(1), call->getArgOperand(2));
      call->eraseFromParent();
    }
    writeBack();
    SmallVector<AllocaInst*, 4> variables;
    for (auto& [to, variable] : places_)
      variables.push_back(variable);
    DominatorTree dominators(function_);
    PromoteMemToReg(variables, dominators);
  }

private:
  // ---- the place where the next value goes

  AllocaInst* placeOf(Value& to) {
    BSGP_CHECK(isa<Argument>(to), "%s appends to what is no parameter", function_.getName().str().c_str());
    AllocaInst*& variable = places_[&to];
    if (!variable) {
      BasicBlock& entry = function_.getEntryBlock();
      IRBuilder<> builder(&entry, entry.begin());
      variable = builder.CreateAlloca(pointer_, nullptr, "appended");
      builder.CreateStore(builder.CreateLoad(pointer_, &to), variable);
    }
    return variable;
  }

  void writeBack() {
    for (BasicBlock& block : function_)
      if (auto* end = dyn_cast<ReturnInst>(block.getTerminator()))
        for (auto& [to, variable] : places_) {
          IRBuilder<> builder(end);
          builder.CreateStore(builder.CreateLoad(pointer_, variable), to);
        }
  }

  // Stores, and moves the place by so many bytes.
  void put(Value* value, Value* bytes, uint64_t align) {
    Value* at = builder_.CreateLoad(pointer_, place_);
    builder_.CreateAlignedStore(value, at, Align(align));
    builder_.CreateStore(builder_.CreatePtrAdd(at, bytes), place_);
  }

  void take(CallInst& call) {
    Value* at = builder_.CreateLoad(pointer_, place_);
    call.replaceAllUsesWith(builder_.CreatePtrToInt(at, builder_.getInt64Ty()));
    builder_.CreateStore(builder_.CreatePtrAdd(at, call.getArgOperand(1)), place_);
  }

  // ---- values

  void append(Value* values, Value* keep) {
    auto bytes = unsigned(values->getType()->getScalarSizeInBits() / 8);
    if (!values->getType()->isVectorTy())
      return put(values, times(builder_.CreateZExt(keep, builder_.getInt64Ty()), bytes), bytes);
    if (bytes >= 4 ? packing_.compress_wide : packing_.compress_all)
      return inPieces(values, keep, piecesToCompress(*values, bytes), &Packer::compress);
    if (bytes >= 4 && packing_.permute_wide)
      return inPieces(values, keep, kParts * 4 / bytes, &Packer::permuteWide);
    if (packing_.permute_narrow)
      return inPieces(values, keep, bytes == 1 ? kParts : kParts * 2 / bytes, &Packer::permuteNarrow);
    oneByOne(values, keep, bytes);
  }

  Value* times(Value* count, unsigned bytes) { return builder_.CreateMul(count, builder_.getInt64(bytes), "", true); }

  // How many lanes fill a register, of all of them or more.
  static unsigned piecesToCompress(Value& values, unsigned bytes) {
    unsigned lanes = cast<FixedVectorType>(values.getType())->getNumElements();
    return std::clamp(lanes, 16 / bytes, 64 / bytes);
  }

  // `lanes` at a time; where there are fewer, others that are not kept fill them up.
  void inPieces(Value* values, Value* keep, unsigned lanes, void (Packer::*pack)(Value*, Value*)) {
    unsigned all = cast<FixedVectorType>(values->getType())->getNumElements();
    for (unsigned first = 0; first < all; first += lanes) {
      SmallVector<int, 64> which;
      for (unsigned lane = first; lane != first + lanes; ++lane)
        which.push_back(int(std::min(lane, all)));
      (this->*pack)(builder_.CreateShuffleVector(values, PoisonValue::get(values->getType()), which),
                    builder_.CreateShuffleVector(keep, Constant::getNullValue(keep->getType()), which));
    }
  }

  void compress(Value* values, Value* keep) {
    Type* type = values->getType();
    auto bytes = unsigned(type->getScalarSizeInBits() / 8);
    Value* packed = builder_.CreateIntrinsic(Intrinsic::x86_avx512_mask_compress, {type},
                                             {values, Constant::getNullValue(type), keep});
    put(packed, times(countOf(keep), bytes), bytes);
  }

  void permuteWide(Value* values, Value* keep) {
    Type* parts = FixedVectorType::get(builder_.getInt32Ty(), kParts);
    auto bytes = unsigned(values->getType()->getScalarSizeInBits() / 8);
    Value* bits = bitsOfParts(keep, bytes, 4);
    Value* order = builder_.CreateZExt(entryOf(bits), parts);
    Value* packed =
        builder_.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {builder_.CreateBitCast(values, parts), order});
    put(packed, times(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), 4), bytes);
  }

  // Parts of two bytes, or of one where lanes are no larger.
  void permuteNarrow(Value* values, Value* keep) {
    auto bytes = unsigned(values->getType()->getScalarSizeInBits() / 8);
    unsigned part = std::min(bytes, 2u);
    Value* bits = bitsOfParts(keep, bytes, part);
    Value *order = entryOf(bits), *first = builder_.CreateMul(order, ConstantInt::get(order->getType(), part));
    Value* second = builder_.CreateAdd(first, ConstantInt::get(order->getType(), 1));
    constexpr int kPairs[] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
    constexpr int kAll[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Type* whole = FixedVectorType::get(builder_.getInt8Ty(), 16);
    Value* lanes =
        part == 1 ? builder_.CreateShuffleVector(values, values, kAll) : builder_.CreateBitCast(values, whole);
    Value* packed =
        builder_.CreateIntrinsic(Intrinsic::x86_ssse3_pshuf_b_128, {},
                                 {lanes, builder_.CreateShuffleVector(first, second, part == 1 ? kAll : kPairs)});
    if (part == 1) // half of it
      packed = builder_.CreateExtractElement(
          builder_.CreateBitCast(packed, FixedVectorType::get(builder_.getInt64Ty(), 2)), uint64_t(0));
    put(packed, times(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), part), bytes);
  }

  void oneByOne(Value* values, Value* keep, unsigned bytes) {
    unsigned lanes = cast<FixedVectorType>(values->getType())->getNumElements();
    for (unsigned lane = 0; lane != lanes; ++lane) {
      Value* kept = builder_.CreateZExt(builder_.CreateExtractElement(keep, lane), builder_.getInt64Ty());
      put(builder_.CreateExtractElement(values, lane), times(kept, bytes), bytes);
    }
  }

  // ---- masks

  Value* countOf(Value* keep) {
    unsigned lanes = cast<FixedVectorType>(keep->getType())->getNumElements();
    Value* bits = builder_.CreateBitCast(keep, builder_.getIntNTy(lanes));
    return builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, builder_.CreateZExt(bits, builder_.getInt64Ty()));
  }

  // A bit for each of the kParts parts that lanes have together, as i64.
  Value* bitsOfParts(Value* keep, unsigned lane_bytes, unsigned part_bytes) {
    if (lane_bytes > part_bytes) {
      Value* lanes = builder_.CreateSExt(
          keep, FixedVectorType::get(builder_.getIntNTy(8 * lane_bytes), kParts * part_bytes / lane_bytes));
      Type* parts = FixedVectorType::get(builder_.getIntNTy(8 * part_bytes), kParts);
      keep = builder_.CreateICmpSLT(builder_.CreateBitCast(lanes, parts), Constant::getNullValue(parts));
    }
    return builder_.CreateZExt(builder_.CreateBitCast(keep, builder_.getInt8Ty()), builder_.getInt64Ty());
  }

  Value* entryOf(Value* bits) {
    GlobalVariable& table = tableIn(*function_.getParent());
    Value* place = builder_.CreateInBoundsGEP(table.getValueType(), &table, {builder_.getInt64(0), bits});
    return builder_.CreateLoad(FixedVectorType::get(builder_.getInt8Ty(), kParts), place);
  }

  Function& function_;
  const Packing packing_;
  IRBuilder<> builder_;
  PointerType* pointer_;
  MapVector<Value*, AllocaInst*> places_; // by the parameter that leads to a bsgp_append
  AllocaInst* place_ = nullptr;           // of the call that is being replaced
};

} // namespace

void packValues(Module& module, const TargetMachine& machine) {
  for (Function& function : module) {
    SmallVector<CallInst*, 8> calls;
    for (Instruction& instruction : instructions(function))
      if (ir::appends(ir::opOf(instruction)))
        calls.push_back(cast<CallInst>(&instruction));
    if (!calls.empty())
      Packer(function, packingOf(machine, function)).run(calls);
  }
  ir::dropUnusedDeclarations(module);
}

} // namespace bsgp::target
