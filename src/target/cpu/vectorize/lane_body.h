// Writes the code that takes `width` lanes through one iteration.
//
// A value of uniform or linear shape is one scalar, the first lane's; a varying one is a vector. A value that several
// edges set (phis, masks of lanes) is a variable on the stack until all is written; then variables become registers.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/vectorize/gather_rows.h"
#include "target/cpu/vectorize/lane_flow.h"

namespace bsgp::target {

// Is called for instructions that came out slower than they look in the source.
using LaneRemark = std::function<void(const llvm::Instruction& instruction, const char* became)>;

struct LaneProgram {
  const LaneLoop& lanes;
  const LaneShapes& shapes;
  LaneFlow& flow;
  const PrivateArrays& arrays;
  unsigned width = 0;
  bool mask_registers = false; // a vector of bits is a register of the machine
  bool gathers = false;        // it has gathers that are worth using
  bool brief = false;          // as VectorizeOptions
  LaneRemark remark;
};

class LaneBody {
public:
  explicit LaneBody(LaneProgram& program);

  // Writes at the end of `begin`, and returns the block that all lanes reach in the end. `counters`: of the first
  // lane, as LaneLoop::counters. `mask`: the lanes that exist, at least one; null: all.
  llvm::BasicBlock* write(llvm::BasicBlock& begin, llvm::ArrayRef<llvm::Value*> counters, llvm::Value* mask);
  // Before `write`: gives the first lane's value of the instruction.
  void know(const llvm::Instruction& instruction, llvm::Value* value) { scalars_[&instruction] = value; }
  // The same for an integer, also as a signed number of 64 bits.
  void know(const llvm::Instruction& instruction, llvm::Value* value, llvm::Value* wide) {
    scalars_[&instruction] = value, wide_[&instruction] = wide;
  }
  llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }

private:
  struct LevelCode {
    llvm::BasicBlock* header = nullptr;
    std::vector<llvm::BasicBlock*> arrivals;
    llvm::BasicBlock *end = nullptr, *after = nullptr;
    std::vector<llvm::Value*> masks; // of nodes; null: all lanes
    llvm::DenseMap<unsigned, llvm::AllocaInst*> own_masks;
    llvm::AllocaInst* live_next = nullptr;
    llvm::PHINode* live = nullptr;
    llvm::SmallVector<std::pair<llvm::AllocaInst*, llvm::Constant*>, 8> resets;
    llvm::SmallVector<std::pair<llvm::PHINode*, llvm::AllocaInst*>, 8> next_values; // of a divergent loop
    llvm::DenseMap<unsigned, llvm::SmallVector<llvm::PHINode*, 4>> usual;           // by the node where it is set
  };

  // lane_body.cpp: the flow
  void openLevel(FlowLevel& level, llvm::Value* mask);
  void writeNodes(FlowLevel& level);
  void closeLevel(FlowLevel& level);
  void writeNode(FlowLevel& level, unsigned number);
  void writeLoop(FlowLevel& level, FlowNode& node);
  void openHeaderPhis(FlowLevel& level, llvm::BasicBlock& before);
  void writeWays(FlowLevel& level, unsigned number);
  llvm::Value* maskOf(FlowLevel& level, unsigned number);
  llvm::BasicBlock* blockOf(const FlowTarget& target);
  LevelCode& code(const FlowLevel& level) { return codes_[&level]; }

  // lane_edges.cpp: the code on the edge from a block to another
  void takeEdge(FlowLevel& level, llvm::BasicBlock& from, llvm::BasicBlock& to, llvm::Value* mask);
  void takeBackEdge(FlowLevel& level, llvm::BasicBlock& from, llvm::Value* mask);
  void arriveWith(llvm::PHINode& phi, llvm::Value* value, llvm::Value* mask);
  void readPhis(llvm::BasicBlock& block);
  bool isCopied(const llvm::PHINode& phi) const;
  void findUsualValues(FlowLevel& level);
  llvm::Value* usualValueAt(FlowLevel& level, unsigned node, const llvm::PHINode& phi) const;
  bool isKnownAt(FlowLevel& level, unsigned node, const llvm::Value& value) const;
  void arriveWithUsual(FlowLevel& level, unsigned node);
  llvm::AllocaInst* variableOf(llvm::PHINode& phi);
  llvm::AllocaInst* maskVariable(FlowLevel& level, unsigned number);
  llvm::AllocaInst* createVariable(FlowLevel& level, llvm::Type* type, llvm::Constant* reset, const llvm::Twine& name);

