// Values with long arrays in them, and values that hold lists, which have a place of their own. As lists of their
// scalars they would cost the passes more than their length, so they stay in memory and are copied by loops.
#include "irgen/emitter.h"

namespace bsgp::irgen {

namespace {

constexpr uint32_t kLongest = 64; // scalars that are copied one by one

} // namespace

bool Emitter::isLarge(const Type* type) {
  if (type->holds_lists)
    return true;
  const Shape& shape = m.types.shape(type);
  return shape.has_array && shape.count > kLongest;
}

// Returns the place of the value of an expression of a large type. The place of an lvalue may change later.
Place Emitter::inMemory(const Expr* e) {
  PositionScope at(*this, e->range);
  if (e->type->holds_lists)
    return held(e);
  switch (e->kind) {
  case Expr::Assign: {
    Place target = place(e->a);
    copy(target, inMemory(e->b));
    return target;
  }
  case Expr::Comma:
    value(e->a);
    return inMemory(e->b);
  case Expr::Call:
    return callInMemory(e);
  case Expr::Conditional:
    return chosen(e);
  case Expr::Construct:
    return constructed(e);
  default:
    if (!isLvalue(e))
      return spilled(e->type, value(e));
  }
  Place at_home = place(e);
  return at_home.kind == Place::Captured || at_home.kind == Place::Element ? materialized(at_home) : at_home;
}

// Copies the chosen operand of ?:.
Place Emitter::chosen(const Expr* e) {
  Place result = temporary(e->type);
  llvm::BasicBlock *yes = newBlock("yes"), *no = newBlock("no"), *end = newBlock("end");
  branch(e->a, yes, no);
  auto arm = [&](llvm::BasicBlock* block, const Expr* value) {
    enter(block);
    if (!live()) // the condition is constant
      return;
    copy(result, inMemory(value));
    jump(end);
  };
  arm(yes, e->b);
  arm(no, e->c);
  enter(end);
  return result;
}

Place Emitter::constructed(const Expr* e) {
  const bool by_fields = e->type->kind == TypeKind::Struct && e->args.size() == e->type->structure->fields.size();
  if (!by_fields)
    return spilled(e->type, construct(e));
  Place result = temporary(e->type);
  for (uint32_t i = 0; i < e->args.size(); ++i) {
    Place field = fieldOf(result, i);
    if (isLarge(field.type))
      copy(field, inMemory(e->args[i]));
    else
      store(field, value(e->args[i]));
  }
  return result;
}

// Copies a large value to a place of its own.
Place Emitter::copied(const Expr* e) {
  Place own = temporary(e->type);
  copy(own, inMemory(e));
  return own;
}

void Emitter::copy(const Place& to, const Place& from) {
  if (!isLarge(to.type))
    return store(to, load(from));
  if (to.kind == Place::Element)
    return writeElement(to, {from.address});
  if (to.type->isArray())
    return forEachIndex(to.type->count,
                        [&](llvm::Value* index) { copy(elementOf(to, index), elementOf(from, index)); });
  for (uint32_t i = 0; i < to.type->structure->fields.size(); ++i)
    copy(fieldOf(to, i), fieldOf(from, i));
}

void Emitter::forEachIndex(uint64_t count, llvm::function_ref<void(llvm::Value*)> each) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *body = newBlock("copy"), *end = newBlock("copied");
  b.CreateBr(body);
  enter(body);
  llvm::PHINode* index = b.CreatePHI(m.int64(), 2, "element");
  index->addIncoming(b.getInt64(0), before);
  each(index);
  llvm::Value* next = b.CreateNUWAdd(index, b.getInt64(1));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(count)), body, end);
  enter(end);
}

} // namespace bsgp::irgen
