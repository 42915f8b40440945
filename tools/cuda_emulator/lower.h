// From PTX as written to a kernel that runs. Functions that a kernel calls become part of its code, so that lanes which
// took different ways find each other by their place in it. Nothing is guessed: what is not known, or does not fit its
// operands, is an error with its line.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kernel.h"
#include "ptx.h"
#include "table.h"

namespace bsgp::emulator {

using Addresses = std::unordered_map<std::string_view, uint64_t>; // of .global and .const variables

class Lowering {
public:
  Lowering(const PtxModule& module, const Addresses& addresses) : module_(module), addresses_(addresses) {}
  Kernel lower(const Function& entry);

private:
  // A function where it is called, in the code of the kernel.
  struct Instance {
    const Function& function;
    Addresses parameters;         // where they are
    std::vector<uint32_t> starts; // instruction -> first Op
    struct Patch {
      size_t op;
      uint32_t instruction;
    };
    std::vector<Patch> patches;                                   // targets that are instructions
    std::vector<std::pair<size_t, std::vector<uint32_t>>> tables; // likewise
  };
  struct Slot {
    uint32_t offset = 0, bytes = 0; // 0 bytes: a predicate
  };

  // functions (lower.cpp)
  const Function* findFunction(std::string_view name) const;
  const Variable* findModuleVariable(std::string_view name) const;
  void layOutParameters(const Function& entry);
  void collect(const Function&, std::vector<const Function*>& chain);
  void layOutShared();
  uint32_t placeShared(const Variable&);
  void emitFunction(Instance&, bool is_entry);
  void emitInstruction(const Instruction&);
  void emitByTable(const Instruction&, std::string_view opcode);
  void patch(Instance&);
  Op& emit(Handler, const Instruction&);
  [[noreturn]] void fail(const Instruction&, const std::string& what) const;
  void expectCount(const Instruction&, size_t) const;

  // branches and calls (lower_control.cpp)
  bool emitControl(const Instruction&, std::string_view base);
  void emitBranch(const Instruction&);
  void emitBranchTable(const Instruction&);
  void emitReturn(const Instruction&);
  void emitCall(const Instruction&);
  void bind(const Instruction&, const std::vector<Variable>& formal, const Operand* actual, Addresses& out);
  uint32_t labelOf(const Instruction&, std::string_view name) const;
  void emitBarrier(const Instruction&);

  // memory (lower_memory.cpp)
  void emitAccess(const Instruction&, bool is_load);
  void emitAtomic(const Instruction&, bool returns);
  void emitPrefetch(const Instruction&);
  void setAddress(const Instruction&, const Operand&, Space, uint32_t& offset, uint64_t& imm);

  // moves and conversions (lower_move.cpp)
  void emitMove(const Instruction&);
  void emitPack(const Instruction&, bool unpacks);
  void emitConvert(const Instruction&);
  bool emitClock(const Instruction&);

  // operands (lower_operand.cpp)
  uint32_t source(const Instruction&, const Operand&, char letter, bool* negated = nullptr);
  uint32_t destination(const Instruction&, const Operand&, char letter);
  uint32_t constant(uint32_t bytes, uint64_t value);
  uint64_t literal(const Instruction&, const Operand&, char letter) const;
  const Slot* findRegister(unsigned scope, std::string_view name);
  const Slot* findInScope(unsigned scope, std::string_view name);
  const Slot* findSpecial(std::string_view name);
  bool findSymbol(const Instruction&, std::string_view name, uint64_t& address, Space* space = nullptr);
  bool findLocalVariable(const Instruction&, std::string_view name, uint64_t& address, Space* space);
  std::vector<Operand> partsOf(const Instruction&, const Operand&);
  unsigned registerBytes(const Instruction&, const Operand&);
  uint32_t allocate(uint32_t bytes);

  const PtxModule& module_;
  const Addresses& addresses_;
  Kernel kernel_;
  Instance* instance_ = nullptr; // being emitted
  std::vector<const Function*> calls_;
  Addresses shared_; // module variables in shared memory: offsets
  uint32_t dynamic_align_ = 0;
  uint32_t guard_ = 0, guard_flip_ = 0;                                // of the instruction being emitted
  using Key = std::tuple<const Function*, unsigned, std::string_view>; // function, scope, name
  std::map<Key, Slot> registers_;
  std::map<Key, uint64_t> variables_;                           // .param: slots; .local; .shared
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants_; // bytes, value -> offset
  std::map<std::string_view, Slot> specials_;
  uint32_t predicate_sink_ = 0, sink_ = 0; // where results that are not wanted go
  std::vector<std::string_view> shared_used_;
  std::deque<std::string> vector_names_; // of components: names that the text does not have
};

} // namespace bsgp::emulator
