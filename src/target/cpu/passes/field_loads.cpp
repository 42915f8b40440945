#include "target/cpu/passes/field_loads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint64_t kFieldBytes = 4;
constexpr unsigned kDeviceMemory = 1; // an address space
constexpr unsigned kFarthest = 64;    // instructions from a block's end back to the load that is looked for

struct Field {
  Value* element;  // points to a whole element
  Type* structure; // null: unknown, as of the first element of all
  int64_t offset;
};

Field fieldOf(Value* pointer, const DataLayout& layout) {
  APInt offset(64, 0);
  Value* element = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/false);
  auto* place = dyn_cast<GetElementPtrInst>(element);
  bool is_indexed = place && place->getNumIndices() == 1 && isa<StructType>(place->getSourceElementType());
  return {element, is_indexed ? place->getSourceElementType() : nullptr, offset.getSExtValue()};
}

bool areNeighbours(const Field& a, const Field& b) {
  return a.element == b.element && std::abs(a.offset - b.offset) == int64_t(kFieldBytes);
}

bool isWithin(const Field& field, Type* structure, const DataLayout& layout) {
  int64_t size = int64_t(layout.getTypeAllocSize(structure).getFixedValue());
  return field.offset >= 0 && field.offset + int64_t(kFieldBytes) <= size;
}

bool isOfField(const LoadInst& load) {
  return load.isSimple() && load.getPointerAddressSpace() == kDeviceMemory && !load.getType()->isVectorTy() &&
         !load.getType()->isPointerTy() && load.getDataLayout().getTypeStoreSize(load.getType()) == kFieldBytes;
}

// Returns the load of a field beside this one, in the block before `end`'s terminator, with no writes behind it.
LoadInst* neighbourBefore(BasicBlock& end, const Field& field) {
  unsigned seen = 0;
  for (BasicBlock* block = &end; block; block = block->getSinglePredecessor())
    for (Instruction& instruction : reverse(*block)) {
      if (instruction.mayWriteToMemory() || ++seen > kFarthest)
        return nullptr;
      auto* load = dyn_cast<LoadInst>(&instruction);
      if (load && isOfField(*load) && areNeighbours(field, fieldOf(load->getPointerOperand(), end.getDataLayout())))
        return load;
    }
  return nullptr;
}

// The load, behind its neighbour.
LoadInst* loadBehind(LoadInst& neighbour, const LoadInst& load, const Field& field) {
  IRBuilder<> builder(neighbour.getNextNode());
  Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), field.element, uint64_t(field.offset));
  auto* moved = cast<LoadInst>(load.clone());
  moved->setOperand(LoadInst::getPointerOperandIndex(), place);
  moved->dropUnknownNonDebugMetadata(); // its metadata may hold only at its old place
  builder.Insert(moved, load.getName());
  return moved;
}

// How a load's block is entered.
struct Way {
  BasicBlock* from;
  LoadInst* neighbour; // null: none
  Field field;
};

Way wayFrom(BasicBlock& from, Value* pointer) {
  Field field = fieldOf(pointer, from.getDataLayout());
  return {&from, neighbourBefore(from, field), field};
}

// All are of one field, of elements of one type.
bool areAlike(ArrayRef<Way> ways, const DataLayout& layout) {
  auto known = find_if(ways, [](const Way& way) { return way.field.structure; });
  return known != ways.end() && all_of(ways, [&](const Way& way) {
           Field beside = fieldOf(way.neighbour->getPointerOperand(), layout);
           return way.field.offset == known->field.offset && isWithin(way.field, known->field.structure, layout) &&
                  isWithin(beside, known->field.structure, layout);
         });
}

SmallVector<Way, 4> waysTo(LoadInst& load) {
  BasicBlock* block = load.getParent();
  SmallVector<Way, 4> ways;
  auto* choice = dyn_cast<PHINode>(load.getPointerOperand());
  BasicBlock* single = block->getSinglePredecessor();
  if (!single && (!choice || choice->getParent() != block))
    return {};
  unsigned count = single ? 1 : choice->getNumIncomingValues();
  for (unsigned i = 0; i != count; ++i) {
    ways.push_back(single ? wayFrom(*single, load.getPointerOperand())
                          : wayFrom(*choice->getIncomingBlock(i), choice->getIncomingValue(i)));
    if (!ways.back().neighbour)
      return {};
  }
  return areAlike(ways, load.getDataLayout()) ? ways : SmallVector<Way, 4>();
}

// Moves a load in front of which its block writes nothing.
bool moves(LoadInst& load) {
  if (!isOfField(load))
    return false;
  SmallVector<Way, 4> ways = waysTo(load);
  if (ways.empty())
    return false;
  IRBuilder<> builder(&load.getParent()->front());
  PHINode* value = builder.CreatePHI(load.getType(), ways.size(), load.getName());
  DenseMap<BasicBlock*, Value*> known; // a block may be entered from another one twice
  for (const Way& way : ways) {
    Value*& moved = known[way.from];
    if (!moved)
      moved = loadBehind(*way.neighbour, load, way.field);
    value->addIncoming(moved, way.from);
  }
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses FieldLoadsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (BasicBlock& block : function)
    for (Instruction& instruction : make_early_inc_range(block)) {
      if (instruction.mayWriteToMemory())
        break;
      if (auto* load = dyn_cast<LoadInst>(&instruction))
        changed |= moves(*load);
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::target
