#include "arrays/device/run.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "arrays/device/code.h"
#include "arrays/device/memory.h"
#include "arrays/device/parts.h"
#include "arrays/device/program.h"
#include "arrays/device/rows.h"
#include "arrays/loops/loops.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

namespace {

using Function = bsgp_status (*)(bsgp_context*, const char* arguments, int64_t n);

std::string describe(const Node& node) {
  return fmt::format("an array of shape {} and type {}", text(node.shape), info(node.type).name);
}

// The language has no complex numbers, and no function of an operation of whole arrays.
bool isForLoops(const Kernel& kernel) {
  auto isComplexNode = [](const NodeRef& node) { return node && isComplex(node->type); };
  return (kernel.alone && kernel.alone->kind == Kind::Whole) || isComplexNode(kernel.alone) ||
         std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const Instruction& made) { return isComplex(made.type) || isComplex(made.from); });
}

class Evaluation {
public:
  using ByLoops = std::function<Result<void>(const Kernel&)>;

  Evaluation(Target target, bsgp_context* context, const Schedule& schedule, const ByLoops& by_loops)
      : target_(target), context_(context), by_loops_(by_loops) {
    for (size_t i = 0; i < schedule.kernels.size(); ++i)
      for (const Load& load : schedule.kernels[i].loads)
        last_use_[load.array.get()] = i;
  }

  Result<void> run(const Kernel& kernel) {
    if (isForLoops(kernel))
      return runByLoops(kernel);
    for (const Load& load : kernel.loads)
      if (auto there = bring(*load.array); !there)
        return there;
    if (!kernel.alone)
      return runPlaces(kernel);
    auto to = make(*kernel.alone);
    return to ? runRowsOn(target_, kernel, *arrays_.at(kernel.loads[0].array.get()), **to) : to.error();
  }

  // Ends arrays that no kernel behind the one of this number reads.
  void forget(size_t kernel) {
    std::erase_if(arrays_, [&](const auto& each) {
      auto last = last_use_.find(each.first);
      return last == last_use_.end() || last->second <= kernel;
    });
  }

  // Gives a node its values, which it has here or on the target.
  Result<void> takeBack(Node& node) const {
    if (node.values)
      return {};
    auto buffer = allocate(node.bytes(), describe(node));
    if (!buffer)
      return buffer.error();
    auto copied = copyFrom(context_, (*buffer)->data(), arrays_.at(&node)->data(), node.bytes());
    if (copied)
      node.values = buffer.take();
    return copied;
  }

private:
  Result<void> runByLoops(const Kernel& kernel) {
    for (const Load& load : kernel.loads)
      if (auto back = takeBack(*load.array); !back)
        return back;
    return by_loops_(kernel);
  }

  Result<void> bring(const Node& node) {
    DeviceRef& there = arrays_[&node];
    if (there)
      return {};
    auto copied = copyTo(context_, node.values->data(), node.bytes(), describe(node));
    if (!copied)
      return copied.error();
    there = copied.take();
    return {};
  }

  Result<DeviceRef> make(const Node& node) {
    auto made = allocateOn(context_, node.bytes(), describe(node));
    if (made)
      arrays_[&node] = *made;
    return made;
  }

  Result<void> runPlaces(const Kernel& kernel) {
    for (const Output& output : kernel.outputs)
      if (auto made = make(*output.node); !made)
        return made.error();
    bool folds = std::any_of(kernel.outputs.begin(), kernel.outputs.end(), [](const Output& o) { return o.is_fold; });
    if (folds && kernel.places.reducedElements() == 0)
      return fillIdentities(kernel);
    if (kernel.places.shape.elements() == 0)
      return {};
    for (const Kernel& part : partsOf(kernel))
      if (auto done = launch(part); !done)
        return done;
    return {};
  }

  // Reductions of no values.
  Result<void> fillIdentities(const Kernel& kernel) {
    for (const Output& output : kernel.outputs) {
      std::vector<char> values(output.node->bytes());
      for (size_t at = 0; at < values.size(); at += info(output.node->type).bytes)
        identityOf(info(output.node->fold).combines, output.node->type, &values[at]);
      auto copied = copyTo(context_, values.data(), values.size(), describe(*output.node));
      if (!copied)
        return copied.error();
      arrays_[output.node.get()] = copied.take();
    }
    return {};
  }

