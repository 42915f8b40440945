// The graph of what arrays are computed from. Nodes never change, but for the values that an evaluation gives them.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrays/buffer.h"
#include "arrays/operations.h"
#include "arrays/shape.h"
#include "arrays/view.h"

namespace bsgp::arrays {

enum class Kind : uint8_t {
  Values, // computed, or copied in
  Scalar, // one number
  Index,  // the coordinate along `axis`
  Apply,  // an operation on elements
  Cast,
  Transform, // operand 0 by a View; outside of `inside`, operand 1
  Reshape,   // operand 0, its elements in the same order
  Reduce,
  Gather, // operand 0 along `axis`, at the indices of operand 1
  Rows,   // `rows` of each row of operand 0
  Whole,  // an operation of whole arrays (whole.h)
  Open,   // depends on a parameter of a function (open.h)
};

// The bytes of one element of any type; those behind it are 0.
struct Number {
  uint64_t words[2] = {};
  bool operator==(const Number&) const = default;
};

class NodeRef;
struct WholeOperation;
// Makes a node of other operands than those that it was made of.
using Maker = std::function<Result<NodeRef>(std::span<const NodeRef>)>;

// These fields belong to some kinds of nodes alone.
struct Details {
  const char* name = ""; // of the transformation
  View view;             // Transform
  std::vector<Inside> inside;
  std::vector<int32_t> axes; // Reduce: ascending
  Maker maker;               // Open; none: it is the parameter
  bool is_moved = false;     // Open: elements of its operands at other places
  const WholeOperation* whole = nullptr;
  std::vector<int64_t> numbers; // of the Whole
};

class Node;

// It is computed in a pass of its own, which makes nothing else.
inline bool isAlone(Kind kind) {
  return kind == Kind::Rows || kind == Kind::Whole;
}

// A counted reference. The last one frees what it refers to without recursion, however long the graph is.
class NodeRef {
public:
  NodeRef() = default;
  explicit NodeRef(Node* adopted) : node_(adopted) {}
  static NodeRef to(Node& node); // one more owner
  NodeRef(const NodeRef& other);
  NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodeRef& operator=(NodeRef other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodeRef();
  Node* get() const { return node_; }
  Node* operator->() const { return node_; }
  Node& operator*() const { return *node_; }
  explicit operator bool() const { return node_; }
  Node* take() { return std::exchange(node_, nullptr); } // the owner is the caller

private:
  Node* node_ = nullptr;
};

// Nodes that this thread makes belong to it (cut.h); 0: to none.
uint32_t& currentScope();

class Node {
public:
  Node(Kind kind, bsgp_dtype type, const Shape& shape) : kind(kind), type(type), shape(shape), scope(currentScope()) {}

  Kind kind;
  bsgp_dtype type;
  bool weak = false; // Scalar: a number of the program's text
  uint8_t operand_count = 0;
  bsgp_operation operation = BSGP_OP_ADD; // Apply
  bsgp_fold fold = BSGP_FOLD_SUM;         // Reduce
  bsgp_rows rows = BSGP_ROWS_SORT;
  int32_t axis = 0; // Index, Gather
  Shape shape;
  NodeRef operands[3];
  Number scalar;
  std::unique_ptr<Details> details;
  std::atomic<int64_t> pending{0}; // bytes of the longest chain of operations that it needs, as if each were stored
  std::atomic<int32_t> chain{0};   // the number of operations in it
  BufferRef values;                // rows first; null: not computed
  // The number of its value in the schedule that was made last of it: equal nodes have one. Under the engine's lock.
  uint32_t schedule = 0;
  int32_t number = -1;
  uint32_t origin = 0; // the place in the program that errors of its evaluation name (origin.h)
  uint32_t scope;      // that it was made in

  void add(NodeRef operand) {
    // A node takes memory itself; products of a reduction are never stored, however many they are.
    constexpr int64_t kLeastBytes = 4096, kMostBytes = 1 << 28;
    pending = std::max(pending.load(), operand->pending + std::clamp(int64_t(bytes()), kLeastBytes, kMostBytes));
    chain = std::max(chain.load(), operand->chain + 1);
    operands[operand_count++] = std::move(operand);
  }
  bool isComputed() const { return values != nullptr; }
  int64_t elements() const { return shape.elements(); }
  size_t bytes() const { return size_t(elements()) * info(type).bytes; }

private:
  friend void retain(Node& node);
  friend void release(Node* node);
  std::atomic<uint32_t> references_{1};
};

// A node with the same meaning, of other operands.
NodeRef copyOf(const Node& node, std::span<const NodeRef> operands);
// An array in whose place others of its type and shape are put, one after the other.
NodeRef slotFor(const Node& array);

// For messages: "the result of add, an array of shape (3,) and type float32".
std::string describeResult(const Node& node);

void retain(Node& node);
void release(Node* node);

// The node is computed: it has values, and no operands any more.
void setValues(Node& node, BufferRef values);

} // namespace bsgp::arrays
