// Programs for more machines than one: their kernels for each of them, a table of those for the runtime, host code for
// what they have in common.
#include <cstddef>
#include <map>

#include <llvm/MC/MCSubtargetInfo.h>

#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/common/add_constant.h"
#include "target/common/plan_constants.h"
#include "target/cpu/cpu_target.h"
#include "target/cpu/machine/entry_guard.h"
#include "target/cpu/machine/kernel_copies.h"
#include "target/cpu/machine/machine.h"

namespace bsgp::target {

using namespace llvm;

// The literal struct types below follow these layouts.
static_assert(sizeof(bsgp_cpu) == 24 && offsetof(bsgp_cpu, features) == 8 && offsetof(bsgp_cpu, kernels) == 16);
static_assert(sizeof(bsgp_cpus) == 32 && offsetof(bsgp_cpus, chosen) == 0 && offsetof(bsgp_cpus, cpus) == 16);

namespace {

constexpr char kPlain[] = "x86-64"; // every machine of this kind can run it

struct Cpu {
  std::unique_ptr<TargetMachine> machine;
  uint64_t features = 0;
  std::string name() const { return machine->getTargetCPU().str(); }
};

// `triple`: as CpuOptions::triple.
Result<std::vector<Cpu>> machinesOf(const std::vector<std::string>& names, const std::string& triple = "") {
  std::vector<Cpu> cpus;
  for (const std::string& name : names) {
    CpuOptions options;
    options.cpu = name;
    options.triple = triple;
    auto machine = createMachine(options);
    if (!machine)
      return machine.error();
    if (Triple((*machine)->getTargetTriple()).isX86() && !(*machine)->getMCSubtargetInfo()->checkFeatures("+64bit"))
      return Error{name + " is a CPU of 32 bits; code is made for those of 64"};
    uint64_t features = featuresOf(**machine);
    cpus.push_back({machine.take(), features});
  }
  return cpus;
}

// A machine takes the last CPU that it is like: none may ask for less than one before it.
Result<void> checkOrder(const std::vector<Cpu>& cpus) {
  for (size_t later = 1; later < cpus.size(); ++later)
    for (size_t i = 0; i < later; ++i)
      if ((cpus[later].features & ~cpus[i].features) == 0)
        return Error{"of the CPUs " + cpus[i].name() + " and " + cpus[later].name() +
                     " the first would never be chosen: what can run it can run the second, which comes later and so "
                     "counts as better; name them from the oldest to the newest"};
  return {};
}

// The newest level of the architecture that all of them include.
std::string commonLevel(const std::vector<Cpu>& cpus) {
  std::string common = kPlain;
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    uint64_t needed = *cpuFeatures(level);
    if (all_of(cpus, [&](const Cpu& cpu) { return (needed & ~cpu.features) == 0; }))
      common = level;
  }
  return common;
}

// One kernel of a plan: the place of its function, and the function for each CPU.
struct Slot {
  Constant* place;
  const std::vector<Function*>* functions;
};

class CpuTable {
public:
  CpuTable(ir::Kernels& program, const std::vector<Cpu>& cpus)
      : program_(program), module_(*program.module), cpus_(cpus) {}

  GlobalVariable* make() {
    if (cpus_.size() > 1)
      copyKernels();
    std::vector<Constant*> records, places;
    for (size_t i = 0; i < cpus_.size(); ++i)
      records.push_back(cpu(i));
    for (const Slot& slot : slots_)
      places.push_back(slot.place);
    Constant* fields[] = {number(0), number(cpus_.size()), number(slots_.size()), array(records), array(places)};
    GlobalVariable* table = variable(ConstantStruct::getAnon(fields));
    table->setConstant(false);
    table->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
    return table;
  }

private:
  Constant* number(uint32_t value) { return ConstantInt::get(Type::getInt32Ty(module_.getContext()), value); }

  GlobalVariable* variable(Constant* value) { return addConstant(module_, value, "cpus"); }

  Constant* array(const std::vector<Constant*>& elements) {
    if (elements.empty())
      return ConstantPointerNull::get(PointerType::get(module_.getContext(), 0));
    return variable(ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements));
  }

  Constant* cpu(size_t index) {
    std::vector<Constant*> kernels;
    for (const Slot& slot : slots_)
      kernels.push_back((*slot.functions)[index]);
    auto* features = ConstantInt::get(Type::getInt64Ty(module_.getContext()), cpus_[index].features);
    Constant* name = variable(ConstantDataArray::getString(module_.getContext(), cpus_[index].name()));
    return ConstantStruct::getAnon({name, features, array(kernels)});
  }

  void copyKernels() {
    std::vector<const TargetMachine*> machines;
    for (const Cpu& cpu : cpus_)
      machines.push_back(cpu.machine.get());
    for (const plan::Plan& plan : program_.plans)
      for (const plan::Kernel& kernel : plan.kernels)
        if (Function* root = module_.getFunction(kernel.symbol + ".blocks")) // two supersteps may share a kernel
          copies_[kernel.symbol] = copyKernel(*root, machines);
    for (const plan::Plan& plan : program_.plans) {
      KernelSlots places = makeKernelsVariable(module_, plan);
      for (size_t i = 0; i < plan.kernels.size(); ++i)
        slots_.push_back({places.slot(i), &copies_.at(plan.kernels[i].symbol)});
    }
  }

  ir::Kernels& program_;
  Module& module_;
  const std::vector<Cpu>& cpus_;
  std::map<std::string, std::vector<Function*>> copies_; // of each kernel, for each CPU
  std::vector<Slot> slots_;
};

} // namespace

Result<uint64_t> cpuFeatures(const std::string& cpu) {
  auto machines = machinesOf({cpu});
  if (!machines)
    return machines.error();
  return machines->front().features;
}

Result<std::string> addCpus(ir::Kernels& program, const std::vector<std::string>& names) {
  const std::string& triple = program.module->getTargetTriple();
  bool x86 = Triple(triple).isX86();
  if (!x86 && names.size() > 1)
    return Error{"more than one --cpu is for x86-64; this is " + triple};
  auto cpus = machinesOf(names, triple);
  if (!cpus)
    return cpus.error();
  if (!x86)
    return names[0];
  if (Result<void> order = checkOrder(*cpus); !order)
    return order.error();
  GlobalVariable* table = CpuTable(program, *cpus).make();
  guardEntries(*program.module, *table, *machinesOf({kPlain}, triple)->front().machine);
  return names.size() == 1 ? names[0] : commonLevel(*cpus);
}

} // namespace bsgp::target
