// Requires: no function outside of the kernel calls one of its functions. Ensures: every function that was reached from
// the root exists once for each machine, calls those of the same machine, and is described for it: vectors are passed
// in other registers where there are wider ones.
#include "target/cpu/machine/kernel_copies.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "target/cpu/machine/machine.h"

namespace bsgp::target {

using namespace llvm;

namespace {

using Functions = SmallSetVector<Function*, 4>;

Functions reachedFrom(Function& root) {
  Functions functions;
  functions.insert(&root);
  for (size_t i = 0; i < functions.size(); ++i)
    for (Instruction& instruction : instructions(*functions[i]))
      for (Value* operand : instruction.operands())
        if (auto* function = dyn_cast<Function>(operand); function && !function->isDeclaration())
          functions.insert(function);
  return functions;
}

// The copies, in the order of the functions.
std::vector<Function*> copy(const Functions& functions) {
  DenseMap<Value*, Function*> copies;
  std::vector<Function*> made;
  for (Function* function : functions) {
    ValueToValueMapTy values;
    made.push_back(copies[function] = CloneFunction(function, values));
  }
  for (Function* function : made)
    for (Instruction& instruction : instructions(function))
      for (Use& operand : instruction.operands())
        if (Function* other = copies.lookup(operand))
          operand.set(other);
  return made;
}

} // namespace

std::vector<Function*> copyKernel(Function& root, const std::vector<const TargetMachine*>& machines) {
  Functions functions = reachedFrom(root);
  std::vector<std::vector<Function*>> of_machines{{functions.begin(), functions.end()}};
  while (of_machines.size() < machines.size())
    of_machines.push_back(copy(functions));
  std::vector<std::string> names;
  for (Function* function : functions)
    names.push_back(function->getName().str());
  std::vector<Function*> roots;
  for (size_t m = 0; m < machines.size(); ++m) {
    for (size_t i = 0; i < names.size(); ++i) {
      of_machines[m][i]->setName(names[i] + "." + machines[m]->getTargetCPU());
      describeFunction(*of_machines[m][i], *machines[m]);
    }
    roots.push_back(of_machines[m][0]);
  }
  return roots;
}

} // namespace bsgp::target
