// Emits host functions and the requires of their spawns.
//
//   i32 @f(ptr %call, args..., ptr %result)       0: done; else the call failed and its message is kept in the call
//     entry:  allocas; lists to {null, 0, 0}; bsgp_rt_enter; bsgp_rt_scope_open
//     ...     every call that can fail: store its status, go on or jump to exit
//     exit:   lists freed; bsgp_rt_scope_close; bsgp_rt_leave; ret status
//
// A function with a spawn keeps all its variables in one frame: requires, functions of their own, work on it, and
// kernels get their parameters from slots in it (HostFrame).
#pragma once

#include <deque>

#include "irgen/emitter.h"

namespace bsgp::irgen {

// The variables of a host function, shared by the function and the requires of its spawns.
struct HostFrame {
  const Function* function = nullptr;
  bool exists = false;                    // the function has a spawn
  llvm::DenseSet<const Variable*> shared; // with requires: these live in the frame, others are allocas
  uint64_t size = 0;
  llvm::DenseMap<const Variable*, uint32_t> offsets;
  llvm::DenseMap<const Variable*, UnsetSource> unset; // of programs that watch themselves
  llvm::DenseSet<const Variable*> indirect;           // the frame holds the variable's address
  std::vector<const Variable*> lists;                 // variables with lists that the function owns
  bool calls = false;                                 // other functions of the program: recursion is possible
  bool takes_temps = false;                           // dtempnew or lists
  unsigned spawns = 0, requires_ = 0;                 // numbered so far

  HostFrame(const Function& function, bool is_checked);
  uint32_t allocate(uint64_t bytes, uint64_t align);
  const Variable* newTemporary(const Type* type, bool of_require);
  const ListElement* newElement(const ListElement& element) { return &elements_.emplace_back(element); }

private:
  std::deque<Variable> temporaries_; // values that hold lists
  std::deque<ListElement> elements_; // that places name
};

class HostEmitter : public Emitter {
public:
  HostEmitter(ModuleEmitter& module, HostFrame& frame) : Emitter(module), frame_(frame) {}
  void emitFunction();
  // `slots`: those of the version that the require makes.
  llvm::Function* emitRequire(const FlatSpawn& spawn, const FlatRequire& require, const plan::Outline& outline,
                              std::span<const Slot> slots);

protected:
  // host_variables.cpp
  Place variable(const Expr* var) override { return variable(var->variable); }
  Place declare(const Variable* variable) override;
  void declaration(const Stmt* s) override;
  bool hasPositions() const override { return m.options.checked || m.options.debug; }
  llvm::Value* captured(const Place&, uint32_t) override;
  Place materialized(const Place&) override;
  Place specialPlace(const Expr* e) override;
  void endLists(const Variable* v) override { freeLists(variable(v)); }
  // host_lists.cpp
  Place held(const Expr* e) override;
  size_t temporaryLists() const override { return temporary_lists_.size(); }
  void endStatement(size_t before) override;
  Place listElement(const Expr* e) override;
  Leaves readElement(const Place& element) override;
  void writeElement(const Place& element, const Leaves& value) override;
  // host_calls.cpp
  Leaves call(const Expr* e) override;
  void reached(llvm::Value* pointer) override;
  Place callInMemory(const Expr* e) override;
  Leaves print(const Expr* e) override;
  Leaves check(const Expr* e) override;
  llvm::Value* divide(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y, SourceRange range) override;
  // host_memory.cpp
  Leaves special(const Expr* e) override;
  // spawn.cpp
  void special(const Stmt* s) override;
  // host_function.cpp
  void returnFrom(const Stmt* s) override;

private:
  // host_function.cpp
  void beginFunction(llvm::Function* function, SourceRange range);
  void bindParameters();
  void prologue(llvm::BasicBlock* body);
  void epilogue();
  void checkStatus(llvm::Value* status, llvm::Constant* library_call = nullptr);
  llvm::CallInst* callRuntime(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  void runtime(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments); // one that returns a status
  void failIf(llvm::Value* condition, unsigned kind, SourceRange range, std::string_view text = {});
  // host_variables.cpp
  Place variable(const Variable* v);
  Place newStorage(const Variable* v);
  void showToDebuggers(const Variable* v, llvm::Value* address, uint64_t offset = 0, bool indirect = false);
  void showFrameToDebuggers(const Variable* v);
  llvm::Value* inFrame(uint32_t offset);
  // host_calls.cpp
  Leaves externCall(const Expr* e);
  void tellReached(llvm::Value* pointer, uint64_t bytes, bool holds_pointers);
  void givenToC(const Expr* argument, llvm::Value* pointer);
  llvm::Value* promoted(llvm::Value* value, const Type* type);
  // host_memory.cpp
  Leaves allocate(const Expr* e, llvm::StringRef name);
  llvm::Value* count(const Expr* e);
  Leaves copy(const Expr* e);
  void swap(llvm::Value* left, llvm::Value* right);
  llvm::Value* plain(llvm::Value* pointer) { return b.CreateAddrSpaceCast(pointer, m.pointer()); }
  // host_lists.cpp
  void forEachPart(const Place& to, const Place& from, llvm::function_ref<void(const Place&, const Place&)> part);
  void forEachList(const Place& place, llvm::function_ref<void(llvm::Value*)> visit);
  void clearLists(const Place& place);
  void leavePartsUnset(const Place& place, const ir::Cause& cause); // those that are no lists
  void freeLists(const Place& place);
  void moveLists(const Place& to, const Place& from);
  void copyLists(const Place& to, const Place& from, SourceRange range);
  void fill(const Place& room, const Place& from, const Expr* value, bool last_use);
  Place assignLists(const Expr* e);
  void constructLists(const Place& to, const Expr* e);
  void appendValues(llvm::Value* list, const Type* type, std::span<Expr* const> values, SourceRange range);
  Place newTemporaryLists(const Type* type);
  llvm::Value* readLanes(const Place& element);
  void moveElement(llvm::StringRef function, const Place& place, llvm::Value* memory, uint64_t bytes);
  Leaves elementCall(const Expr* e);
  // spawn.cpp
  void spawn(const Stmt* s);
  void fillSlots(std::span<const Slot> slots);
  llvm::Value* wayOf(const FlatTest& test);

  HostFrame& frame_;
  llvm::Value* call_ = nullptr;   // ptr %call
  llvm::Value* result_ = nullptr; // where the result goes
  llvm::Value* frame_address_ = nullptr;
  llvm::AllocaInst* status_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::Value* scope_mark_ = nullptr;
  llvm::DenseMap<const Variable*, Place> bound_;
  llvm::DenseSet<const Variable*> shown_;        // in the debug information of this function
  std::vector<const Variable*> temporary_lists_; // of the statement, and of those around it
  // of a require
  const FlatRequire* require_ = nullptr;
  const Type* rank_type_ = nullptr;
  uint32_t size_offset_ = 0;
  llvm::AllocaInst* size_ = nullptr; // thread.size while the require runs, if it is named
};

} // namespace bsgp::irgen
