// Finds the base of a pointer that is chosen at run time: by a condition, or iteration by iteration.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ValueHandle.h>

namespace bsgp::check {

// Beside each phi or select of pointers stands one of their bases, of their offsets, of their extents:
//
//   %p = phi ptr [%a, ..], [%next, ..]         %p.base = %a                  the phi of %a and itself is %a
//   %next = gep ptr %p, %i                     %p.offset = phi i64 [0, ..], [%next.offset, ..]
//
// The function is to have its scalar variables as SSA values.
class Origins {
public:
  explicit Origins(const llvm::DataLayout& layout) : layout_(layout) {}
  // Returns an array of a thread or block, a parameter, or a loaded pointer, in the pointer's type.
  llvm::Value* base(llvm::Value* pointer) { return of(pointer, Part::Base); }
  // i64: bytes from the base.
  llvm::Value* offset(llvm::Value* pointer) { return of(pointer, Part::Offset); }
  // i64: bytes of the array; kUnknown if it is no array that the function shows.
  llvm::Value* extent(llvm::Value* pointer) { return of(pointer, Part::Extent); }
  static constexpr uint64_t kUnknown = ~uint64_t(0);

  // Returns all arrays, parameters and loaded pointers that the pointer may come from.
  llvm::SmallVector<const llvm::Value*, 4> roots(llvm::Value* pointer) const;
  // Returns their extents, each once.
  llvm::SmallVector<uint64_t, 4> extents(llvm::Value* pointer) const;

  // Drops phis whose operands are all the same: after the last query, when the results have users.
  void simplify();

private:
  enum class Part { Base, Offset, Extent };
  using Question = std::pair<llvm::Value*, unsigned>;

  llvm::Value* of(llvm::Value* pointer, Part part);
  llvm::Value* ofRoot(llvm::Value* root, Part part);
  llvm::Value* ofPhi(llvm::PHINode& phi, Part part);
  llvm::Value* ofSelect(llvm::SelectInst& select, Part part);
  llvm::Value* behind(llvm::GEPOperator& step, llvm::Value* offset);

  uint64_t extentOf(const llvm::Value& root) const;

  const llvm::DataLayout& layout_;
  llvm::DenseMap<Question, llvm::WeakTrackingVH> known_;
  llvm::SmallVector<llvm::WeakTrackingVH, 8> joins_; // phis made here
};

} // namespace bsgp::check
