#include "arrays/cut.h"

#include <unordered_map>
#include <unordered_set>

#include "arrays/engine.h"
#include "arrays/open.h"

namespace bsgp::arrays {

namespace {

// Calls visit(node) for each node of a graph once; it returns whether to follow the operands.
template <class Visit> void walk(std::span<const NodeRef> roots, const Visit& visit) {
  std::unordered_set<Node*> seen;
  std::vector<Node*> open;
  auto push = [&](Node* node) {
    if (seen.insert(node).second)
      open.push_back(node);
  };
  for (const NodeRef& root : roots)
    push(root.get());
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (visit(node))
      for (int i = 0; i < node->operand_count; ++i)
        push(node->operands[i].get());
  }
}

bool onlyMoves(const Node& node) {
  return node.kind == Kind::Transform || node.kind == Kind::Reshape || node.kind == Kind::Index ||
         (isOpen(node) && node.details->is_moved);
}

} // namespace

Cut cutOf(std::span<const NodeRef> roots, std::span<const NodeRef> known, std::span<const NodeRef> earlier,
          uint32_t scope) {
  EngineLock nobody_evaluates;
  Cut cut{std::vector<bool>(known.size()), {}};
  std::unordered_map<Node*, size_t> numbers;
  for (size_t i = 0; i < known.size(); ++i)
    numbers.emplace(known[i].get(), i);
  std::unordered_set<Node*> before, first;
  for (const NodeRef& root : earlier)
    first.insert(root.get());
  walk(earlier, [&](Node* node) {
    bool is_followed = !node->isComputed() && (first.count(node) || !numbers.count(node));
    return is_followed && before.insert(node).second;
  });
  walk(roots, [&](Node* node) {
    if (auto found = numbers.find(node); found != numbers.end()) {
      cut.is_reached[found->second] = true;
      return false;
    }
    if (node->isComputed() || node->kind == Kind::Scalar)
      return false;
    bool is_outside = scope ? node->scope != scope : before.count(node) > 0;
    if (!is_outside || onlyMoves(*node))
      return true;
    cut.crossing.push_back(NodeRef::to(*node));
    return false;
  });
  return cut;
}

} // namespace bsgp::arrays
