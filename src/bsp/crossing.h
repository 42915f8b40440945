// Decides which values cross the barriers of a spawn and how: steps 5 and 6 of the paper's algorithm, without
// changing code.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "bsp/private_arrays.h"
#include "bsp/reload.h"
#include "bsp/stream_sharing.h"
#include "ir/freedom.h"
#include "ir/supersteps.h"

namespace bsgp::bsp {

// One value saved in a stream under one numbering of the threads: an edge of the paper's figure 4. It is stored by
// its writer; or it begins where edges join, and on each edge its stream takes the memory of another copy (Move).
struct StoredCopy {
  enum Kind { Value, Array, PutFlag, PutPart } kind = Value;
  llvm::Instruction* what = nullptr; // the value; the alloca; the put or its mark
  llvm::Type* type = nullptr;        // of the value; null for arrays
  std::string name;
  uint32_t bytes = 0;  // of a thread
  unsigned writer = 0; // a superstep; 0: it begins where edges join
  unsigned generation = 0;
  uint32_t begin = 0;             // a time: from there on it holds the value
  std::vector<uint32_t> reads;    // times
  std::vector<Lifetime> lives;    // in the order of the text, one at most in each chain of supersteps; the first begins
                                  // at `begin`
  bool shares_memory = false;     // its stream may have the memory of another one that lives
  uint32_t stream = 0;            // assigned later
  const Reload* reload = nullptr; // not stored if that can be done; null: always stored
};

// A move on an edge from one superstep to another; all moves of an edge happen at once.
struct Move {
  StoredCopy* to = nullptr;
  StoredCopy* from = nullptr; // null: nothing has been assigned on this edge
};
using Way = std::pair<unsigned, unsigned>; // supersteps

struct Transfer {
  llvm::Value* value = nullptr;
  StoredCopy* saved = nullptr;    // null: never
  const Reload* reload = nullptr; // of a load: the memory that the value came from, if it may be loaded from there
};

// The transfers that a superstep adds to its own code.
struct StepTransfers {
  std::vector<llvm::Instruction*> recomputed; // definitions from earlier supersteps, in their order
  std::vector<Transfer> loads, stores;        // values
  std::vector<Transfer> array_loads, array_stores;
};

// A row of tables 1 and 2.
struct CrossingRow {
  llvm::Instruction* value = nullptr;
  unsigned defined = 0;
  std::vector<unsigned> used; // ascending, other supersteps only
};

// A pointer to private or shared memory that would have to be saved.
struct CrossingPointer {
  const llvm::Value* pointer = nullptr;
  const llvm::Value* array = nullptr; // private; null: shared
  unsigned step = 0;                  // after whose barrier it is used
};

struct Crossing {
  std::vector<std::unique_ptr<StoredCopy>> saved; // by begin, then in order of the program
  std::map<Way, std::vector<Move>> moves;
  std::set<std::pair<const StoredCopy*, Way>> moved_from, moved_to; // of `moves`, by findLives
  std::vector<std::unique_ptr<Reload>> reloads;
  std::vector<StepTransfers> steps; // [0] is superstep 1
  std::vector<CrossingRow> rows;    // in order of definition
  std::vector<CrossingPointer> pointers;
  // A get finds the value in one of these. If it is in neither, the value is the same in every thread.
  llvm::DenseMap<const llvm::Instruction*, StoredCopy*> of_get;
  llvm::DenseMap<const llvm::Instruction*, const Reload*> reload_of_get;
  llvm::DenseMap<unsigned, StoredCopy*> of_put, of_put_part; // by id
  StepTransfers& step(unsigned number) { return steps[number - 1]; }
  const StepTransfers& step(unsigned number) const { return steps[number - 1]; }
};

// Needs blocks that belong to one superstep each, and no puts without a receiver.
Crossing findCrossing(const ir::Supersteps& steps, const ir::Freedom& freedom, const PrivateMemory& memory,
                      const Reloads& reloads);

// The superstep in which a value is defined: that of the epoch for rank and size.
unsigned definingStep(const ir::Supersteps& steps, const llvm::Instruction& value);

// The name in reports: the source variable, else LLVM's name.
std::string displayName(const llvm::Instruction& value);

// True for casts and address arithmetic: they are computed again at each use, even if their operands must be loaded.
bool neverSaved(const llvm::Instruction& value);

} // namespace bsgp::bsp
