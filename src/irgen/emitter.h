// Emits the statements and expressions of one LLVM function. Code for both host and device stands here, spread over
// files by construct; variables, calls, division, output and the statements of supersteps differ, and are left to
// HostEmitter and DeviceEmitter.
//
// Evaluation is left to right. A block that ends (break, return) leaves no insertion point: live() is false and
// statements are skipped until something branches to a block again.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ir/operations.h"
#include "ir/unset.h"
#include "irgen/module_emitter.h"
#include "irgen/place.h"
#include "irgen/unset_variables.h"
#include "plan/check_abi.h"
#include "sema/sema.h"

namespace bsgp::irgen {

// Counts the instructions that it inserts: the size of device code is limited.
class CountingInserter : public llvm::IRBuilderDefaultInserter {
public:
  explicit CountingInserter(uint64_t& count) : count_(&count) {}
  void InsertHelper(llvm::Instruction* instruction, const llvm::Twine& name,
                    llvm::BasicBlock::iterator at) const override {
    ++*count_;
    IRBuilderDefaultInserter::InsertHelper(instruction, name, at);
  }

private:
  uint64_t* count_;
};

using Builder = llvm::IRBuilder<llvm::ConstantFolder, CountingInserter>;

class Emitter {
public:
  explicit Emitter(ModuleEmitter& module);
  virtual ~Emitter() = default;

  // values.cpp
  Leaves value(const Expr* e);
  Leaves plainValue(const Expr* e);
  llvm::Value* scalar(const Expr* e) { return value(e).front(); }

  // places.cpp
  Place place(const Expr* lvalue);
  Leaves load(const Place& place);
  void store(const Place& place, const Leaves& value);

  // conditions.cpp
  void branch(const Expr* condition, llvm::BasicBlock* yes, llvm::BasicBlock* no);

  // statements.cpp
  void stmt(const Stmt* s);
  void plainStmt(const Stmt* s);
  void stmts(std::span<Stmt* const> list);

protected:
  // These differ between host and device.
  virtual Place variable(const Expr* var) = 0; // of a Var
  // makes room for a variable whose declaration is reached
  virtual Place declare(const Variable* variable) = 0;
  virtual void begin(const Variable* variable, const Leaves& value); // declares it with its first value
  virtual Leaves call(const Expr* e) = 0;
  virtual Place callInMemory(const Expr* e) = 0; // returns the place of a large result
  virtual llvm::Value* divide(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y,
                              SourceRange range) = 0;
  virtual Leaves print(const Expr* e) = 0;
  virtual Leaves check(const Expr* e) = 0;       // assert
  virtual Leaves special(const Expr* e) = 0;     // expressions and builtins of one side only
  virtual void special(const Stmt* s) = 0;       // statements of one side only
  virtual Place specialPlace(const Expr* e) = 0; // ThreadSize
  virtual void returnFrom(const Stmt* s) = 0;
  virtual bool hasPositions() const { return false; }
  virtual bool runsThreads() const { return false; }                    // is it device code?
  virtual llvm::Value* captured(const Place& place, uint32_t leaf) = 0; // a parameter
  virtual Place materialized(const Place& place) = 0; // a captured array in private memory, an element in the host's
  // These are for host code alone.
  virtual void reached(llvm::Value* pointer) {} // it was made of a number: accesses by it are not watched
  virtual Place held(const Expr* e);            // the place of a value that holds lists
  virtual void endLists(const Variable*) {}     // its scope, in a loop, ends
  virtual void endStatement(size_t) {}          // lists that were made in it end
  virtual size_t temporaryLists() const { return 0; }
  virtual Place listElement(const Expr* index); // l[i]
  virtual Leaves readElement(const Place& element);
  virtual void writeElement(const Place& element, const Leaves& value);

  // positions.cpp: while one of these lives, emitted code has its position, if positions are asked for
  class PositionScope {
  public:
    PositionScope(Emitter& emitter, SourceRange range);
    ~PositionScope();

