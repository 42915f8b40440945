#include "arrays/function.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/mixed.h"
#include "arrays/open.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

namespace {

constexpr size_t kMostInstances = 64;

bool fits(const Shape& given, const Shape& wanted) {
  for (int i = 0; i < given.rank; ++i)
    if (wanted[i] >= 0 && wanted[i] != given[i])
      return false;
  return given.rank == wanted.rank;
}

} // namespace

Result<std::unique_ptr<Function>> Function::make(std::span<const NodeRef> parameters, std::span<const NodeRef> outputs,
                                                 bool is_stage) {
  std::unique_ptr<Function> function(new Function(parameters, outputs, is_stage));
  for (size_t i = 0; i < parameters.size() && !is_stage; ++i)
    if (!isParameter(*parameters[i]))
      return Error{fmt::format("function: parameter {} is an array; parameters are made by `parameter`", i)};
  if (auto sorted = function->sortNodes(); !sorted)
    return sorted.error();
  return function;
}

Result<void> Function::sortNodes() {
  std::unordered_set<const Node*> known;
  for (const NodeRef& parameter : parameters_)
    known.insert(parameter.get());
  for (const NodeRef& output : outputs_) {
    std::vector<std::pair<Node*, int>> open{{output.get(), 0}};
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (known.count(node) || node->isComputed()) {
        open.pop_back();
      } else if (isParameter(*node)) {
        return Error{fmt::format("function: an output depends on a parameter of shape {} and type {}, which is not "
                                 "among the parameters",
                                 text(node->shape), info(node->type).name)};
      } else if (next < node->operand_count) {
        open.push_back({node->operands[next++].get(), 0});
      } else {
        known.insert(node);
        nodes_.push_back(NodeRef::to(*node));
        open.pop_back();
      }
    }
  }
  return {};
}

// A number of the text takes the type of the parameter.
Result<NodeRef> Function::argument(size_t number, const NodeRef& given) const {
  const Node& wanted = *parameters_[number];
  if (isOpen(*given))
    return Error{fmt::format("function: argument {} depends on a parameter, and has no values", number)};
  if (!is_stage_ && !fits(given->shape, wanted.shape))
    return Error{fmt::format("function: argument {} has shape {}, its parameter {}", number, text(given->shape),
                             text(wanted.shape))};
  if (given->type == wanted.type)
    return given;
  if (!given->weak || commonType({wanted.type}, {given->type, true}).type != wanted.type)
    return Error{fmt::format("function: argument {} has type {}, its parameter {}\n  help: astype converts it", number,
                             info(given->type).name, info(wanted.type).name),
                 Mistake::Type};
  if (auto in = fitsType("function", std::span(&given, 1), wanted.type); !in)
    return in.error();
  return makeCast(given, wanted.type);
}

// The outputs for arrays whose shapes are known.
Result<std::vector<NodeRef>> Function::closed(std::span<const NodeRef> slots) const {
  std::unordered_map<const Node*, NodeRef> made;
  for (size_t i = 0; i < parameters_.size(); ++i)
    made[parameters_[i].get()] = slots[i];
  auto closedOf = [&](const NodeRef& node) { return made.count(node.get()) ? made.at(node.get()) : node; };
  for (const NodeRef& node : nodes_) {
    std::vector<NodeRef> operands;
    for (int i = 0; i < node->operand_count; ++i)
      operands.push_back(closedOf(node->operands[i]));
    if (node->isComputed() || !isOpen(*node)) {
      made[node.get()] = node->isComputed() ? node : copyOf(*node, operands);
      continue;
    }
    currentOrigin() = node->origin;
    auto again = node->details->maker(operands);
    currentOrigin() = 0;
    if (!again)
      return again.error();
    made[node.get()] = again.take();
  }
  std::vector<NodeRef> outputs;
  for (const NodeRef& output : outputs_)
    outputs.push_back(closedOf(output));
  return outputs;
}

Result<std::unique_ptr<Function::Instance>> Function::instanceFor(std::span<const NodeRef> arguments, bool fuse) const {
  auto instance = std::make_unique<Instance>();
  for (size_t i = 0; i < arguments.size(); ++i) {
    instance->slots.push_back(slotFor(*arguments[i]));
    instance->slots.back()->weak = parameters_[i]->weak;
  }
  auto outputs = closed(instance->slots);
  if (!outputs)
    return outputs.error();
  instance->outputs = outputs.take();
  std::vector<Node*> open;
  for (const NodeRef& output : instance->outputs)
    if (!output->isComputed() && output->kind != Kind::Scalar)
      open.push_back(output.get());
  instance->bound = bindable(open, fuse);
  return instance;
}

Result<Function::Checked> Function::checked(std::span<const NodeRef> arguments) const {
  if (arguments.size() != parameters_.size())
    return Error{fmt::format("function: {} arguments for {} parameters", arguments.size(), parameters_.size()),
                 Mistake::Type};
  Checked given{{}, {options().fuse, {}}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto fitting = argument(i, arguments[i]);
    if (!fitting)
      return fitting.error();
    const Shape& shape = (*fitting)->shape;
    given.key.extents.insert(given.key.extents.end(), shape.extents, shape.extents + shape.rank);
    given.arguments.push_back(fitting.take());
  }
  return given;
}

// The caller holds the engine's lock.
Result<Function::Instance*> Function::instanceOf(const Checked& given) {
  auto found = instances_.find(given.key);
  if (found == instances_.end()) {
    auto made = instanceFor(given.arguments, given.key.fuse);
    if (!made)
      return made.error();
    if (instances_.size() >= kMostInstances)
      instances_.clear();
    found = instances_.emplace(given.key, made.take()).first;
  }
  return found->second.get();
}

Result<std::vector<NodeRef>> Function::call(std::span<const NodeRef> arguments, bool& is_refused) {
  auto given = checked(arguments);
  is_refused = !given;
  if (!given)
    return given.error();
  std::vector<Node*> open;
  for (const NodeRef& argument : given->arguments)
    if (!argument->isComputed())
      open.push_back(argument.get());
  if (auto done = open.empty() ? Result<void>() : evaluate(open); !done)
    return done.error();
  EngineLock lock;
  auto instance = instanceOf(*given);
  is_refused = !instance;
  if (!instance)
    return instance.error();
  return runBound((*instance)->bound, (*instance)->slots, given->arguments, (*instance)->outputs);
}

Result<std::vector<NodeRef>> Function::apply(std::span<const NodeRef> arguments) const {
  auto given = checked(arguments);
  if (!given)
    return given.error();
  return closed(given->arguments);
}

Result<Explanation> Function::explainCall(std::span<const NodeRef> arguments) {
  auto given = checked(arguments);
  if (!given)
    return given.error();
  EngineLock lock;
  auto instance = instanceOf(*given);
  if (!instance)
    return instance.error();
  return explain((*instance)->bound.schedule);
}

} // namespace bsgp::arrays
