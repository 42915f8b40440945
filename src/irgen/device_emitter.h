// Emits the function of one spawn, all supersteps in it, in the form of ir/operations.h.
//
//   entry:  epoch 1, the parameters read as of the spawn; allocas
//   body:   superstep 1 ... snapshots; barrier; (oldrank); puts land; superstep 2 ...
//   exit:   ret void
//
// Parameters stand right after the epoch or require that they depend on, made at the first use; so does the rank. Calls
// are expanded in place.
#pragma once

#include "ir/operations.h"
#include "irgen/emitter.h"
#include "irgen/host_emitter.h"

namespace bsgp::irgen {

class DeviceEmitter : public Emitter {
public:
  DeviceEmitter(ModuleEmitter& module, HostFrame& frame, const FlatSpawn& spawn);
  void emit(const std::string& name);
  llvm::Function* function() const { return fn; }
  std::span<const Slot> slots() const { return slots_; }

  // Fewer supersteps than written when a return ends them all, more where puts must settle before a get
  // (communication.cpp).
  struct Step {
    uint32_t written;     // the superstep of the spawn that it is, or
    bool settles = false; // follows, or comes before
    bool ends = false;    // the last one of it: the supersteps that follow it in the program follow
  };
  const std::vector<Step>& steps() const { return steps_; }
  // Returns the first step, from 1, that a superstep of the spawn became; 0 if there is none, because no path leads
  // there.
  uint32_t firstStep(uint32_t written) const { return first_steps_[written]; }

protected:
  // device_variables.cpp
  Place variable(const Expr* var) override;
  Place declare(const Variable* variable) override;
  void begin(const Variable* variable, const Leaves& value) override;
  bool isItsFirstValue(const Variable* variable);
  void declaration(const Stmt* s) override;
  llvm::Value* captured(const Place& place, uint32_t leaf) override;
  Place materialized(const Place& place) override;
  Place specialPlace(const Expr* e) override;
  // device_calls.cpp
  Leaves call(const Expr* e) override;
  Place callInMemory(const Expr* e) override;
  void returnFrom(const Stmt* s) override;
  bool hasPositions() const override { return true; }
  bool runsThreads() const override { return true; }
  // device_operations.cpp
  Leaves special(const Expr* e) override;
  Leaves print(const Expr* e) override;
  Leaves check(const Expr* e) override;
  llvm::Value* divide(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y, SourceRange range) override;
  // communication.cpp
  void special(const Stmt* s) override;

private:
  using Key = std::pair<const Variable*, uint32_t>; // a host variable and a version of it

  // superstep.cpp
  void superstep(const FlatSuperstep& superstep, size_t number);
  bool goesOn(size_t number) const;
  void arrive(const FlatSuperstep& superstep, size_t number);
  void settlePuts();
  void leave(const FlatSuperstep& ended, size_t number);
  llvm::BasicBlock* wayTo(uint32_t number);
  void topLevel(const Stmt* s);
  void beginEpoch(llvm::Value* epoch);
  void endSuperstep(const FlatSuperstep& next);
  void barrier(ir::Op op);
  llvm::Value* ofNumbering(ir::Op op, const char* name);
  llvm::Value* rank();
  llvm::Value* size();
  llvm::CallInst* intrinsic(ir::Op op, llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* type = nullptr,
                            const llvm::Twine& name = "");
  llvm::Type* rankType() { return m.types.value(spawn_.rank_type); }

  // Instructions that follow a given one, in the order they are asked for.
  struct Anchor {
    llvm::Value* epoch = nullptr;
    llvm::Instruction* last = nullptr; // the next one goes behind it
  };
  llvm::Value* behind(Anchor& anchor, llvm::function_ref<llvm::Instruction*()> make);

  // device_operations.cpp
  std::vector<Place> listPlaces(const Expr* list, llvm::Value*& which);
  llvm::Value* listPart(const Expr* list, uint32_t leaf);
  llvm::Value* count(const Expr* e);
  llvm::Value* blockMember(const Expr* e);
  llvm::Value* blockRank();
  llvm::Value* blockId();
  llvm::Value* blockLimit();
  llvm::Value* blockSize(const Type* type);
  llvm::Value* warpMember(const Expr* e);
  SourceRange programSite(SourceRange range) const;

  // device_memory.cpp
  Leaves memoryCall(const Expr* e);
  // device_asm.cpp
  void inlineAssembly(const Expr* e);
  llvm::Value* toRegister(llvm::Value* value);
  llvm::Value* fromRegister(llvm::Value* value, llvm::Type* type);

