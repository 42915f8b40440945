// Notes which instructions move values that may be undefined: added while shadows are made, looked up for the texts
// of reports.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>

namespace bsgp::check {

class Moves {
public:
  using List = llvm::SmallVector<llvm::Value*, 2>;

  void add(const llvm::Instruction& by, llvm::Value* value) { moved_[&by].push_back(value); }
  void addPut(unsigned part, llvm::Instruction& put) { puts_[part].push_back(&put); }
  void addStore(unsigned group, llvm::Instruction& store) { stores_[group].push_back(&store); }

  // Returns the values that the instruction moved and that were not known to be set there.
  llvm::ArrayRef<llvm::Value*> by(const llvm::Instruction& by) const { return listed(moved_, &by); }
  llvm::ArrayRef<llvm::Value*> puts(unsigned part) const { return listed(puts_, part); } // of a part
  llvm::ArrayRef<llvm::Value*> stores(unsigned group) const {
    return listed(stores_, group);
  } // of arrays, of such values

private:
  template <typename Lists, typename Key> static llvm::ArrayRef<llvm::Value*> listed(const Lists& lists, Key key) {
    auto known = lists.find(key);
    return known == lists.end() ? llvm::ArrayRef<llvm::Value*>() : llvm::ArrayRef<llvm::Value*>(known->second);
  }

  llvm::DenseMap<const llvm::Instruction*, List> moved_;
  llvm::DenseMap<unsigned, List> puts_, stores_;
};

} // namespace bsgp::check
