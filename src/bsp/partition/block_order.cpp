#include "bsp/partition/block_order.h"

#include <algorithm>

namespace bsgp::bsp {

namespace {

// Strongly connected components by Tarjan's algorithm, then those of each component without its header, and so on.
class LoopOrder {
public:
  explicit LoopOrder(const BlockGraph& next)
      : next_(next), level_(next.size()), index_(next.size()), low_(next.size()) {}

  std::vector<unsigned> run() {
    if (!next_.empty())
      order({0}, 0);
    return std::move(made_);
  }

private:
  // The nodes of that level which the roots reach.
  void order(const std::vector<unsigned>& roots, unsigned level) {
    std::vector<std::vector<unsigned>> components; // the last one in the order comes first
    for (unsigned root : roots)
      if (level_[root] == level && index_[root] == 0)
        visit(root, level, components);
    std::reverse(components.begin(), components.end());
    for (const std::vector<unsigned>& component : components)
      addLoop(component);
  }

  // `component`: its header first.
  void addLoop(const std::vector<unsigned>& component) {
    made_.push_back(component.front());
    if (component.size() == 1)
      return;
    unsigned inner = ++levels_;
    for (size_t i = 1; i < component.size(); ++i)
      level_[component[i]] = inner, index_[component[i]] = 0;
    std::vector<unsigned> roots = next_[component.front()];
    roots.insert(roots.end(), component.begin() + 1, component.end());
    order(roots, inner);
  }

  void visit(unsigned node, unsigned level, std::vector<std::vector<unsigned>>& components) {
    index_[node] = low_[node] = ++count_;
    size_t begin = path_.size();
    path_.push_back(node);
    for (unsigned next : next_[node]) {
      if (level_[next] != level || isDone(next))
        continue;
      if (index_[next] == 0)
        visit(next, level, components);
      low_[node] = std::min(low_[node], low_[next]);
    }
    if (low_[node] != index_[node])
      return;
    components.emplace_back(path_.begin() + long(begin), path_.end());
    path_.resize(begin);
    for (unsigned member : components.back())
      low_[member] = kDone;
  }

  static constexpr unsigned kDone = ~0u;
  bool isDone(unsigned node) const { return index_[node] != 0 && low_[node] == kDone; }

  const BlockGraph& next_;
  std::vector<unsigned> level_, index_, low_; // index 0: not visited
  std::vector<unsigned> path_, made_;
  unsigned count_ = 0, levels_ = 0;
};

} // namespace

std::vector<unsigned> loopOrder(const BlockGraph& next) {
  return LoopOrder(next).run();
}

} // namespace bsgp::bsp
