// Requires: the plan's require functions are in the module.
// Ensures: @plan.symbol is an internal constant bsgp_plan; everything it points to is a private constant.
#include "target/common/plan_constants.h"

#include <cstddef>
#include <tuple>

#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/common/add_constant.h"

namespace bsgp::target {

using namespace llvm;

// The literal struct types below follow these layouts.
static_assert(sizeof(bsgp_site) == 32 && offsetof(bsgp_site, text) == 16 && offsetof(bsgp_site, of_library) == 24);
static_assert(sizeof(bsgp_param) == 12);
static_assert(sizeof(bsgp_kernel) == 64 && offsetof(bsgp_kernel, param_count) == 24 &&
              offsetof(bsgp_kernel, gpu) == 48 && offsetof(bsgp_kernel, forms) == 56);
static_assert(sizeof(bsgp_step) == 24 && offsetof(bsgp_step, other) == 12 && offsetof(bsgp_step, site) == 16);
static_assert(sizeof(bsgp_plan) == 96 && offsetof(bsgp_plan, name) == 16 && offsetof(bsgp_plan, kernel_count) == 56 &&
              offsetof(bsgp_plan, decision_offset) == 72 && offsetof(bsgp_plan, partitions) == 80);
static_assert(sizeof(bsgp_partition) == 32 && offsetof(bsgp_partition, next_begin) == 16);

static_assert(int(plan::Param::Stream) == BSGP_PARAM_STREAM && int(plan::Param::OldSize) == BSGP_PARAM_OLD_SIZE &&
              int(plan::Param::Append) == BSGP_PARAM_APPEND && int(plan::Param::Block) == BSGP_PARAM_BLOCK);
static_assert(int(plan::Step::Require) == BSGP_STEP_REQUIRE && int(plan::Step::Allocate) == BSGP_STEP_ALLOCATE &&
              int(plan::Step::Clear) == BSGP_STEP_CLEAR && int(plan::Step::Launch) == BSGP_STEP_LAUNCH &&
              int(plan::Step::Free) == BSGP_STEP_FREE && int(plan::Step::FreeTemps) == BSGP_STEP_FREE_TEMPS &&
              int(plan::Step::Superstep) == BSGP_STEP_SUPERSTEP && int(plan::Step::Decide) == BSGP_STEP_DECIDE &&
              int(plan::Step::Branch) == BSGP_STEP_BRANCH && int(plan::Step::Jump) == BSGP_STEP_JUMP &&
              int(plan::Step::Move) == BSGP_STEP_MOVE && int(plan::Step::Swap) == BSGP_STEP_SWAP &&
              int(plan::Step::Blocks) == BSGP_STEP_BLOCKS);

namespace {

class Emitter {
public:
  Emitter(Module& module, const plan::Plan& plan, function_ref<KernelEntry(const plan::Kernel&)> entry)
      : module_(module), plan_(plan), entry_(entry), pointer_(PointerType::get(module.getContext(), 0)) {}

  Constant* plan(bsgp_code_kind code);

private:
  Constant* number(uint32_t value) { return ConstantInt::get(Type::getInt32Ty(module_.getContext()), value); }
  Constant* null() { return ConstantPointerNull::get(pointer_); }
  Constant* record(ArrayRef<Constant*> fields) { return ConstantStruct::getAnon(fields); }

  Constant* function(const std::string& symbol);
  Constant* text(const std::string& text);
  Constant* site(const plan::Site& site);
  Constant* param(const plan::Param& param);
  Constant* kernel(const plan::Kernel& kernel);
  Constant* step(const plan::Step& step);
  Constant* partition(const plan::Partition& partition);
  std::vector<plan::Step> executedSteps() const;
  GlobalVariable* constant(Constant* value, const char* name) { return addConstant(module_, value, name); }
  template <class T, class Make> Constant* array(const std::vector<T>& from, const char* name, Make make);

