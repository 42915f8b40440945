// Short circuits and choices: control flow, or a select where both sides are cheap and harmless.
#include <optional>

#include "irgen/emitter.h"

namespace bsgp::irgen {

namespace {

// Nodes of an expression that may be computed whether it is wanted or not; more than enough when it may not.
constexpr unsigned kTooMuch = 100, kCheap = 4;

unsigned speculationCost(const Expr* e) {
  switch (e->kind) {
  case Expr::Constant:
  case Expr::Null:
  case Expr::ThreadRank:
    return 0;
  case Expr::BlockRank:
  case Expr::BlockId:
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::Var:
    return e->type->isScalar() || e->type->isPointer() || e->type->isVector() ? 1 : kTooMuch;
  case Expr::Field:
  case Expr::Swizzle:
    return speculationCost(e->a);
  case Expr::Neg:
  case Expr::Not:
  case Expr::BitNot:
    return 1 + speculationCost(e->a);
  case Expr::Cast:
    return e->type->isScalar() ? 1 + speculationCost(e->a) : kTooMuch;
  case Expr::Binary:
    if (e->type->isVector() || e->op == ast::BinaryOp::Div || e->op == ast::BinaryOp::Rem)
      return kTooMuch;
    return 1 + speculationCost(e->a) + speculationCost(e->b);
  default:
    return kTooMuch;
  }
}

} // namespace

// A program that watches itself computes only what is needed: an operand in vain might be reported.
bool Emitter::isCheap(const Expr* e) const {
  return speculationCost(e) <= (isChecked() ? 0 : kCheap);
}

void Emitter::branch(const Expr* e, llvm::BasicBlock* yes, llvm::BasicBlock* no) {
  bool is_and = e->kind == Expr::LogicalAnd;
  if (e->kind == Expr::Not)
    return branch(e->a, no, yes);
  if ((is_and || e->kind == Expr::LogicalOr) && !isCheap(e->b)) {
    llvm::BasicBlock* rest = newBlock(is_and ? "and" : "or");
    branch(e->a, is_and ? rest : yes, is_and ? no : rest);
    enter(rest);
    if (live())
      branch(e->b, yes, no);
    return;
  }
  llvm::Value* condition = scalar(e);
  std::optional<PositionScope> at;
  if (isChecked())
    at.emplace(*this, e->range);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition))
    b.CreateBr(known->isOne() ? yes : no);
  else
    b.CreateCondBr(condition, yes, no);
  b.ClearInsertionPoint();
}

Leaves Emitter::logical(const Expr* e) {
  bool is_and = e->kind == Expr::LogicalAnd;
  llvm::Value* first = scalar(e->a);
  llvm::Constant* decided = b.getInt1(!is_and);
  if (first == decided)
    return {decided};
  if (isCheap(e->b)) {
    llvm::Value* second = scalar(e->b);
    return {is_and ? b.CreateLogicalAnd(first, second) : b.CreateLogicalOr(first, second)};
  }
  llvm::BasicBlock *rest = newBlock(is_and ? "and" : "or"), *end = newBlock("end"), *from = b.GetInsertBlock();
  b.CreateCondBr(first, is_and ? rest : end, is_and ? end : rest);
  enter(rest);
  llvm::Value* second = scalar(e->b);
  llvm::BasicBlock* rest_end = b.GetInsertBlock();
  jump(end);
  enter(end);
  llvm::PHINode* phi = b.CreatePHI(m.int1(), 2);
  phi->addIncoming(decided, from);
  phi->addIncoming(second, rest_end);
  return {phi};
}

Leaves Emitter::conditional(const Expr* e) {
  if (isCheap(e->b) && isCheap(e->c)) {
    llvm::Value* condition = scalar(e->a);
    Leaves x = value(e->b), y = value(e->c);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = b.CreateSelect(condition, x[i], y[i]);
    return x;
  }
  llvm::BasicBlock *yes = newBlock("yes"), *no = newBlock("no"), *end = newBlock("end");
  branch(e->a, yes, no);
  auto arm = [&](llvm::BasicBlock* block, const Expr* result) -> std::pair<Leaves, llvm::BasicBlock*> {
    enter(block);
    if (!live())
      return {};
    Leaves v = value(result);
    llvm::BasicBlock* last = b.GetInsertBlock();
    jump(end);
    return {std::move(v), last};
  };
  auto [x, x_block] = arm(yes, e->b);
  auto [y, y_block] = arm(no, e->c);
  enter(end);
  if (!x_block || !y_block) // the condition is constant
    return x_block ? x : y;
  for (size_t i = 0; i < x.size(); ++i) {
    llvm::PHINode* phi = b.CreatePHI(x[i]->getType(), 2);
    phi->addIncoming(x[i], x_block);
    phi->addIncoming(y[i], y_block);
    x[i] = phi;
  }
  return x;
}

} // namespace bsgp::irgen
