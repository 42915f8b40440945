// Shadows of a thread's own memory: beside each array one of bytes, all ones for each byte that was set.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::check {

// Pointers that may name the same array are one group. A group that is not wholly known (a pointer is stored, or
// comes from elsewhere) has no shadow: its memory counts as set.
class ShadowArrays {
public:
  static constexpr unsigned kNone = ~0u;

  explicit ShadowArrays(llvm::Function& function);

  unsigned groupOf(const llvm::Value* pointer) const; // kNone: it has no shadow
  const std::vector<llvm::LoadInst*>& loads(unsigned group) const { return groups_[group].loads; }
  // Groups with an array that is declared without a value.
  std::vector<unsigned> unsetGroups() const;

  // Makes the shadows of a group that may hold undefined values; it is known to from here on.
  void make(unsigned group);
  bool isMade(unsigned group) const { return group != kNone && groups_[group].made; }
  // Returns the shadow's address for a pointer of such a group. It stands beside the pointer.
  llvm::Value* shadowOf(llvm::Value* pointer);
  // Drops the marks, and sets the memory that they mark to 0.
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