  Module& module_;
  const plan::Plan& plan_;
  function_ref<KernelEntry(const plan::Kernel&)> entry_;
  PointerType* pointer_;
  std::map<std::string, Constant*> texts_;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, Constant*> sites_;
};

Constant* Emitter::function(const std::string& symbol) {
  Function* function = module_.getFunction(symbol);
  BSGP_CHECK(function, "%s names the function %s, which is not in the module", plan_.symbol.c_str(), symbol.c_str());
  return function;
}

Constant* Emitter::text(const std::string& text) {
  Constant*& known = texts_[text];
  if (!known)
    known = constant(ConstantDataArray::getString(module_.getContext(), text), "plan.text");
  return known;
}

Constant* Emitter::site(const plan::Site& site) {
  if (!site.line)
    return null();
  Constant*& known = sites_[{site.file, site.line, site.column}];
  if (!known)
    known = constant(record({text(site.file), number(site.line), number(site.column), null(), number(site.of_library)}),
                     "plan.site");
  return known;
}

// An array of constants, or null for none.
template <class T, class Make> Constant* Emitter::array(const std::vector<T>& from, const char* name, Make make) {
  if (from.empty())
    return null();
  SmallVector<Constant*, 16> elements;
  for (const T& element : from)
    elements.push_back(make(element));
  return constant(ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements), name);
}

Constant* Emitter::param(const plan::Param& param) {
  if (!plan::takesSlot(param))
    return record({number(param.kind), number(param.index), number(0)});
  BSGP_CHECK(param.index < plan_.slots.size(), "%s: no slot %u", plan_.symbol.c_str(), param.index);
  const plan::FrameSlot& slot = plan_.slots[param.index];
  return record({number(param.kind), number(slot.offset), number(slot.bytes)});
}

Constant* Emitter::kernel(const plan::Kernel& kernel) {
  Constant* params = array(kernel.params, "plan.params", [&](const plan::Param& p) { return param(p); });
  KernelEntry entry = entry_(kernel);
  BSGP_CHECK(kernel.superstep - 1 < plan_.supersteps.size(), "%s: no superstep %u", plan_.symbol.c_str(),
             kernel.superstep);
  const plan::Superstep& lines = plan_.supersteps[kernel.superstep - 1];
  return record({text(entry.name), entry.run ? entry.run : null(), params, number(kernel.params.size()),
                 number(kernel.superstep), number(lines.first_line), number(lines.last_line), number(kernel.loaded),
                 number(kernel.stored), entry.gpu ? entry.gpu : null(), entry.forms ? entry.forms : null()});
}

Constant* Emitter::step(const plan::Step& step) {
  bool sized = step.kind == plan::Step::Allocate || step.kind == plan::Step::Clear;
  BSGP_CHECK(!sized || step.index < plan_.streams.size(), "%s: no stream %u", plan_.symbol.c_str(), step.index);
  return record({number(step.kind), number(step.index), number(sized ? plan_.streams[step.index].bytes : 0),
                 number(step.other), site(step.site)});
}

Constant* Emitter::partition(const plan::Partition& partition) {
  std::vector<uint32_t> begins{0}, next;
  for (const plan::Partition::Block& block : partition.blocks) {
    next.insert(next.end(), block.next.begin(), block.next.end());
    begins.push_back(uint32_t(next.size()));
  }
  auto numbers = [&](const std::vector<uint32_t>& from) {
    return array(from, "plan.blocks", [&](uint32_t value) { return number(value); });
  };
  return record({number(partition.blocks.front().kernel), number(partition.blocks.size()), number(partition.counts),
                 number(partition.ranks), numbers(begins), numbers(next)});
}

// Each step has a site, its superstep's if it has none itself. Steps that would only take time in each iteration are
// left out: beginnings of supersteps whose old size is not used, and jumps to a jump.
std::vector<plan::Step> Emitter::executedSteps() const {
  using plan::Step;
  bool asks_old_size = any_of(plan_.kernels, [](const plan::Kernel& kernel) {
    return any_of(kernel.params, [](const plan::Param& param) { return param.kind == plan::Param::OldSize; });
  });
  std::vector<Step> steps;
  std::vector<uint32_t> now_at; // by number in the plan
  const plan::Site* superstep = &plan_.site;
  for (const Step& step : plan_.steps) {
    now_at.push_back(uint32_t(steps.size()));
    if (step.kind == Step::Superstep)
      superstep = &step.site;
    if (step.kind == Step::Superstep && !asks_old_size)
      continue;
    steps.push_back(step);
    if (!step.site.line)
      steps.back().site = *superstep;
  }
  now_at.push_back(uint32_t(steps.size()));
  for (Step& step : steps)
    if (plan::jumps(step))
      step.other = now_at[step.other];
  auto leadsOn = [&](size_t at) { return at < steps.size() && steps[at].kind == Step::Jump; };
  constexpr unsigned kMostJumps = 8; // jumps may form a cycle
  for (Step& step : steps)
    for (unsigned i = 0; i < kMostJumps && plan::jumps(step) && leadsOn(step.other); ++i)
      step.other = steps[step.other].other;
  return steps;
}

Constant* Emitter::plan(bsgp_code_kind code) {
  Constant* kernels = array(plan_.kernels, "plan.kernels", [&](const plan::Kernel& k) { return kernel(k); });
  Constant* requires_ =
      array(plan_.requires_, "plan.requires", [&](const std::string& symbol) { return function(symbol); });
  std::vector<plan::Step> executed = executedSteps();
  Constant* partitions =
      array(plan_.partitions, "plan.partitions", [&](const plan::Partition& p) { return partition(p); });
  Constant* steps = array(executed, "plan.steps", [&](const plan::Step& s) { return step(s); });
  return record({number(BSGP_PLAN_VERSION), number(plan_.rank_bits), number(plan_.block), number(plan_.size_offset),
                 text(plan_.name), site(plan_.site), kernels, requires_, steps, number(plan_.kernels.size()),
                 number(plan_.requires_.size()), number(executed.size()), number(plan_.streams.size()),
                 number(plan_.decision_offset), number(code), partitions,
                 ConstantInt::get(Type::getInt64Ty(module_.getContext()), plan_.partitions.size())});
}

} // namespace

void definePlan(Module& module, const plan::Plan& plan, bsgp_code_kind code,
                function_ref<KernelEntry(const plan::Kernel&)> entry) {
  Constant* value = Emitter(module, plan, entry).plan(code);
  auto* defined =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, value, "");
  if (GlobalValue* declared = module.getNamedValue(plan.symbol)) {
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  }
  defined->setName(plan.symbol);
}

KernelSlots makeKernelsVariable(Module& module, const plan::Plan& plan) {
  if (plan.kernels.empty())
    return {};
  constexpr unsigned kKernelsField = 6;
  auto* defined = module.getNamedGlobal(plan.symbol);
  BSGP_CHECK(defined && defined->hasInitializer(), "%s is not defined", plan.symbol.c_str());
  auto* array = cast<GlobalVariable>(defined->getInitializer()->getAggregateElement(kKernelsField));
  array->setConstant(false);
  array->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  return {array};
}

Constant* KernelSlots::slot(size_t kernel) const {
  auto* bytes = Type::getInt8Ty(array->getContext());
  auto* offset = ConstantInt::get(Type::getInt64Ty(array->getContext()),
                                  kernel * sizeof(bsgp_kernel) + offsetof(bsgp_kernel, run));
  return ConstantExpr::getInBoundsGetElementPtr(bytes, array, ArrayRef<Constant*>(offset));
}

} // namespace bsgp::target
