// Lvalues: finding their places, and loading and storing them scalar by scalar.
#include "ir/names.h"
#include "ir/unset.h"
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

Place Emitter::place(const Expr* e) {
  switch (e->kind) {
  case Expr::Var:
    return variable(e);
  case Expr::Field:
    return fieldOf(place(e->a), e->index);
  case Expr::Swizzle:
    return lanesOf(place(e->a), e);
  case Expr::Deref:
    return Place::memory(e->type, scalar(e->a));
  case Expr::Index:
    if (e->a->kind == Expr::DListData) {
      return listElement(e);
    } else if (e->a->type->isPointer()) {
      llvm::Value* pointer = scalar(e->a);
      return Place::memory(e->type, element(pointer, e->type, indexValue(e->b)));
    } else {
      Place base = place(e->a);
      llvm::Value* index = indexValue(e->b);
      PositionScope at(*this, e->range);
      return elementOf(base, index);
    }
  case Expr::ThreadSize:
    return specialPlace(e);
  default:
    return e->type->holds_lists ? held(e) : spilled(e->type, value(e));
  }
}

Place Emitter::listElement(const Expr* e) {
  llvm::Value* pointer = scalar(e->a);
  return Place::memory(e->type, element(pointer, e->type, indexValue(e->b)));
}

// ---- parts of a place
namespace {

template <class List> void keepOnly(List& list, uint32_t first, uint32_t count) {
  list.erase(list.begin(), list.begin() + first);
  list.resize(count);
}

} // namespace

Place Emitter::fieldOf(const Place& base, uint32_t index) {
  const StructField& field = base.type->structure->fields[index];
  Place part = base;
  part.type = field.type;
  uint32_t first = m.types.shape(base.type).starts[index], count = m.types.leafCount(field.type);
  switch (base.kind) {
  case Place::Memory:
    part.address = offset(base.address, field.offset);
    part.align = llvm::commonAlignment(base.align, field.offset);
    break;
  case Place::Scattered:
  case Place::Known:
    keepOnly(part.leaves, first, count);
    break;
  case Place::Captured:
    keepOnly(part.numbers, first, count);
    break;
  case Place::Element:
    part.part = b.CreateAdd(base.part, b.getInt64(field.offset));
    break;
  }
  return part;
}

Place Emitter::lanesOf(const Place& base, const Expr* swizzle) {
  if (base.kind == Place::Memory && swizzle->lane_count == 1) {
    uint64_t bytes = swizzle->lanes[0] * base.type->element->size;
    Place lane = Place::memory(swizzle->type, offset(base.address, bytes));
    lane.align = llvm::commonAlignment(base.align, bytes);
    return lane;
  }
  Place part = base;
  part.type = swizzle->type;
  if (base.kind == Place::Element)
    return elementLanes(part, base, swizzle);
  part.leaves.clear(), part.numbers.clear();
  if (base.kind == Place::Memory)
    part.kind = Place::Scattered, part.bool_bytes = true;
  for (unsigned i = 0; i < swizzle->lane_count; ++i) {
    unsigned lane = swizzle->lanes[i];
    if (base.kind == Place::Memory)
      part.leaves.push_back(offset(base.address, lane * base.type->element->size));
    else if (base.kind == Place::Captured)
      part.numbers.push_back(base.numbers[lane]);
    else
      part.leaves.push_back(base.leaves[lane]);
  }
  return part;
}

// The place of lanes of a vector in an element of a list.
Place Emitter::elementLanes(Place part, const Place& base, const Expr* swizzle) {
  part.numbers.clear();
  for (unsigned i = 0; i < swizzle->lane_count; ++i)
    part.numbers.push_back(base.numbers.empty() ? swizzle->lanes[i] : base.numbers[swizzle->lanes[i]]);
  if (swizzle->lane_count > 1)
    return part;
  part.part = b.CreateAdd(base.part, b.getInt64(part.numbers[0] * swizzle->type->size));
  part.numbers.clear();
  return part;
}

namespace {

// True if it is all of a variable: accesses to the variable are compared with its extent.
bool isWhole(const Place& array, const llvm::DataLayout& layout) {
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(array.address))
    return layout.getTypeAllocSize(variable->getAllocatedType()) == array.type->size;
  auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(array.address);
  return variable && layout.getTypeAllocSize(variable->getValueType()) == array.type->size;
}

// Moves a bad index so far away that its access is known to be a mistake.
llvm::Value* farAway(Builder& b, llvm::Value* bad, llvm::Value* index, const Type* element) {
  return b.CreateSelect(bad, b.getInt64(BSGP_CHECK_FAR / std::max(1u, element->size) + 1), index);
}

} // namespace