  Result<void> launch(const Kernel& kernel) {
    Addresses addresses;
    for (const Load& load : kernel.loads)
      addresses.loads.push_back(arrays_.at(load.array.get())->data());
    for (const Output& output : kernel.outputs)
      addresses.outputs.push_back(arrays_.at(output.node.get())->data());
    const int64_t none[2] = {};
    DeviceRef wrong;
    if (std::any_of(kernel.code.begin(), kernel.code.end(),
                    [](const auto& i) { return i.kind == Instruction::Gather; })) {
      auto made = copyTo(context_, none, sizeof none, "the indices of a gather");
      if (!made)
        return made.error();
      wrong = made.take();
      addresses.wrong = wrong->data();
    }
    Fields fields;
    Form form = formOf(kernel, addresses, fields);
    auto function = functionOf(sourceOf(form, fields), target_);
    if (!function)
      return function.error();
    std::vector<char> bytes = bytesOf(fields);
    auto arguments = copyTo(context_, bytes.data(), bytes.size(), "the arguments of a kernel");
    if (!arguments)
      return arguments.error();
    int64_t n = form.hasThreadsForResults() ? kernel.places.outerElements() * kernel.places.innerElements()
                                            : kernel.places.shape.elements();
    auto done = asResult(reinterpret_cast<Function>(*function)(context_, (*arguments)->data(), n));
    return done && wrong ? checkIndices(kernel, *wrong) : done;
  }

  static Source sourceOf(const Form& form, const Fields& fields) {
    return {kKernelName, text(form),
            [=](compile::TreeMaker& maker) { return programOf(form, fields, maker.nodes, maker.texts[0]); }};
  }

  Result<void> checkIndices(const Kernel& kernel, const DeviceBuffer& wrong) const {
    int64_t found[2];
    if (auto copied = copyFrom(context_, found, wrong.data(), sizeof found); !copied || found[0] == 0)
      return copied;
    const Load& load = kernel.loads[kernel.code[size_t(found[0]) - 1].index];
    return at(load.origin,
              {fmt::format("gather: index {} in an axis of {} elements", found[1], load.shape[load.gathered]),
               Mistake::Index});
  }

  Target target_;
  bsgp_context* context_;
  const ByLoops& by_loops_;
  std::unordered_map<const Node*, DeviceRef> arrays_;
  std::unordered_map<const Node*, size_t> last_use_; // the last kernel that reads an array
};

// The nodes whose values are wanted, and those that they are equal to.
std::unordered_set<const Node*> allWanted(const Schedule& schedule, std::span<Node* const> wanted) {
  std::unordered_set<const Node*> all(wanted.begin(), wanted.end());
  for (size_t before = 0; before != all.size();) {
    before = all.size();
    for (const auto& [node, other] : schedule.equal)
      if (all.count(node.get()))
        all.insert(other.get());
  }
  return all;
}

} // namespace

Result<void> runOn(Target target, const Schedule& schedule, std::span<Node* const> wanted,
                   const std::function<Result<void>(const Kernel&)>& by_loops) {
  auto context = contextOf(target);
  if (!context)
    return context.error();
  std::unordered_set<const Node*> all = allWanted(schedule, wanted);
  Evaluation evaluation(target, *context, schedule, by_loops);
  for (size_t i = 0; i < schedule.kernels.size(); ++i) {
    const Kernel& kernel = schedule.kernels[i];
    if (auto done = evaluation.run(kernel); !done)
      return done;
    std::vector<Node*> made;
    if (kernel.alone)
      made.push_back(kernel.alone.get());
    for (const Output& output : kernel.outputs)
      made.push_back(output.node.get());
    for (Node* node : made)
      if (all.count(node))
        if (auto back = evaluation.takeBack(*node); !back)
          return back;
    evaluation.forget(i);
  }
  return {};
}

} // namespace bsgp::arrays
