// The shadows of values that may be undefined: an i1 beside each, true if it was set.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "check/moves.h"
#include "check/reads.h"
#include "check/shadow_arrays.h"
#include "check/sites.h"
#include "check/undefined_values.h"
#include "ir/operations.h"
#include "ir/supersteps.h"

namespace bsgp::check {

class ShadowValues {
public:
  ShadowValues(llvm::Function& function, Sites& sites);

  bool mayBeUndefined(const llvm::Value* value) const { return undefined_.contains(value); }
  // Makes the shadows of phis before the walk; at the end of a block they get its operands.
  void beginPhis();
  void endPhis(llvm::BasicBlock& block);
  // Makes the shadow of an instruction that moves values, or of the memory that it writes; in the order of dominance.
  void visit(llvm::Instruction& instruction);
  llvm::Value* of(llvm::Value* value) const;
  const Moves& moves() const { return moves_; }
  const ShadowArrays& arrays() const { return arrays_; }
  const ir::Supersteps& steps() const { return steps_; }
  // Notes that the value was tested: up to `forget` it counts as set. False if it did before.
  bool assume(llvm::Value* value) { return tested_.insert(sourceOf(value)).second; }
  void forget(llvm::Value* value) { tested_.erase(sourceOf(value)); }
  // Asks before the update whether the old value was set.
  llvm::Value* beforeUpdate(llvm::Instruction& update);

  // Returns the address that the value was loaded from, if it need not be kept for it; else null.
  llvm::Value* placeOf(llvm::Value& value, const llvm::Instruction& user) const;

  llvm::ConstantInt* yes() const { return true_; }
  bool isMade(const llvm::Instruction& instruction) const { return made_.contains(&instruction); }
  llvm::CallInst* call(llvm::IRBuilder<>& builder, ir::Op op, llvm::ArrayRef<llvm::Value*> arguments,
                       llvm::Type* type = nullptr, llvm::Type* rank = nullptr);
  // Behind the walk: folds the shadows that turned out to be always set.
  void fold();
  // Drops unused shadows.
  void finish();

private:
  llvm::Value* note(llvm::Value* value);
  llvm::Value* moved(llvm::Value* value, llvm::Instruction& by);
  void findIds();
  llvm::Value* make(llvm::Instruction& value);
  llvm::Value* ofLoad(llvm::LoadInst& load);
  llvm::Value* ofSelect(llvm::SelectInst& select);
  llvm::Value* ofGet(llvm::CallInst& get);
  llvm::Value* ofShuffle(llvm::CallInst& shuffle);
  llvm::Value* ofParameter(llvm::CallInst& parameter);
  llvm::Value* received(llvm::CallInst& value);
  void visitStore(llvm::StoreInst& store);
  void visitExchange(llvm::Instruction& exchange);
  void visitSnapshot(llvm::CallInst& snapshot);
  void visitPut(llvm::CallInst& put);
  void setWritten(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Value* shadow);
  void setBytes(llvm::IRBuilder<>& builder, llvm::StoreInst& store, unsigned group);
  void setLanes(llvm::IRBuilder<>& builder, llvm::StoreInst& store);
  llvm::Type* shadowType(llvm::Type* type) const;
  llvm::Value* ofNumbering(llvm::IRBuilder<>& builder, ir::Op op, const llvm::Instruction& place, llvm::Type* type);
  unsigned shadowPart(unsigned part);
  void dropUnasked();

  llvm::Function& function_;
  llvm::Module& module_;
  Sites& sites_;
  ShadowArrays arrays_;
  UndefinedValues undefined_;
  ir::Supersteps steps_;
  llvm::ConstantInt *true_, *false_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> shadows_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> snapshots_; // the snapshot of the shadow, for each
  llvm::DenseSet<const llvm::Value*> tested_;
  llvm::DenseSet<const llvm::Instruction*> made_;
  std::vector<llvm::Instruction*> all_made_;
  llvm::DenseMap<unsigned, unsigned> shadow_parts_; // of puts
  Moves moves_;
  unsigned next_snapshot_ = 0, next_part_ = 0;
};

} // namespace bsgp::check