// Returns the place of an element of an array or of a lane of a vector. In a program that watches itself, an array
// that is a part of something else has bounds of its own.
Place Emitter::elementOf(const Place& base, llvm::Value* index) {
  const Type* type = base.type->element;
  bool is_part = base.kind == Place::Memory && !isWhole(base, m.module.getDataLayout());
  if (isChecked() && (is_part || base.kind == Place::Element)) {
    llvm::Value* bad = b.CreateICmpUGE(index, b.getInt64(base.type->count));
    if (!llvm::isa<llvm::Constant>(bad)) {
      checkValue(bad, BSGP_VALUE_INDEX, index, base.type->count);
      index = farAway(b, bad, index, type);
    }
  }
  if (base.kind == Place::Memory)
    return Place::memory(type, element(base.address, type, index));
  Place part = base;
  part.type = type;
  if (base.kind == Place::Element) {
    llvm::Value* number = base.numbers.empty() ? index : b.getInt64(base.numbers[0]);
    for (size_t i = 1; i < base.numbers.size(); ++i)
      number = b.CreateSelect(b.CreateICmpEQ(index, b.getInt64(i)), b.getInt64(base.numbers[i]), number);
    part.numbers.clear();
    part.part = b.CreateAdd(base.part, b.CreateMul(number, b.getInt64(type->size)));
    return part;
  }
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (known && known->getValue().ult(base.type->count)) {
    uint32_t count = m.types.leafCount(type), first = static_cast<uint32_t>(known->getZExtValue()) * count;
    if (base.kind == Place::Captured)
      keepOnly(part.numbers, first, count);
    else
      keepOnly(part.leaves, first, count);
    return part;
  }
  if (base.kind == Place::Captured)
    return elementOf(materialized(base), index);
  if (isChecked())
    checkValue(b.CreateICmpUGE(index, b.getInt64(base.type->count)), BSGP_VALUE_INDEX, index, base.type->count);
  part.lane = index;
  return part;
}

// ---- memory
llvm::Value* Emitter::offset(llvm::Value* address, uint64_t bytes) {
  return bytes ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, bytes) : address;
}

llvm::Value* Emitter::element(llvm::Value* address, const Type* type, llvm::Value* index) {
  return b.CreateInBoundsGEP(m.types.memory(type), address, index);
}

llvm::Value* Emitter::indexValue(const Expr* e) {
  llvm::Value* index = scalar(e);
  return isSigned(e->type) ? b.CreateSExt(index, m.int64()) : b.CreateZExt(index, m.int64());
}

llvm::Value* Emitter::toStored(llvm::Value* value, const Type* scalar) {
  return scalar->isBool() ? b.CreateZExt(value, m.int8()) : value;
}

llvm::Value* Emitter::fromStored(llvm::Value* value, const Type* scalar) {
  return scalar->isBool() ? b.CreateTrunc(value, m.int1()) : value;
}

llvm::Value* Emitter::loadScalar(llvm::Value* address, const Type* scalar, bool bool_byte) {
  if (scalar->isBool() && !bool_byte)
    return b.CreateLoad(m.int1(), address);
  return fromStored(b.CreateAlignedLoad(m.types.stored(scalar), address, alignmentOf(scalar)), scalar);
}

void Emitter::storeScalar(llvm::Value* address, llvm::Value* value, const Type* scalar, bool bool_byte) {
  if (scalar->isBool() && !bool_byte)
    b.CreateStore(value, address);
  else
    b.CreateAlignedStore(toStored(value, scalar), address, alignmentOf(scalar));
}

// Loads a scalar of a place in memory. It gets the alignment that follows from the whole, by which accesses of
// neighbours may become one.
llvm::Value* Emitter::loadLeaf(const Place& place, const Leaf& leaf) {
  llvm::Align align = llvm::commonAlignment(place.align, leaf.offset);
  llvm::Value* address = offset(place.address, leaf.offset);
  return fromStored(b.CreateAlignedLoad(m.types.stored(leaf.type), address, align), leaf.type);
}

void Emitter::storeLeaf(const Place& place, const Leaf& leaf, llvm::Value* value) {
  llvm::Align align = llvm::commonAlignment(place.align, leaf.offset);
  b.CreateAlignedStore(toStored(value, leaf.type), offset(place.address, leaf.offset), align);
}

static bool isMaybeUnset(const llvm::Value* parameter) {
  auto* made = llvm::dyn_cast<llvm::Instruction>(parameter);
  return made && made->hasMetadata(ir::kMayBeUnset);
}

// In a program that watches itself, reports point at the place that reads a value.
llvm::Value* Emitter::readHere(llvm::Value* known) {
  if (!isChecked() || !llvm::isa<llvm::Instruction>(known) || known->getType()->isPointerTy())
    return known;
  auto* read = llvm::cast<llvm::Instruction>(b.CreateFreeze(known));
  read->setMetadata(ir::kRead, llvm::MDNode::get(m.context, {}));
  return read;
}

