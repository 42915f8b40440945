// Values of a thread that are lines of its rank: base + rank * step. Before the threads of a launch run, it computes
// the values at the first and at the last rank, and whether the line holds in between: no sum overflowed.
#pragma once

#include <functional>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace bsgp::target {

struct RankLine {
  llvm::Value *first, *last; // i64, as signed numbers
  llvm::Value* exact;        // i1: they are these numbers
};

class RankLines {
public:
  // The code is made where `builder` stands, in another function, whose values `arguments` stand for those of the
  // thread. `size`: of the launch, i64, 1 or more.
  RankLines(llvm::IRBuilder<>& builder, llvm::DenseMap<llvm::Value*, llvm::Value*> arguments, llvm::Value* size)
      : builder_(builder), uniform_(std::move(arguments)), size_(size) {}

  // Maps other values that are the same for all threads to their copies where the code is made; null: the value is
  // none.
  void setUniform(std::function<llvm::Value*(llvm::Value&)> others) { others_ = std::move(others); }
  void set(llvm::Value* value, const RankLine& line) { lines_[value] = line; }

  // Empty: it may be any value.
  std::optional<RankLine> of(llvm::Value* value);
  std::optional<RankLine> ofOperation(const llvm::WithOverflowInst& operation); // of its result
  // Copies a value that is the same for all threads; null if it may differ.
  llvm::Value* uniform(llvm::Value* value);

private:
  std::optional<RankLine> make(llvm::Value& value);
  std::optional<RankLine> ofArithmetic(unsigned opcode, llvm::Value* left, llvm::Value* right);
  std::optional<RankLine> ofCast(llvm::CastInst& cast);
  std::optional<RankLine> ofElement(llvm::GetElementPtrInst& element);
  std::optional<RankLine> combine(unsigned opcode, const RankLine& left, const RankLine& right, unsigned bits);
  RankLine within(const RankLine& line, unsigned bits);
  RankLine constant(int64_t number);
  llvm::Value* makeUniform(llvm::Instruction& value);
  llvm::Value* both(llvm::Value* a, llvm::Value* b) { return builder_.CreateAnd(a, b); }

  llvm::IRBuilder<>& builder_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> uniform_;
  llvm::DenseMap<llvm::Value*, std::optional<RankLine>> lines_;
  llvm::Value* size_;
  std::function<llvm::Value*(llvm::Value&)> others_;
};

} // namespace bsgp::target