  private:
    Emitter& emitter_;
    llvm::DebugLoc before_;
  };
  // ... is inlined at the builder's; or at `call`, if that is valid.
  class ExpandedCallScope {
  public:
    ExpandedCallScope(Emitter& emitter, const Function& callee);
    ExpandedCallScope(Emitter& emitter, SourceRange call, SourceRange code); // the library's `code`
    ~ExpandedCallScope();

  private:
    void enter(llvm::DISubprogram* callee); // null: without debug information
    Emitter& emitter_;
    llvm::DILocation* before_;
    llvm::DISubprogram* scope_before_;
  };
  llvm::DILocation* called_at_ = nullptr;
  llvm::DISubprogram* scope_ = nullptr; // of the function whose code is emitted; null: without debug information

  // blocks.cpp
  bool live() const { return b.GetInsertBlock() != nullptr; }
  llvm::BasicBlock* newBlock(const char* name) { return llvm::BasicBlock::Create(m.context, name); }
  void enter(llvm::BasicBlock* block); // goes on there, if an edge leads there; else nothing is live
  void jump(llvm::BasicBlock* target);
  void ensureLive(); // an expression goes on after code that never ends
  void finish();     // drops unreachable blocks, verifies
  llvm::AllocaInst* newAlloca(llvm::Type* type, llvm::Align align, const llvm::Twine& name);

  // Scopes hold the arrays whose lifetime ends with them, and in loops of host code the variables that hold lists.
  struct Scope {
    llvm::SmallVector<llvm::AllocaInst*, 2> arrays;
    llvm::SmallVector<const Variable*, 0> lists; // they end with it
    llvm::Instruction* jumped_into = nullptr;    // by a switch: control may pass by declarations
  };
  void openScope() { scopes_.emplace_back(); }
  void closeScope();
  void endLifetimes(size_t depth); // of the scopes from `depth` on, which are about to be left
  Place temporary(const Type* type, const llvm::Twine& name = "tmp"); // memory of this function
  Place spilled(const Type* type, const Leaves& value);
  std::vector<Scope> scopes_;

  // places.cpp
  Place fieldOf(const Place& base, uint32_t index);
  Place lanesOf(const Place& base, const Expr* swizzle);
  Place elementOf(const Place& base, llvm::Value* index);
  Place elementLanes(Place part, const Place& base, const Expr* swizzle);
  llvm::Value* address(const Expr* lvalue, const Type* pointer);
  llvm::Value* offset(llvm::Value* address, uint64_t bytes);
  llvm::Value* element(llvm::Value* address, const Type* element, llvm::Value* index);
  llvm::Value* indexValue(const Expr* e); // 64 bits, extended as its type says
  llvm::Value* readHere(llvm::Value* known);
  llvm::Value* loadLeaf(const Place& place, const Leaf& leaf);
  void storeLeaf(const Place& place, const Leaf& leaf, llvm::Value* value);
  static void nameAfter(llvm::Value* value, llvm::StringRef variable);
  llvm::Value* loadScalar(llvm::Value* address, const Type* scalar, bool bool_byte = true);
  void storeScalar(llvm::Value* address, llvm::Value* value, const Type* scalar, bool bool_byte = true);
  llvm::Value* toStored(llvm::Value* value, const Type* scalar); // i1 to a byte
  llvm::Value* fromStored(llvm::Value* value, const Type* scalar);

  // values.cpp
  Leaves constant(const Expr* e);
  virtual Leaves partOf(const Expr* e); // Field, Swizzle, Index of something that is no lvalue
  Leaves construct(const Expr* e);
  Leaves undefined(const Type* type, const ir::Cause& cause);
  // of programs that watch themselves: its value is undefined
  void leaveUnset(const Place& place, const ir::Cause& cause);
  static ir::Cause causeOf(const Variable& variable);
  ir::Cause causeOf(const UnsetSource& source, const Type* type, uint32_t leaf);
  static ir::Cause resultOf(const Function& callee); // if it returns nothing
  // For programs that watch themselves.
  bool isChecked() const { return m.options.checked && hasPositions(); }
  llvm::CallInst* watch(ir::Op op, llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* type = nullptr);
  void use(llvm::Value* value, SourceRange range); // without computing with it
  void checkValue(llvm::Value* bad, bsgp_check_value kind, llvm::Value* value, uint64_t limit = 0);
  llvm::Value* pointerAdd(llvm::Value* pointer, const Type* element, llvm::Value* count, bool subtract);
  llvm::Value* pointerDifference(const Expr* e);

