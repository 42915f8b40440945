// Memory and synchronization close to the machine: block.sync, warps, atomics, fences, stores past the caches,
// prefetches.
#include "ir/position.h"
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;

AtomicRMWInst::BinOp operationOf(Builtin builtin, const Type* type) {
  switch (builtin) {
  case Builtin::AtomicAdd:
    return type->isFloat() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  case Builtin::AtomicMin:
    return isSigned(type) ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case Builtin::AtomicMax:
    return isSigned(type) ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case Builtin::AtomicAnd:
    return AtomicRMWInst::And;
  case Builtin::AtomicOr:
    return AtomicRMWInst::Or;
  case Builtin::AtomicXor:
    return AtomicRMWInst::Xor;
  default:
    BSGP_CHECK(builtin == Builtin::AtomicExchange, "built-in function %d is no atomic operation", int(builtin));
    return AtomicRMWInst::Xchg;
  }
}

} // namespace

Leaves DeviceEmitter::memoryCall(const Expr* e) {
  switch (e->builtin) {
  case Builtin::BlockSync:
    intrinsic(ir::Op::BlockSync, {});
    return {};
  case Builtin::WarpSync:
    intrinsic(ir::Op::WarpSync, {});
    return {};
  case Builtin::WarpBallot:
    return {intrinsic(ir::Op::WarpBallot, {scalar(e->a)})};
  case Builtin::WarpShuffle:
    return shuffle(e);
  case Builtin::TileRank:
    return {intrinsic(ir::Op::TileRank, {})};
  case Builtin::TileSize:
    return {intrinsic(ir::Op::TileSize, {})};
  case Builtin::TileId:
    return {intrinsic(ir::Op::TileId, {})};
  case Builtin::Append: {
    llvm::Value* bits = bitsOf(toStored(scalar(e->b), e->b->type));
    intrinsic(ir::Op::Append, {scalar(e->a), bits, scalar(e->c)}, bits->getType());
    return {};
  }
  case Builtin::AppendTake:
    return {intrinsic(ir::Op::AppendTake, {scalar(e->a), scalar(e->b)})};
  case Builtin::Asm:
    inlineAssembly(e);
    return {};
  case Builtin::MemoryFence:
    b.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return {};
  case Builtin::Prefetch: {
    llvm::Value* pointer = scalar(e->a);
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                      {pointer, b.getInt32(0), b.getInt32(3), b.getInt32(1)}); // read, all caches, data
    return {};
  }
  case Builtin::StoreStream:
    storeStream(e);
    return {};
  case Builtin::AtomicStore: {
    llvm::Value* pointer = accessed(e->a);
    b.CreateAlignedStore(scalar(e->b), pointer, alignmentOf(e->b->type))->setAtomic(AtomicOrdering::Release);
    return {};
  }
  default:
    return {atomic(e)};
  }
}

// Leaf by leaf, each as the bits of an i32 or i64.
Leaves DeviceEmitter::shuffle(const Expr* e) {
  Leaves values = value(e->a);
  llvm::Value* lane = scalar(e->b);
  for (llvm::Value*& v : values)
    v = shuffled(v, lane);
  return values;
}

// Converts a scalar to an integer of its size, with the same bits.
llvm::Value* DeviceEmitter::bitsOf(llvm::Value* value) {
  llvm::Type* type = value->getType();
  llvm::Type* whole = b.getIntNTy(unsigned(m.module.getDataLayout().getTypeSizeInBits(type).getFixedValue()));
  return type->isPointerTy() ? b.CreatePtrToInt(value, whole) : b.CreateBitCast(value, whole);
}

llvm::Value* DeviceEmitter::shuffled(llvm::Value* value, llvm::Value* lane) {
  llvm::Type* type = value->getType();
  llvm::Value* sent = bitsOf(value);
  llvm::Type *whole = sent->getType(), *wide = b.getIntNTy(whole->getIntegerBitWidth() > 32 ? 64 : 32);
  llvm::Value* got = intrinsic(ir::Op::WarpShuffle, {b.CreateZExt(sent, wide), lane}, wide);
  got = b.CreateTrunc(got, whole);
  return type->isPointerTy() ? b.CreateIntToPtr(got, type) : b.CreateBitCast(got, type);
}

// The pointer of an access: an address that is named there is one of an element, not one behind them.
llvm::Value* DeviceEmitter::accessed(const Expr* pointer) {
  bool is_element = isChecked() && pointer->kind == Expr::AddrOf && pointer->a->kind == Expr::Index;
  Place element = is_element ? place(pointer->a) : Place();
  return element.address ? b.CreateAddrSpaceCast(element.address, m.types.value(pointer->type)) : scalar(pointer);
}

// Only the program's own text is marked: the library knows for what it waits.
llvm::Instruction* DeviceEmitter::marked(llvm::Instruction* operation, const Expr* e) {
  if (!m.sources.ofLibrary(e->range))
    ir::markPlace(*operation, e->range);
  return operation;
}

// Operations give the old value and order nothing else; a load that sees an atomic store sees what was written before
// that.
llvm::Value* DeviceEmitter::atomic(const Expr* e) {
  llvm::Value* pointer = accessed(e->a);
  llvm::Align align = alignmentOf(e->type);
  if (e->builtin == Builtin::AtomicLoad) {
    llvm::LoadInst* load = b.CreateAlignedLoad(m.types.value(e->type), pointer, align);
    load->setAtomic(AtomicOrdering::Acquire);
    return marked(load, e);
  }
  llvm::Value* operand = scalar(e->b);
  if (e->builtin != Builtin::AtomicCas)
    return marked(
        b.CreateAtomicRMW(operationOf(e->builtin, e->type), pointer, operand, align, AtomicOrdering::Monotonic), e);
  llvm::Value* desired = scalar(e->c);
  llvm::Value* both = marked(
      b.CreateAtomicCmpXchg(pointer, operand, desired, align, AtomicOrdering::Monotonic, AtomicOrdering::Monotonic), e);
  return b.CreateExtractValue(both, 0);
}

// Vectors of two and four are one store, which may use that the place is aligned as a whole.
void DeviceEmitter::storeStream(const Expr* e) {
  const Type *type = e->b->type, *lane = laneType(type);
  llvm::Value* pointer = accessed(e->a);
  Leaves values = value(e->b);
  llvm::MDNode* mark = llvm::MDNode::get(m.context, llvm::ConstantAsMetadata::get(b.getInt32(1)));
  auto store = [&](llvm::Value* v, llvm::Value* to, llvm::Align align) {
    b.CreateAlignedStore(v, to, align)->setMetadata(llvm::LLVMContext::MD_nontemporal, mark);
  };
  if (!type->isVector() || type->count == 3) {
    for (size_t i = 0; i < values.size(); ++i)
      store(toStored(values[i], lane), offset(pointer, i * lane->size), alignmentOf(lane));
    return;
  }
  llvm::Type* vector = llvm::FixedVectorType::get(m.types.stored(lane), static_cast<unsigned>(type->count));
  llvm::Value* whole = llvm::PoisonValue::get(vector);
  for (size_t i = 0; i < values.size(); ++i)
    whole = b.CreateInsertElement(whole, toStored(values[i], lane), i);
  store(whole, pointer, llvm::Align(type->size));
}

} // namespace bsgp::irgen
