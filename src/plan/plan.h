// The Plan of one spawn: the host's work, step by step, as plain data. bsp makes it, a target lowers it to the
// constants of plan_abi.h, the runtime executes those. Facts that only people read stand beside it (report.h).
//
// The folder `plan` has the Plan in its three forms: this one, text (read back by parse.h), and C structs
// (plan_abi.h), which are the whole interface between compiled code and the runtime; and the rules that hold for it
// (verify.h). bsp decides the contents of a Plan. Nothing here sees LLVM.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bsgp::plan {

struct Site {
  std::string file;
  uint32_t line = 0, column = 0; // line 0: no place
  bool of_library = false;       // in a text of the standard library
  bool operator==(const Site&) const = default;
};

// A host variable version that device code reads: one scalar in the host frame.
struct FrameSlot {
  std::string name; // "n", "n@2" for a later version, "p.x" for a part; several may have one name
  uint32_t offset = 0;
  uint32_t bytes = 0;
  bool operator==(const FrameSlot&) const = default;
};

// The elements of a memory that a thread reaches.
enum class Access : uint8_t { None, Own, Any }; // Own: at thread.rank alone

struct Param {
  // Block: the number of a partition's block, for the kernels that find its threads.
  enum Kind : uint8_t { Frame, Stream, Size, OldSize, Append, Block } kind;
  uint32_t index = 0; // Frame, Append: slot number; Stream: stream number
  // The accesses to the memory that it leads to: a stream, or device memory that a slot of the host's frame points to.
  Access reads = Access::None, writes = Access::None;
  bool operator==(const Param&) const = default;
};

inline bool takesSlot(const Param& param) {
  return param.kind == Param::Frame || param.kind == Param::Append;
}

struct Kernel {
  std::string symbol;        // of the scalar thread function in the module
  std::vector<Param> params; // in the order of the function's arguments
  uint32_t superstep = 1;
  uint32_t loaded = 0, stored = 0; // stream bytes a thread reads and writes
  bool operator==(const Kernel&) const = default;
};

// A superstep that runs as several kernels, each a block of its control flow. A thread's counter (in a stream) has the number
// of the block that it comes to next, or the number of blocks if it has ended. Block 0 is where all threads begin: it is
// launched for them like the kernel of any superstep. Each other block is launched for a list of threads. The blocks are
// numbered in reverse postorder; their kernels follow each other, then come the two that make lists.
struct Partition {
  struct Block {
    uint32_t kernel = 0;
    std::vector<uint32_t> next; // blocks that a thread may come to behind it, ascending, without block 0
    bool operator==(const Block&) const = default;
  };
  std::vector<Block> blocks;
  uint32_t basic_blocks = 0; // of the superstep's code, before they were merged
  // Kernels for BSGP_PARTITION_CHUNK ranks a thread: `count` counts those whose counter is Param::Block, `list` writes them down.
  uint32_t count = 0, list = 0;
  uint32_t counters = 0, counts = 0, ranks = 0; // streams; those of ranks have the size of a rank
  bool operator==(const Partition&) const = default;
};

struct Stream {
  uint32_t bytes = 0; // per thread
  bool operator==(const Stream&) const = default;
};

// Steps run in order, but for Branch and Jump, which lead to the beginning of a superstep, to steps before it that
// only some edges to it have (moves, frees, a jump), or to the end. Several streams may have one memory: Move gives
// stream `index` the memory of `other`; it is freed when no stream has it any more. Allocate gives a stream memory of
// its own.
struct Step {
  enum Kind : uint8_t {
    Require,
    Allocate,
    Clear,
    Launch,
    Free,
    FreeTemps,
    Superstep,
    Decide, // a require that stores the number of the edge to take, an int32, in the frame at `decision_offset`
    Branch, // behind it: to step `other` if that edge is `index`; the edge with the highest number has none
    Jump,   // to step `other`
    Move,   // of streams: `index` also gets the memory of `other`
    Swap,   // of the streams `index` and `other`; one of them may have no memory
    Blocks, // of the partition `index`, whose block 0 has been launched: runs the others until all threads have ended
  } kind;
  uint32_t index = 0; // require, stream, kernel, scope, superstep number, edge or partition
  Site site;          // of a Superstep its first statement; a step without one is at its superstep's
  uint32_t other = 0;
  bool operator==(const Step&) const = default;
};

struct Superstep {
  uint32_t first_line = 0, last_line = 0;
  bool reassigned = false; // begins after barrier(RANK_REASSIGNED)
  // Supersteps that may come next, in the order of the edges, 0 for the end of the spawn. Empty: the one with the
  // next number, or the end behind the last one.
  std::vector<uint32_t> next{};
  bool operator==(const Superstep&) const = default;
};

// The part of a Plan that is known before the spawn is split; irgen writes it.
struct Outline {
  std::string name;   // "findFaces:12" function and line
  std::string symbol; // of the plan constant in the module
  Site site;
  uint32_t rank_bits = 32;
  uint32_t block = 256;
  uint32_t width = 0; // threads that run at once on a CPU, as the program says; 0: it says nothing
  uint32_t size_offset = 0;
  uint32_t decision_offset = 0; // of plans with a Decide
  std::vector<FrameSlot> slots;
  std::vector<std::string> requires_; // symbols: int32_t f(bsgp_call*, void* frame)
  std::vector<Superstep> supersteps;  // [0] is superstep 1
  bool operator==(const Outline&) const = default;
};

struct Plan : Outline {
  Plan() = default;
  explicit Plan(Outline outline) : Outline(std::move(outline)) {}
  // In the order of their launches: one for each superstep that has anything to run, or all those of its partition.
  std::vector<Kernel> kernels;
  std::vector<Partition> partitions; // in the order of their supersteps
  std::vector<Stream> streams;
  std::vector<Step> steps;
  bool operator==(const Plan&) const = default;
};

// Returns the kernel of a superstep, from 1, or the first one of its partition; null if it has none.
const Kernel* kernelOf(const Plan& plan, uint32_t superstep);

// Returns Superstep::next of a superstep, from 1; an empty one is filled in.
std::vector<uint32_t> nextOf(const Outline& outline, uint32_t superstep);

// Returns the partition whose block 0 is that kernel; null: the superstep is one kernel.
const Partition* partitionOf(const Plan& plan, uint32_t kernel);

inline bool jumps(const Step& step) {
  return step.kind == Step::Branch || step.kind == Step::Jump;
}
bool decides(const Plan& plan); // whether it has a Decide

std::string text(const Plan& plan); // the steps: `emit plan`

} // namespace bsgp::plan