  // arithmetic.cpp
  Leaves unary(const Expr* e);
  Leaves binary(const Expr* e);
  llvm::Value* arithmetic(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y, SourceRange range);
  llvm::Value* compare(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y);
  llvm::Value* shift(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* amount);
  void floatRulesOf(const Function& function); // of the code emitted from here on

  // fused.cpp
  bool fuses(ast::BinaryOp op, const Expr* a, const Expr* b) const; // a op b is one fma per lane
  bool isProduct(const Expr* e) const;
  Leaves fused(ast::BinaryOp op, const Expr* a, const Expr* b);
  Leaves accumulate(ast::BinaryOp op, const Leaves& old, const Expr* product);
  // casts.cpp
  Leaves cast(const Expr* e);
  llvm::Value* castScalar(llvm::Value* value, const Type* from, const Type* to);
  // assignments.cpp
  Leaves assign(const Expr* e);
  Leaves loadAt(const Expr* lvalue, const Place& place);
  void storeAt(const Expr* lvalue, const Place& place, const Leaves& value);
  Leaves used(const Expr* e);
  Leaves usedValue(const Expr* e);
  // Returns the place of the argument of a parameter by reference.
  virtual llvm::DebugLoc givenAt(const Expr*) const { return {}; }
  Leaves compoundAssign(const Expr* e);
  Leaves incDec(const Expr* e);
  llvm::Value* stepped(llvm::Value* old, const Type* whole, bool subtract);
  // conditions.cpp
  bool isCheap(const Expr* e) const;
  Leaves logical(const Expr* e);
  Leaves conditional(const Expr* e);
  // builtins.cpp
  Leaves builtin(const Expr* e);
  llvm::Value* math(const Expr* e, const Type* type, llvm::ArrayRef<llvm::Value*> args);
  void appendPrinted(const Expr* e, llvm::SmallVectorImpl<llvm::Value*>& to); // an argument of printf, 64 bits each

  // large_values.cpp
  bool isLarge(const Type* type);
  Place inMemory(const Expr* e);
  Place chosen(const Expr* conditional);
  Place constructed(const Expr* construct);
  Place copied(const Expr* e);
  void copy(const Place& to, const Place& from);
  void forEachIndex(uint64_t count, llvm::function_ref<void(llvm::Value* index)> body);

  // statements.cpp, loops.cpp
  virtual void declaration(const Stmt* s);
  void ifStmt(const Stmt* s);
  void loop(const Stmt* s);
  void mark(llvm::BasicBlock& header, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& before, const Stmt& s,
            bool is_wavefront);
  void switchStmt(const Stmt* s);
  struct Target {
    llvm::BasicBlock* to_break;
    llvm::BasicBlock* to_continue; // null: a switch
    size_t scopes;                 // that stay open
  };
  void leave(const Target& target, llvm::BasicBlock* block);
  std::vector<Target> targets_;
  unsigned loops_ = 0;             // around this place
  unsigned branches_ = 0;          // conditions, loops and switches around this place
  unsigned wavefronts_ = 0;        // up to this place
  unsigned wavefronts_around_ = 0; // this place

  ModuleEmitter& m;
  uint64_t count_ = 0; // instructions inserted
  Builder b;
  llvm::Function* fn = nullptr;
  llvm::BasicBlock* entry_ = nullptr; // holds the allocas and the code before the body; ends with a jump to it
  llvm::Instruction* allocas_behind_ = nullptr; // if set: each new one is inserted right behind it
  bool has_dead_code_ = false;
};

// The condition, as reports name it, for the n of a list whose length is asked for.
constexpr const char* kLengthFits = "the length of the list is an int";

// Get, Put and by-reference arguments need storage.
using sema::isLvalue;
using sema::isTemporary;
using sema::rootVariable;

} // namespace bsgp::irgen
