// Memory of a thread's own, and which of its bytes were set: an array of bytes beside each, all ones where that is so.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::check {

// Pointers that may name the same array are one group. A group of which not all is seen (a pointer is stored, or comes
// from elsewhere) has no shadow: what it holds counts as set.
class ShadowArrays {
public:
  static constexpr unsigned kNone = ~0u;

  explicit ShadowArrays(llvm::Function& function);

  unsigned groupOf(const llvm::Value* pointer) const; // kNone: it has no shadow
  const std::vector<llvm::LoadInst*>& loads(unsigned group) const { return groups_[group].loads; }
  // Groups with an array that is declared without a value.
  std::vector<unsigned> unsetGroups() const;

  // From here on it is known which groups hold what nobody may have set; the shadows of these are made.
  void make(unsigned group);
  bool isMade(unsigned group) const { return group != kNone && groups_[group].made; }
  // Of a pointer of such a group. Stands where the pointer does.
  llvm::Value* shadowOf(llvm::Value* pointer);
  // The marks go, and what they mark is 0.
  void finish();

private:
  struct Group {
    std::vector<llvm::AllocaInst*> arrays;
    std::vector<llvm::LoadInst*> loads;
    bool escapes = false, unset = false, made = false;
  };
  void follow(llvm::AllocaInst& array, unsigned group);
  unsigned visit(llvm::Use& use, unsigned group);
  unsigned find(unsigned group) const;
  void unite(unsigned a, unsigned b);
  void closeJoins();
  void makeArray(llvm::AllocaInst& array);
  llvm::Value* made(llvm::Instruction& pointer);

  llvm::Function& function_;
  mutable std::vector<unsigned> parents_; // of groups that were united
  std::vector<Group> groups_;
  llvm::DenseMap<const llvm::Value*, unsigned> pointers_;
  llvm::SmallVector<llvm::Instruction*, 8> joins_; // phis and selects among them
  llvm::SmallVector<llvm::CallInst*, 8> marks_;    // bsgp.check.unset
  llvm::DenseMap<const llvm::Value*, llvm::Value*> shadows_;
};

} // namespace bsgp::check
