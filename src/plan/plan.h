// The Plan of one spawn: what the host does, step by step, as plain data with a text form. bsp makes it, a target
// lowers it to the constants of plan_abi.h, the runtime executes those.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bsgp::plan {

struct Site {
  std::string file;
  uint32_t line = 0, column = 0;
};

// A host variable version that device code reads: one scalar in the host frame.
struct FrameSlot {
  std::string name; // "n", "n@2" for a later version, "p.x" for a part
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

struct Param {
  enum Kind : uint8_t { Frame, Stream, Size, OldSize } kind;
  uint32_t index = 0; // Frame: slot number; Stream: stream number
  std::string name;
};

struct Kernel {
  std::string symbol;        // of the scalar thread function in the module
  std::vector<Param> params; // in the order of the function's arguments
  uint32_t superstep = 1;
  uint32_t first_line = 0, last_line = 0;
  uint32_t loaded = 0, stored = 0; // stream bytes a thread reads and writes
};

// A value that crosses a barrier: a row of the paper's tables 1 and 2.
struct CrossingValue {
  std::string name;
  uint32_t defined = 1;       // superstep
  std::vector<uint32_t> used; // supersteps
  bool stored = false;        // false: recomputed where it is used
  std::string how;            // stored: "stream 0, stream 2"; else "recomputed from rank", "oldrank", ...
  uint32_t bytes = 0;         // per thread
};

// An edge of the flow graph, figure 4 of the paper: times are 2*superstep (beginning) and 2*superstep+1 (end).
struct StreamValue {
  std::string name;
  uint32_t start = 0, end = 0; // closed interval
  uint32_t bytes = 0;          // per thread
  uint32_t generation = 0;     // thread count: how many reassignments came before
  uint32_t stream = 0;         // assigned
};

struct Stream {
  uint32_t bytes = 0; // per thread
  uint32_t generation = 0;
};

struct Step {
  enum Kind : uint8_t { Require, Allocate, Clear, Launch, Free, FreeTemps, Superstep } kind;
  uint32_t index = 0; // require, stream, kernel, scope or superstep number
  Site site;
};

struct Superstep {
  uint32_t first_line = 0, last_line = 0;
  bool reassigned = false; // begins after barrier(RANK_REASSIGNED)
  int kernel = -1;         // -1: nothing to run
};

struct Plan {
  std::string name;   // "findFaces:12" function and line
  std::string symbol; // of the plan constant in the module
  Site site;
  uint32_t rank_bits = 32;
  uint32_t block = 256;
  uint32_t width = 0; // threads that run at once on a CPU, as the program says; 0: it says nothing
  uint32_t size_offset = 0;
  std::vector<FrameSlot> slots;
  std::vector<std::string> requires_; // symbols: int32_t f(bsgp_call*, void* frame)
  std::vector<Kernel> kernels;
  std::vector<Stream> streams;
  std::vector<Step> steps;
  std::vector<Superstep> supersteps; // [0] is superstep 1
  std::vector<CrossingValue> crossing;
  std::vector<StreamValue> values;
  std::vector<std::string> remarks; // what an array across a barrier costs, ...
};

std::string text(const Plan& plan);           // the steps: `emit plan`
std::string superstepsText(const Plan& plan); // `emit supersteps`: the paper's tables 1 and 2
std::string superstepsJson(const Plan& plan);
std::string streamsText(const Plan& plan); // `emit streams`: flow graph and assignment
std::string streamsDot(const Plan& plan);  // the same as Graphviz

} // namespace bsgp::plan
