// The reason why a value can differ between threads: found by uniform.cpp (may the host compute it?), block_flow.cpp (is it the same
// in a block?) and misplaced.cpp (why does a variable live with the threads?).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/source.h"

namespace bsgp::sema {

struct Difference {
  // The source of the difference. `name` is a variable, a function, a member or a jump.
  enum Root : uint8_t {
    Unknown,
    OfThread,            // a variable of each thread
    RankInThread,        // thread.rank, block.rank
    BlockMember,         // block.id, block.size
    WarpMember,          // warp.rank, warp.id, warp.size
    Get,                 // thread.get
    Memory,              // device memory, whose address or content the host does not know
    PrivateMemory,       // an array of the thread
    Assignment,          // inside of an expression
    Address,             // of a variable of the thread
    Collective,          // a call that gives each thread a value, and thread.put
    CallInThread,        // of a function
    BuiltinInThread,     // a call of the language's own
    Renumbered,          // ranks were assigned after the variable got its value
    AddressTaken,        // of the variable
    WarpExchange,        // a shuffle or ballot
    Asm,                 // the outputs
    Append,              // the place of an element
    AtomicLoad,          // an atomic_load
    Atomic,              // any other atomic operation
    TooManyParameters,   // for the analysis
    ChangedInExpression, // a variable that the host could have otherwise
    ChangedByAddress,    // such a variable, by reference or by its address
    TakenBySome,         // a break or continue
  };
  // The last step from there to the value. `through` is a function, a variable or a jump.
  enum Step : uint8_t {
    Direct,        // the value itself
    Returned,      // by a function
    Assigned,      // to a variable
    AssignedUnder, // to a variable, under a condition that differs
    JumpUnder,     // a jump, under a condition that differs
  };
  Root root = Unknown;
  Step step = Direct;
  std::string_view name{}, through{};
  SourceRange where{}; // the place of the step

  // The same source, with another last step.
  Difference reached(Step by, std::string_view whose, SourceRange at) const { return {root, by, name, whose, at}; }
};

// The reason in words: "'x' gets its value here, and 'thread.rank' is different in every thread".
std::string textOf(const Difference& difference);

} // namespace bsgp::sema
