// Blocks, local memory and its lifetimes.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "irgen/emitter.h"

namespace bsgp::irgen {

namespace {

llvm::FastMathFlags flagsOf(FloatMode mode) {
  llvm::FastMathFlags flags;
  if (mode == FloatMode::Fast) { // all algebra, but a program may still ask for NaN and infinity
    flags.setFast();
    flags.setNoNaNs(false);
    flags.setNoInfs(false);
  }
  return flags;
}

} // namespace

Emitter::Emitter(ModuleEmitter& module)
    : m(module), b(module.context, llvm::ConstantFolder(), CountingInserter(count_)) {
  b.setFastMathFlags(flagsOf(module.options.fp));
}

// The library's own arithmetic is exact steps that add up to its accuracy: --fp=fast is for the program's.
void Emitter::floatRulesOf(const Function& function) {
  bool library = m.sources.ofLibrary(function.range);
  b.setFastMathFlags(library ? llvm::FastMathFlags() : flagsOf(m.options.fp));
}

void Emitter::enter(llvm::BasicBlock* block) {
  if (block->use_empty()) {
    delete block;
    b.ClearInsertionPoint();
    return;
  }
  block->insertInto(fn);
  b.SetInsertPoint(block);
}

void Emitter::jump(llvm::BasicBlock* target) {
  if (live())
    b.CreateBr(target);
  b.ClearInsertionPoint();
}

void Emitter::ensureLive() {
  if (live())
    return;
  has_dead_code_ = true;
  b.SetInsertPoint(llvm::BasicBlock::Create(m.context, "dead", fn));
}

void Emitter::finish() {
  if (has_dead_code_)
    llvm::EliminateUnreachableBlocks(*fn);
  if (fn->getSubprogram()) // each call in such a function has to have a place
    for (llvm::Instruction& instruction : llvm::instructions(*fn))
      if (llvm::isa<llvm::CallInst>(instruction) && !instruction.getDebugLoc())
        instruction.setDebugLoc(llvm::DILocation::get(m.context, 0, 0, fn->getSubprogram()));
  m.verify(*fn);
}

llvm::AllocaInst* Emitter::newAlloca(llvm::Type* type, llvm::Align align, const llvm::Twine& name) {
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  if (allocas_behind_)
    b.SetInsertPoint(entry_, std::next(allocas_behind_->getIterator()));
  else
    b.SetInsertPoint(entry_);
  llvm::AllocaInst* made = b.CreateAlloca(type, nullptr, name);
  made->setAlignment(align);
  return made;
}

void Emitter::closeScope() {
  endLifetimes(scopes_.size() - 1);
  scopes_.pop_back();
}

void Emitter::endLifetimes(size_t depth) {
  if (!live())
    return;
  for (size_t i = scopes_.size(); i > depth; --i) {
    for (llvm::AllocaInst* array : scopes_[i - 1].arrays)
      b.CreateLifetimeEnd(array);
    for (const Variable* lists : scopes_[i - 1].lists)
      endLists(lists);
  }
}

Place Emitter::temporary(const Type* type, const llvm::Twine& name) {
  return Place::memory(type, newAlloca(m.types.memory(type), llvm::Align(std::max(1u, type->align)), name));
}

Place Emitter::spilled(const Type* type, const Leaves& value) {
  Place place = temporary(type);
  store(place, value);
  return place;
}

} // namespace bsgp::irgen