  // lane_masks.cpp
  llvm::Type* storedMaskType() const;
  llvm::Value* toStored(llvm::Value* mask);
  llvm::Value* fromStored(llvm::Value* stored);
  llvm::Value* allLanes() const;
  llvm::Value* orAll(llvm::Value* mask) const { return mask ? mask : allLanes(); }
  llvm::Value* bitsOf(llvm::Value* mask);
  llvm::Value* anyOf(llvm::Value* mask);
  llvm::Value* both(llvm::Value* mask, llvm::Value* condition);
  llvm::Value* firstOf(llvm::Value* mask);
  llvm::Value* lastOf(llvm::Value* mask);

  // lane_values.cpp
  llvm::Value* scalar(llvm::Value* value);
  llvm::Value* vector(llvm::Value* value);
  llvm::Value* spread(llvm::Value* value, LaneShape shape);
  llvm::Value* spreadParts(llvm::IRBuilder<>& builder, llvm::Value* value);
  // Chooses by a condition of all lanes or of each.
  llvm::Value* choose(llvm::Value* condition, llvm::Value* yes, llvm::Value* no, const llvm::Twine& name = "");
  llvm::Type* widen(llvm::Type* type) const;
  llvm::Constant* laneNumbers(llvm::Type* type, int64_t factor) const;
  void define(const llvm::Instruction& instruction, llvm::Value* vector) { vectors_[&instruction] = vector; }

  // lane_instructions.cpp
  void write(llvm::Instruction& instruction, llvm::Value* mask);
  void writeScalar(llvm::Instruction& instruction, llvm::Value* mask);
  void writeVector(llvm::Instruction& instruction, llvm::Value* mask);
  llvm::Value* division(llvm::BinaryOperator& operation, llvm::Value* mask);
  llvm::Value* divisionOfFloats(llvm::BinaryOperator& operation, llvm::Type* floats);
  llvm::Value* widenedCall(llvm::IntrinsicInst& call);
  llvm::Value* address(llvm::GetElementPtrInst& gep);

  // lane_widening.cpp
  llvm::Value* widened(llvm::Value* value, llvm::Type* type, llvm::Value* mask);
  llvm::Value* widenedSum(llvm::Value* value, llvm::Type* type, unsigned depth = 0);
  bool isFirstLaneExact(const llvm::Value* value, unsigned depth = 0) const;

  // lane_memory.cpp
  void load(llvm::LoadInst& load, llvm::Value* mask);
  void store(llvm::StoreInst& store, llvm::Value* mask);
  llvm::Value* read(llvm::LoadInst& load, llvm::Value* pointer, llvm::Value* mask);
  void put(llvm::StoreInst& store, llvm::Value* value, llvm::Value* pointer, llvm::Value* mask);
  llvm::Value* gather(llvm::LoadInst& load, llvm::Value* pointers, llvm::Value* mask);
  void scatter(llvm::StoreInst& store, llvm::Value* pointers, llvm::Value* mask);
  void storeUniform(llvm::StoreInst& store, llvm::Value* mask);
  llvm::Value* pointersOf(llvm::Value* pointer, int64_t offset = 0); // `offset`: bytes
  llvm::Value* indexed(llvm::Value* base, llvm::Value* index, int64_t size);
  llvm::Value* privatePointer(llvm::Value* pointer, bool& same);
  llvm::Value* reversed(llvm::Value* vector);
  void copyMetadata(llvm::Instruction& to, const llvm::Instruction& from);

  // lane_chosen_loads.cpp
  bool loadChosen(llvm::LoadInst& load, int64_t size, llvm::Value* mask);
  llvm::Value* loadTogether(llvm::LoadInst& load, const LaneWay& way, llvm::Value* mask);
  llvm::Value* mayWrap(const LaneWay& way);
  llvm::Value* takingWay(const LaneWay& way, llvm::Value* mask);
  llvm::Value* placeOn(const LaneWay& way, llvm::Value* taking);
  llvm::Value* readableIfAny(llvm::Value* place, llvm::Value* taking);
  llvm::Value* readOne(llvm::LoadInst& load, llvm::Value* place);

