// Operations that are computed in passes of their own, of whole arrays: they read places that other operations do not know.
//
// Such an operation is a value of this type and a few numbers; the graph, schedules and functions know nothing more of it.
#pragma once

#include "arrays/kernel.h"
#include "runtime/cpu/pool.h"

namespace bsgp::arrays {

// An operand, computed; rows first.
struct WholeOperand {
  const void* data;
  bsgp_dtype type;
  Shape shape;
  template <class T> const T* as() const { return static_cast<const T*>(data); }
};

struct WholeCall {
  std::vector<WholeOperand> operands;
  const std::vector<int64_t>& numbers; // the node's
  void* to;                            // memory for the result
  bsgp_dtype type;
  Shape shape;
  const char* name; // the operation's
  bool exact;       // the caller asks for an order that depends on the shape alone
  runtime::Pool& pool;
  template <class T> T* result() const { return static_cast<T*>(to); }
};

struct WholeOperation {
  const char* name;
  Result<void> (*run)(const WholeCall& call);
  const char* library = nullptr;  // that computes it: last bits may differ from machine to machine
  bool is_exact_if_asked = false; // by the option
};

// operation: lives as long as the process.
Result<NodeRef> makeWhole(const WholeOperation& operation, bsgp_dtype type, const Shape& shape,
                          std::span<const NodeRef> operands, std::vector<int64_t> numbers);

// Gives a kernel's node of Kind::Whole its values. Its operands are computed.
Result<void> runWhole(const Kernel& kernel, runtime::Pool& pool);

} // namespace bsgp::arrays
