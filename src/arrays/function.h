// Functions: a graph whose parameters are bound to other arrays in each call.
#pragma once

#include <map>

#include "arrays/engine.h"

namespace bsgp::arrays {

class Function {
public:
  // Fails where an output depends on a parameter that is not among `parameters`, or one of these is none.
  // is_stage: it is a part of a larger graph, whose arrays are its parameters; other parts give the arguments, of any extents.
  static Result<std::unique_ptr<Function>> make(std::span<const NodeRef> parameters, std::span<const NodeRef> outputs,
                                                bool is_stage);

  // The outputs, computed of `arguments`, one for each parameter. is_refused: after a failure, whether the arguments do not fit.
  Result<std::vector<NodeRef>> call(std::span<const NodeRef> arguments, bool& is_refused);
  // The outputs as a graph of the arguments; computes nothing.
  Result<std::vector<NodeRef>> apply(std::span<const NodeRef> arguments) const;
  // Says what a call does.
  Result<Explanation> explainCall(std::span<const NodeRef> arguments);

private:
  // The graph for arguments of some shapes, scheduled once.
  struct Instance {
    std::vector<NodeRef> slots; // arrays that stand for the arguments
    std::vector<NodeRef> outputs;
    Bound bound;
  };
  struct Key {
    bool fuse;
    std::vector<int64_t> extents; // of all arguments
    auto operator<=>(const Key&) const = default;
  };

  Function(std::span<const NodeRef> parameters, std::span<const NodeRef> outputs, bool is_stage)
      : parameters_(parameters.begin(), parameters.end()), outputs_(outputs.begin(), outputs.end()),
        is_stage_(is_stage) {}
  Result<void> sortNodes();
  Result<NodeRef> argument(size_t number, const NodeRef& given) const;
  Result<std::vector<NodeRef>> closed(std::span<const NodeRef> slots) const;
  struct Checked {
    std::vector<NodeRef> arguments;
    Key key;
  };
  Result<Checked> checked(std::span<const NodeRef> arguments) const;
  Result<Instance*> instanceOf(const Checked& given);
  Result<std::unique_ptr<Instance>> instanceFor(std::span<const NodeRef> arguments, bool fuse) const;

  std::vector<NodeRef> parameters_, outputs_;
  bool is_stage_;
  std::vector<NodeRef> nodes_; // all that are not computed, operands first
  std::map<Key, std::unique_ptr<Instance>> instances_;
};

} // namespace bsgp::arrays
