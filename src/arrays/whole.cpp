#include "arrays/whole.h"

#include "arrays/build.h"
#include "arrays/engine.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

Result<NodeRef> makeWhole(const WholeOperation& operation, bsgp_dtype type, const Shape& shape,
                          std::span<const NodeRef> operands, std::vector<int64_t> numbers) {
  NodeRef node(new Node(Kind::Whole, type, shape));
  node->details = std::make_unique<Details>();
  node->details->name = operation.name;
  node->details->whole = &operation;
  node->details->numbers = std::move(numbers);
  node->origin = currentOrigin();
  for (const NodeRef& operand : operands) {
    // Kernels have numbers in their code, and nobody stores them.
    auto array = operand->kind == Kind::Scalar ? makeValues(&operand->scalar, operand->type, operand->shape) : operand;
    if (!array)
      return array;
    node->add(array.take());
  }
  return node;
}

Result<void> runWhole(const Kernel& kernel, runtime::Pool& pool) {
  Node& node = *kernel.alone;
  auto to = allocate(node.bytes(), describeResult(node));
  if (!to)
    return to.error();
  WholeCall call{{},         node.details->numbers, (*to)->data(),   node.type,
                 node.shape, node.details->name,    options().exact, pool};
  for (const Load& load : kernel.loads)
    call.operands.push_back({load.array->values->data(), load.array->type, load.shape});
  auto done = node.details->whole->run(call);
  if (!done)
    return at(node.origin, done.error());
  node.values = to.take();
  return done;
}

} // namespace bsgp::arrays
