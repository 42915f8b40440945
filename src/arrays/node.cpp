#include "arrays/node.h"

#include <fmt/format.h>

namespace bsgp::arrays {

uint32_t& currentScope() {
  thread_local uint32_t current = 0;
  return current;
}

NodeRef::NodeRef(const NodeRef& other) : node_(other.node_) {
  if (node_)
    retain(*node_);
}

NodeRef NodeRef::to(Node& node) {
  retain(node);
  return NodeRef(&node);
}

NodeRef::~NodeRef() {
  if (node_)
    bsgp::arrays::release(node_);
}

void retain(Node& node) {
  node.references_.fetch_add(1, std::memory_order_relaxed);
}

// Nodes that nobody refers to are chained by their first operand until they are freed.
void release(Node* node) {
  auto isLast = [](Node* which) { return which->references_.fetch_sub(1, std::memory_order_acq_rel) == 1; };
  if (!isLast(node))
    return;
  std::vector<Node*> dead;
  for (Node* next = node; next;) {
    Node* follows = nullptr;
    for (int i = 0; i < next->operand_count; ++i)
      if (Node* operand = next->operands[i].take(); operand && isLast(operand)) {
        if (follows)
          dead.push_back(operand);
        else
          follows = operand;
      }
    delete next;
    if (!follows && !dead.empty())
      follows = dead.back(), dead.pop_back();
    next = follows;
  }
}

NodeRef copyOf(const Node& node, std::span<const NodeRef> operands) {
  NodeRef copy(new Node(node.kind, node.type, node.shape));
  copy->weak = node.weak, copy->operation = node.operation, copy->fold = node.fold, copy->rows = node.rows;
  copy->axis = node.axis, copy->scalar = node.scalar, copy->origin = node.origin;
  if (node.details)
    copy->details = std::make_unique<Details>(*node.details);
  for (const NodeRef& operand : operands)
    copy->add(operand);
  return copy;
}

NodeRef slotFor(const Node& array) {
  NodeRef slot(new Node(Kind::Values, array.type, array.shape));
  slot->weak = array.weak;
  slot->values = std::make_shared<Buffer>(nullptr, 0); // no other array has it
  return slot;
}

std::string describeResult(const Node& node) {
  return fmt::format("the result of {}, an array of shape {} and type {}",
                     node.kind == Kind::Apply                        ? info(node.operation).name
                     : node.kind == Kind::Reduce                     ? info(node.fold).name
                     : node.details && node.details->name[0] != '\0' ? node.details->name
                                                                     : "an operation",
                     text(node.shape), info(node.type).name);
}

void setValues(Node& node, BufferRef values) {
  node.values = std::move(values);
  node.pending = 0;
  node.chain = 0;
  for (int i = 0; i < node.operand_count; ++i)
    node.operands[i] = {};
  node.operand_count = 0;
  node.details.reset();
  node.kind = Kind::Values;
}

} // namespace bsgp::arrays