  // lane_rows.cpp: gathers of neighbours
  void findRows(llvm::BasicBlock& block);
  bool loadRow(llvm::LoadInst& load, llvm::Value* mask);
  void writeRow(const GatherRow& row, const GatherRow::Field& first, llvm::Value* mask);
  static constexpr unsigned kReadableBytes = 64;
  llvm::Value* readablePlace(llvm::Type* pointer);
  llvm::Value* readable(llvm::Value* pointers, llvm::Value* mask);
  llvm::SmallVector<llvm::Value*, 8> loadRows(llvm::Value* pointers, llvm::Value* mask, const GatherRow& row);
  llvm::SmallVector<llvm::Value*, 8> loadOnce(llvm::Value* pointer, const GatherRow& row);
  llvm::SmallVector<llvm::Value*, 8> loadPairs(llvm::Value* pointers, llvm::Value* mask, const GatherRow& row);
  llvm::SmallVector<llvm::Value*, 8> loadAndTranspose(llvm::Value* pointers, const GatherRow& row);
  llvm::Value* concatenate(llvm::Value* a, llvm::Value* b);
  llvm::Value* firstLanes(llvm::Value* vector);

  // lane_row_stores.cpp: scatters of neighbours
  void findStoredRows(llvm::BasicBlock& block);
  bool storeRow(llvm::StoreInst& store, llvm::Value* mask);
  void writeStoredRow(const GatherRow& row, llvm::Value* mask);
  void storeSideBySide(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* place, unsigned size);
  void storeEachRow(llvm::ArrayRef<llvm::Value*> columns, llvm::function_ref<llvm::Value*(unsigned)> place,
                    unsigned size);
  void storePieces(llvm::Value* row, unsigned length, llvm::Value* place, unsigned size);
  llvm::Value* writable(llvm::Value* pointers, llvm::Value* mask);

  // lane_atomics.cpp
  bool writeAtomic(llvm::Instruction& instruction, llvm::Value* mask);
  void operateOnce(llvm::AtomicRMWInst& atomic, llvm::Value* mask);
  std::pair<llvm::Value*, llvm::Value*> combined(llvm::AtomicRMWInst& atomic, llvm::Value* mask, bool asked);
  std::pair<llvm::Value*, llvm::Value*> sumOfSame(llvm::AtomicRMWInst& atomic, llvm::Value* mask, bool asked);
  llvm::Value* foundBy(llvm::AtomicRMWInst& atomic, llvm::Value* old, llvm::Value* earlier);

  // lane_places.cpp: atomic accesses to places that differ
  void loadAtomic(llvm::LoadInst& load, llvm::Value* mask);
  void storeAtomic(llvm::StoreInst& store, llvm::Value* mask);
  llvm::Value* loadFrom(llvm::Type* type, llvm::Value* place, llvm::Align align, llvm::AtomicOrdering ordering);
  void operateOnEach(llvm::Instruction& atomic, llvm::Value* mask);
  void prefetchEach(llvm::Value* places);
  llvm::Value* operateOn(llvm::Instruction& atomic, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* operateOnAll(llvm::Instruction& atomic, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* operateInTurns(llvm::Instruction& atomic, llvm::ArrayRef<llvm::Value*> operands, llvm::Value* mask);
  llvm::AllocaInst* spill(llvm::Value* vector, unsigned use);

  // lane_appends.cpp
  void append(llvm::CallInst& call, llvm::Value* mask);

  // lane_votes.cpp
  void vote(llvm::CallInst& call, llvm::Value* mask);
  llvm::Value* runningBefore(llvm::Value* mask);
  llvm::Value* fedElements(llvm::LoadInst& load, llvm::Value* mask);

  // lane_serial.cpp
  void writeSerial(llvm::Instruction& instruction, llvm::Value* mask);
  void writeTurns(llvm::Value* bits, llvm::function_ref<void(llvm::Value*)> turn);

  LaneProgram& program_;
  const LaneLoop& lanes_;
  const LaneShapes& shapes_;
  const unsigned width_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> scalars_, vectors_, wide_;
  llvm::DenseMap<const FlowLevel*, LevelCode> codes_;
  llvm::DenseMap<const llvm::PHINode*, llvm::AllocaInst*> phis_;
  // The value that most edges bring to a phi, where it is set for all lanes before they part.
  llvm::DenseMap<const llvm::PHINode*, llvm::Value*> usual_;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables_;
  llvm::SmallVector<GatherRow, 4> rows_; // of the block that is being written
  std::set<unsigned> written_rows_;
  struct StoredRow {
    GatherRow row;
    unsigned missing; // stores, before it is complete
  };
  llvm::SmallVector<StoredRow, 4> stored_rows_;
  llvm::DenseMap<std::pair<llvm::Type*, unsigned>, llvm::AllocaInst*> spills_;
  llvm::Value* there_ = nullptr;                // the mask of the lanes that exist, if not all do
  llvm::AllocaInst* sink_ = nullptr;            // lanes that do not run store here
  unsigned row_code_ = 0, stored_row_code_ = 0; // elements of all rows so far
};

} // namespace bsgp::target
