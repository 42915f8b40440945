// The instructions of a kernel over one block of places.
#pragma once

#include <atomic>
#include <memory>

#include "arrays/compiled/cache.h"
#include "arrays/load.h"
#include "arrays/row_steps.h"

namespace bsgp::arrays {

inline constexpr int64_t kBlock = 1024;            // places
inline constexpr int64_t kDirectBlock = 16 * 1024; // of compiled code that has nothing in a worker's memory
inline constexpr int64_t kLeastRow = 256;          // places in a row from which on blocks end with rows

// The place of an instruction's value for a block: a slot of the worker's memory, or its part of an output's memory.
struct Slot {
  int64_t offset = 0;     // in the worker's memory
  int32_t number = -1;    // of the output; -1: it is in the worker's memory
  char* output = nullptr; // its place 0; set by setMemory
  uint8_t log2 = 0;       // of an element's bytes
  bool is_filled = false; // the same for all places: set once by each worker
  bool is_one = false;    // a number that compiled code alone reads, which takes one element of it
};

// An instruction by its loop, or a segment by its code.
struct BlockStep {
  int32_t instruction = -1;
  const Segment* segment = nullptr;
  const CompiledSegment* code = nullptr;
};

// A kernel with everything that is the same for all of its blocks.
struct Prepared {
  const Kernel* kernel = nullptr;
  Layout layout;
  Plan plan;
  std::vector<BlockStep> order;
  std::vector<Slot> slots; // one for each instruction
  int64_t bytes = 0;       // of a worker's memory
  int32_t block = 0;       // places that a worker computes at once, at most
  // Ends of rows at which an array is not read in place are set out by themselves, as short pieces of many rows.
  Middle middle;
  std::vector<std::unique_ptr<Prepared>> edges;
  RowSteps row_steps;
  bool is_edge = false;
  int64_t first_column = 0;   // of an edge
  std::vector<char*> outputs; // of an edge: all rows of the kernel's outputs
  // The first index of a gather that was outside, and the instruction; read when all blocks are done.
  mutable std::atomic<int32_t> failed{-1};
  mutable std::atomic<bool> lacks_memory{false};
  mutable int64_t wrong_index = 0;
};

// Everything that depends on the kernel alone. With its kernel and its plan set, it can be prepared again.
void prepare(Prepared& prepared);
// outputs: the memory of kernel.outputs that are no folds, else null. What the kernel loads is computed.
void setMemory(Prepared& prepared, const std::vector<char*>& outputs);

// A worker of a prepared kernel.
class Block {
public:
  // Throws std::bad_alloc.
  explicit Block(const Prepared& prepared);
  // Computes all values for `count` places from `first` on.
  void compute(int64_t first, int32_t count);
  // The middles of rows [first, end), by the kernel's row steps.
  void computeRows(int64_t first, int64_t end);
  // Computes them, of an edge, and copies the outputs to their rows of `columns` places.
  void computeEdge(int64_t first, int32_t count, int64_t columns);
  // The values of an instruction for the places that were computed last.
  const void* value(int32_t instruction) const { return values_[instruction]; }

private:
  void* slot(int32_t instruction) const;
  void fill();
  void runSegment(const BlockStep& step, int32_t count);
  void runShort(const BlockStep& step, int32_t count);
  void execute(int32_t instruction, const Range& range);
  void load(int32_t instruction, const Range& range);
  void gatherAt(int32_t instruction, const Range& range);

  const Prepared& prepared_;
  std::unique_ptr<char[]> memory_;
  std::vector<const void*> values_, addresses_;
  int64_t first_ = 0;
};

} // namespace bsgp::arrays
