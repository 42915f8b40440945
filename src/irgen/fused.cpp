// Fusing of products into sums (FloatMode::Contract): within one expression, here and nowhere later, so that every
// target gives the same bits.
//
//   a*b + c   fma(a, b, c)          a*b - c   fma(a, b, -c)
//   c + a*b   fma(a, b, c)          c - a*b   fma(-a, b, c)
//
// If both sides are products, the left one is fused. A product under a negation, a cast or a call is none. Operands
// are evaluated from left to right as written. A function that is strict fuses nothing.
#include "irgen/emitter.h"

namespace bsgp::irgen {

using ast::BinaryOp;

bool Emitter::isProduct(const Expr* e) const {
  return e->kind == Expr::Binary && e->op == BinaryOp::Mul && laneType(e->type)->isFloat() && !e->strict &&
         m.options.fp == FloatMode::Contract;
}

bool Emitter::fuses(BinaryOp op, const Expr* a, const Expr* b) const {
  return (op == BinaryOp::Add || op == BinaryOp::Sub) && (isProduct(a) || isProduct(b));
}

namespace {

llvm::Value* fma(Builder& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

} // namespace

Leaves Emitter::fused(BinaryOp op, const Expr* left, const Expr* right) {
  if (!isProduct(left))
    return accumulate(op, value(left), right);
  Leaves x = value(left->a), y = value(left->b), z = value(right);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = fma(b, x[i], y[i], op == BinaryOp::Sub ? b.CreateFNeg(z[i]) : z[i]);
  return x;
}

// old + a*b, old - a*b
Leaves Emitter::accumulate(BinaryOp op, const Leaves& old, const Expr* product) {
  Leaves x = value(product->a), y = value(product->b);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = fma(b, op == BinaryOp::Sub ? b.CreateFNeg(x[i]) : x[i], y[i], old[i]);
  return x;
}

} // namespace bsgp::irgen