Leaves Emitter::load(const Place& place) {
  if (place.kind == Place::Element)
    return readElement(place);
  if (place.lane) { // a lane found at run time: all are read, one is chosen
    llvm::Value* chosen = nullptr;
    for (size_t i = 0; i < place.leaves.size(); ++i) {
      llvm::Value* lane =
          place.kind == Place::Known ? place.leaves[i] : loadScalar(place.leaves[i], place.type, place.bool_bytes);
      chosen = chosen ? b.CreateSelect(b.CreateICmpEQ(place.lane, b.getInt64(i)), lane, chosen) : lane;
    }
    return {chosen};
  }
  const std::vector<Leaf>& leaves = m.types.leaves(place.type);
  Leaves result;
  for (size_t i = 0; i < leaves.size(); ++i)
    switch (place.kind) {
    case Place::Memory:
      result.push_back(loadLeaf(place, leaves[i]));
      break;
    case Place::Scattered:
      result.push_back(loadScalar(place.leaves[i], leaves[i].type, place.bool_bytes));
      break;
    case Place::Known:
      result.push_back(readHere(place.leaves[i]));
      break;
    case Place::Captured:
      result.push_back(captured(place, static_cast<uint32_t>(i)));
      if (isMaybeUnset(result.back()))
        result.back() = readHere(result.back());
      break;
    case Place::Element:
      break;
    }
  return result;
}

// Names a value that has no better name like the variable it is assigned to: the tables name the values that cross a
// barrier.
void Emitter::nameAfter(llvm::Value* value, llvm::StringRef variable) {
  if (llvm::isa<llvm::Instruction>(value) && !value->hasName())
    value->setName(variable + "~");
}

// Only host code has such values.
Place Emitter::held(const Expr* e) {
  BSGP_CHECK(false, "a value of type '%s' in device code", typeName(e->type).c_str());
  __builtin_unreachable();
}

Leaves Emitter::readElement(const Place&) {
  BSGP_CHECK(false, "an element of a list is read in device code as if it were host code");
  __builtin_unreachable();
}

void Emitter::writeElement(const Place&, const Leaves&) {
  BSGP_CHECK(false, "an element of a list is written in device code as if it were host code");
}

void Emitter::store(const Place& place, const Leaves& value) {
  BSGP_CHECK(place.kind != Place::Known, "an assignment to a variable that is never assigned to");
  BSGP_CHECK(place.kind != Place::Captured, "device code assigns to the host variable '%s'",
             std::string(place.variable->name).c_str());
  if (place.kind == Place::Element)
    return writeElement(place, value);
  if (place.lane) {
    for (size_t i = 0; i < place.leaves.size(); ++i) {
      llvm::Value* old = loadScalar(place.leaves[i], place.type, place.bool_bytes);
      llvm::Value* here = b.CreateICmpEQ(place.lane, b.getInt64(i));
      storeScalar(place.leaves[i], b.CreateSelect(here, value[0], old), place.type, place.bool_bytes);
    }
    return;
  }
  const std::vector<Leaf>& leaves = m.types.leaves(place.type);
  BSGP_CHECK(leaves.size() == value.size(), "a value of %zu scalars for the type '%s'", value.size(),
             typeName(place.type).c_str());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (place.kind == Place::Memory) {
      storeLeaf(place, leaves[i], value[i]);
    } else {
      if (place.leaves[i]->getName().contains('~'))
        nameAfter(value[i], ir::sourceName(*place.leaves[i]));
      storeScalar(place.leaves[i], value[i], leaves[i].type, place.bool_bytes);
    }
  }
}

// Returns the address of an lvalue as a pointer of the given type. The place one behind the last element of an array
// has one, too.
llvm::Value* Emitter::address(const Expr* lvalue, const Type* pointer) {
  if (isChecked() && lvalue->kind == Expr::Index && lvalue->a->type->isArray()) {
    Place array = place(lvalue->a);
    llvm::Value* index = indexValue(lvalue->b);
    if (array.kind == Place::Captured)
      array = materialized(array);
    PositionScope at(*this, lvalue->range);
    llvm::Value* bad = b.CreateICmpUGT(index, b.getInt64(array.type->count));
    if (!llvm::isa<llvm::Constant>(bad) && !isWhole(array, m.module.getDataLayout())) {
      checkValue(bad, BSGP_VALUE_INDEX, index, array.type->count);
      index = farAway(b, bad, index, lvalue->type);
    }
    return b.CreateAddrSpaceCast(element(array.address, lvalue->type, index), m.types.value(pointer));
  }
  Place at = place(lvalue);
  if (at.kind == Place::Captured)
    at = materialized(at);
  BSGP_CHECK(at.kind == Place::Memory, "the address of an lvalue that is no memory is taken");
  return b.CreateAddrSpaceCast(at.address, m.types.value(pointer));
}

} // namespace bsgp::irgen