  Leaves shuffle(const Expr* e);
  llvm::Value* bitsOf(llvm::Value* value);
  llvm::Value* shuffled(llvm::Value* value, llvm::Value* lane);
  llvm::Value* accessed(const Expr* pointer);
  llvm::Value* atomic(const Expr* e);
  llvm::Instruction* marked(llvm::Instruction* operation, const Expr* e);
  void storeStream(const Expr* e);

  // device_variables.cpp
  Place storage(const Variable* v);
  Place newStorage(const Variable* v);
  llvm::Value* parameter(const Variable* v, uint32_t version, uint32_t leaf);

  // device_calls.cpp
  bool tooLarge(const Expr* call);
  void inlined(const Stmt* s);
  struct Inlining {           // a call being expanded
    const Function* function; // null: an Inlined statement
    SourceRange call;         // of the function
    bool only_at_end;
    llvm::BasicBlock* end = nullptr;
    Place result; // type null: none
    Leaves value;
    size_t scopes; // scopes that stay open
  };
  void noteGiven(const Variable& parameter, const Expr* argument);
  llvm::DebugLoc givenAt(const Expr* e) const override;
  Inlining expanded(const Expr* e); // with the call's value, or the result if it is large
  Inlining unexpanded(const Expr* e);
  Inlining inlined(const Expr* e);
  void returnLarge(const Expr* e);

  // communication.cpp
  struct Put {
    uint32_t id = 0;
    const Expr* target = nullptr;
    llvm::SmallVector<uint32_t, 4> parts;
  };
  struct Snapshot {
    const Expr* place;
    Leaves leaves;
  };
  Leaves get(const Expr* e);
  Leaves partOf(const Expr* e) override;
  Leaves componentOf(const Snapshot& snapshot, llvm::Value* from, llvm::Value* index, const Type* type);
  const Snapshot& snapshotOf(const Expr* get) const;
  void put(const Stmt* s);
  void checkPut(llvm::Value* to, const Expr* target);
  void takeSnapshots(const FlatSuperstep& next);
  void landPuts();
  bool readsPuts(const FlatSuperstep& next) const;
  void setOldRank(const Stmt* s);
  void reassign(); // the one bsgp.oldrank
  llvm::Value* asRank(const Expr* e);

  HostFrame& frame_;
  const FlatSpawn& spawn_;
  llvm::BasicBlock* exit_ = nullptr;
  std::vector<Step> steps_;
  std::vector<uint32_t> first_steps_; // by superstep of the spawn
  struct Arrival {
    llvm::BasicBlock* block = nullptr; // edges lead to it; null: none so far
    llvm::CallInst* numbering = nullptr;
  };
  std::vector<Arrival> arrivals_; // by superstep of the spawn
  uint32_t tests_ = 0;

  Anchor now_;                                // this superstep's epoch
  llvm::CallInst* numbering_ = nullptr;       // the epoch that its ranks are of
  llvm::CallInst* numbered_before_ = nullptr; // the one before, if this superstep began another
  Anchor older_numbering_;                    // behind it, if it began with an earlier superstep
  llvm::Value *rank_ = nullptr, *size_ = nullptr, *block_rank_ = nullptr, *block_id_ = nullptr; // of it
  llvm::DenseMap<uint32_t, Anchor> versions_;
  llvm::DenseMap<Key, std::vector<llvm::Value*>> parameters_;
  std::vector<Slot> slots_;
  llvm::DenseMap<const Variable*, Place> bound_;
  llvm::DenseMap<const Variable*, llvm::DebugLoc> given_; // of parameters by reference

  // Captured arrays that are indexed at run time: copies, good until the next barrier or reassignment.
  llvm::DenseMap<Key, Place> copies_;
  llvm::SmallDenseSet<uint32_t> fresh_versions_; // begun since then

  std::vector<Inlining> inlining_;
  bool reported_too_large_ = false;

  std::vector<Snapshot> snapshots_;
  std::vector<Put> puts_, landing_;
  llvm::DenseMap<const Variable*, uint32_t> put_numbers_; // of the first leaf, if puts are checked
  uint32_t next_put_number_ = 0;
  uint32_t next_snapshot_ = 0, next_put_ = 0, next_part_ = 0;
  bool last_superstep_ = false;
  bool oldrank_due_ = false; // this superstep began with a reassignment and the call is not there yet
  llvm::AllocaInst* oldrank_ = nullptr;
  SourceRange oldrank_at_; // the last place that set it
};

} // namespace bsgp::irgen
