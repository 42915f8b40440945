// How a value changes from one lane of a block to the next, or from one turn of a loop to the next.
#pragma once

#include <functional>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::target {

struct Shape {
  enum Kind {
    Same,       // does not change
    Linear,     // by `step`
    NearSame,   // seldom: rank / n
    NearLinear, // mostly by a small number: rank % n
    Other,
  };
  Kind kind = Other;
  int64_t step = 0; // of integers; bytes of addresses

  static Shape linear(int64_t step) { return step ? Shape{Linear, step} : Shape{Same, 0}; }
};

class Shapes {
public:
  // `given` knows the values where to begin: what changes by itself, and what does not change.
  Shapes(const llvm::DataLayout& layout, std::function<std::optional<Shape>(const llvm::Value&)> given)
      : layout_(layout), given_(std::move(given)) {}
  Shape of(const llvm::Value& value);

private:
  Shape compute(const llvm::Instruction& instruction);
  Shape address(const llvm::GetElementPtrInst& address);
  Shape phi(const llvm::PHINode& phi);

  const llvm::DataLayout& layout_;
  std::function<std::optional<Shape>(const llvm::Value&)> given_;
  llvm::DenseMap<const llvm::Value*, Shape> known_;
};

} // namespace bsgp::target
