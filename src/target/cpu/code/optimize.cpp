// The stock passes of LLVM, composed by hand: a module here has two kinds of functions, and compile time counts.
//
//   kernels   scalar cleanup, loops, then the vectorizers, cleanup. No vectors are made before: until here a kernel is
//             a scalar function of one thread
//   the rest  host code and the kernels' entries: variables to registers and local cleanup
//
// Floating point keeps its bits: no fast-math flag is added, library functions are not known (machine.h).
#include <map>
#include <tuple>

#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "support/check.h"
#include "target/common/forward_copies.h"
#include "target/common/function_passes.h"
#include "target/common/pass_watch.h"
#include "target/common/rotate_loops.h"
#include "target/common/verifier.h"
#include "target/cpu/code/optimize.h"
#include "target/cpu/cpu_target.h"
#include "target/cpu/machine/machine.h"
#include "target/cpu/passes/atomic_tests.h"
#include "target/cpu/passes/field_loads.h"
#include "target/cpu/passes/hoist_divisions.h"
#include "target/cpu/passes/lane_trees.h"
#include "target/cpu/passes/pack_values.h"
#include "target/cpu/passes/shared_columns.h"
#include "target/cpu/passes/shared_registers.h"
#include "target/cpu/passes/side_by_side.h"
#include "target/cpu/passes/streaming_stores.h"
#include "target/cpu/passes/uniform_masks.h"
#include "target/cpu/passes/unroll_in_pieces.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/ranks/rank_loop.h"
#include "target/cpu/ranks/two_forms.h"
#include "target/cpu/vectorize/lane_votes.h"
#include "target/cpu/vectorize/vectorize_lanes.h"
#include "target/cpu/wavefront/wavefront_pass.h"
#include "target/cpu/workarounds/cut_schedules.h"
#include "target/cpu/workarounds/cut_switches.h"
#include "target/cpu/workarounds/float_atomics.h"
#include "target/cpu/workarounds/half_fma.h"
#include "target/cpu/workarounds/saturating_conversions.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Some of LLVM's passes take time that grows with the square of a kernel's size:
// - scalar evolution climbs from a loop to all loops before it, for each of its questions;
// - sinking what the arms of a switch have in common looks at all arms for each arm that becomes empty;
// - of an address that depends on a long chain of sums scalar evolution makes one sum, and LLVM's vectorizers ask for
//   it at each load.
// A kernel with more loops, cases or instructions in a block than these *sprawls*: it does without those passes, and
// its loops over lanes are all ours to vectorize.
constexpr unsigned kManyLoops = 100, kManyCases = 256, kLongBlock = 2000;

bool hasManyCases(const BasicBlock& block) {
  auto* choice = dyn_cast<SwitchInst>(block.getTerminator());
  return choice && choice->getNumCases() > kManyCases;
}

bool sprawlsIn(const Function& function) {
  return loopsIn(function) > kManyLoops || any_of(function, hasManyCases) ||
         any_of(function, [](const BasicBlock& block) { return block.size() > kLongBlock; });
}

// One level of optimization of this compiler.
enum class Effort { None, Light, Full };

Effort effortOf(const CpuOptions& options) {
  if (options.opt_level == 0)
    return Effort::None;
  return options.opt_level == 1 || options.reference ? Effort::Light : Effort::Full;
}

SimplifyCFGPass simplifyControlFlow(bool late) {
  auto options = SimplifyCFGOptions().convertSwitchRangeToICmp(true);
  if (late)
    options.forwardSwitchCondToPhi(true).convertSwitchToLookupTable(true).hoistCommonInsts(true).sinkCommonInsts(true);
  return SimplifyCFGPass(options);
}

FunctionPassManager variablesToRegisters() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(simplifyControlFlow(false));
  return passes;
}

FunctionPassManager lightPipeline() {
  FunctionPassManager passes = variablesToRegisters();
  passes.addPass(instCombine());
  passes.addPass(simplifyControlFlow(false));
  return passes;
}

void addLoopPasses(FunctionPassManager& passes, TargetMachine& machine, bool sprawls) {
  addRotation(passes);
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  if (sprawls) {
    passes.addPass(UnrollInPiecesPass(machine));
    passes.addPass(simplifyControlFlow(false)); // later passes keep a dominator tree up to date as they merge blocks
    return;
  }
  LoopPassManager before;
  before.addPass(IndVarSimplifyPass());
  addUnrolling(passes, std::move(before));
}

// LLVM's loop vectorizer takes simple loops over threads, ours those that it cannot take and has left. If a width was
// chosen, ours takes all.
void addVectorization(FunctionPassManager& passes, const CpuOptions& options, bool sprawls) {
  unsigned opt_level = options.opt_level, width = options.vector_width;
  if (width != 1)
    passes.addPass(FieldLoadsPass());
  if (width > 1)
    passes.addPass(VectorizeLanesPass({width, Take::All, options.remark}));
  if (width == 0)
    passes.addPass(VectorizeLanesPass({width, Take::WhatLlvmCannot, options.remark, false, options.wavefronts}));
  passes.addPass(HoistDivisionsPass());
  passes.addPass(ParallelAccessesPass());
  if (width == 0) {
    if (!sprawls)
      passes.addPass(LoopVectorizePass());
    passes.addPass(VectorizeLanesPass({width, Take::WhatLlvmLeft, options.remark}));
  }
  if (options.wavefronts != Wavefronts::Off)
    passes.addPass(LowerVotesPass());
  passes.addPass(SideBySidePass());
  passes.addPass(SaturatingConversionsPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(instCombine());
  passes.addPass(simplifyControlFlow(!sprawls));
  passes.addPass(SharedRegistersPass());
  passes.addPass(LaneTreesPass());
  passes.addPass(UniformMasksPass());
  if (opt_level < 3 || sprawls)
    return;
  passes.addPass(SLPVectorizerPass());
  passes.addPass(VectorCombinePass());
}

// Vectorizes by the fewest passes: the function runs for one block of a launch at most.
FunctionPassManager rarePipeline(const CpuOptions& options) {
  FunctionPassManager passes = lightPipeline();
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  if (options.vector_width == 1)
    return passes;
  passes.addPass(VectorizeLanesPass({options.vector_width, Take::WhatLlvmLeft, {}, /*brief=*/true})); // where that pays
  passes.addPass(SaturatingConversionsPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(instCombine());
  passes.addPass(simplifyControlFlow(false));
  return passes;
}

void addLaneLoops(FunctionPassManager& passes, const CpuOptions& options, bool sprawls) {
  addVectorization(passes, options, sprawls);
  // No unrolling from here on: the vectorizer has interleaved what it could, and a scalar rank loop unrolled by a count
  // known only at run time doubles the time of code generation and runs no faster.
  passes.addPass(instCombine());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  passes.addPass(simplifyControlFlow(!sprawls));
  passes.addPass(AtomicTestsPass());
  passes.addPass(StreamingStoresPass());
}

FunctionPassManager kernelPipeline(const CpuOptions& options, TargetMachine& machine, bool sprawls) {
  FunctionPassManager passes = variablesToRegisters();
  passes.addPass(ForwardCopiesPass(options.remark));
  passes.addPass(instCombine());
  passes.addPass(simplifyControlFlow(false));
  addLoopPasses(passes, machine, sprawls);
  passes.addPass(SROAPass(SROAOptions::ModifyCFG)); // private arrays whose loops were unrolled
  if (options.vector_width != 1)
    passes.addPass(SharedColumnsPass());
  // Partial redundancy would make a thread use what the one before it computed.
  passes.addPass(GVNPass(GVNOptions().setPRE(false).setLoadPRE(false)));
  passes.addPass(DSEPass());
  passes.addPass(instCombine());
  passes.addPass(simplifyControlFlow(false));
  if (options.wavefronts == Wavefronts::All)
    passes.addPass(WavefrontPass({options.wavefronts, options.vector_width, options.remark}));
  addLaneLoops(passes, options, sprawls);
  return passes;
}

// Optimizes the form that runs threads one by one, which was copied when the vectorizers came to the kernel. If
// threads work together in blocks, its loops in which lanes do not wait for each other become vectors, too.
FunctionPassManager alonePipeline(CpuOptions options, bool in_blocks, bool sprawls) {
  FunctionPassManager passes;
  options.remark = {};
  if (in_blocks) {
    addLaneLoops(passes, options, sprawls);
    return passes;
  }
  passes.addPass(HoistDivisionsPass());
  passes.addPass(simplifyControlFlow(!sprawls));
  if (options.opt_level >= 3 && !sprawls) {
    passes.addPass(SLPVectorizerPass());
    passes.addPass(VectorCombinePass());
  }
  passes.addPass(instCombine());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  passes.addPass(simplifyControlFlow(false));
  passes.addPass(AtomicTestsPass());
  return passes;
}

// Optimizes the form in which threads take the places of those that left a loop, copied at the same point.
FunctionPassManager wavefrontPipeline(const CpuOptions& options, bool sprawls) {
  FunctionPassManager passes;
  passes.addPass(WavefrontPass({options.wavefronts, options.vector_width, options.remark}));
  addLaneLoops(passes, options, sprawls);
  return passes;
}

enum class Form : uint8_t { Lanes, Rare, Alone, AloneInBlocks, Wavefront };

Form formOf(const Function& ranks) {
  if (ranks.hasFnAttribute(kWavefrontAttribute))
    return Form::Wavefront;
  if (ranks.hasFnAttribute(kAloneAttribute))
    return ranks.hasFnAttribute(kBlockByBlockAttribute) ? Form::AloneInBlocks : Form::Alone;
  return ranks.hasFnAttribute(kPartBlockAttribute) ? Form::Rare : Form::Lanes;
}

FunctionPassManager pipelineOf(Form form, bool sprawls, const CpuOptions& options, Effort effort,
                               TargetMachine& machine) {
  if (form == Form::Alone || form == Form::AloneInBlocks) // of Effort::Full
    return alonePipeline(options, form == Form::AloneInBlocks, sprawls);
  if (form == Form::Wavefront)
    return wavefrontPipeline(options, sprawls);
  if (effort != Effort::Full)
    return lightPipeline();
  return form == Form::Rare ? rarePipeline(options) : kernelPipeline(options, machine, sprawls);
}

// The passes of functions with a loop over ranks. They differ by the form of the kernel, by its size, and by the
// number of threads that run at once, which the program or else the compiler's options choose.
class KernelPipelines {
public:
  KernelPipelines(const CpuOptions& options, Effort effort, TargetMachine& machine)
      : options_(options), effort_(effort), machine_(machine) {}

  FunctionPassManager& of(const Function& ranks) {
    CpuOptions options = options_;
    ranks.getFnAttribute(kWidthAttribute).getValueAsString().getAsInteger(10, options.vector_width);
    Form form = formOf(ranks);
    bool sprawls = sprawlsIn(ranks);
    auto [place, is_new] = made_.try_emplace({options.vector_width, form, sprawls});
    if (is_new)
      place->second = pipelineOf(form, sprawls, options, effort_, machine_);
    return place->second;
  }

private:
  const CpuOptions& options_;
  const Effort effort_;
  TargetMachine& machine_;
  std::map<std::tuple<unsigned, Form, bool>, FunctionPassManager> made_;
};

void namePasses(PassWatch& watch) {
  watch.name<AtomicTestsPass>("atomic-tests");
  watch.name<ForwardCopiesPass>("forward-copies");
  watch.name<HoistDivisionsPass>("hoist-divisions");
  watch.name<LaneTreesPass>("lane-trees");
  watch.name<ParallelAccessesPass>("parallel-accesses");
  watch.name<RotateLoopsPass>("rotate-loops");
  watch.name<SaturatingConversionsPass>("saturating-conversions");
  watch.name<SharedColumnsPass>("shared-columns");
  watch.name<SharedRegistersPass>("shared-registers");
  watch.name<SideBySidePass>("side-by-side");
  watch.name<StreamingStoresPass>("streaming-stores");
  watch.name<UniformMasksPass>("uniform-masks");
  watch.name<UnrollInPiecesPass>("unroll-in-pieces");
  watch.name<VectorizeLanesPass>("vectorize-lanes");
  watch.name<LowerVotesPass>("lower-votes");
  watch.name<WavefrontPass>("wavefront");
}

// Functions that were made for another machine (addCpus) name it already.
void describeFunctions(Module& module, const TargetMachine& machine) {
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu"))
      describeFunction(function, machine);
}

} // namespace

Result<FormsMade> optimizeModule(Module& module, const CpuOptions& options) {
  auto machine = createMachine(options);
  if (!machine)
    return machine.error();
  auto ofModule = [&](const char* pass, auto run) {
    run(module);
    if (options.verify)
      checkAfter(pass, module);
  };
  describeFunctions(module, **machine);
  ofModule("round-half-fma-once", roundHalfFmaOnce);
  ofModule("convert-half-to-short-by-float", convertHalfToShortByFloat);
  Effort effort = effortOf(options);
  auto pack = [&](Module& packed) { packValues(packed, **machine); };
  if (effort == Effort::None) {
    ofModule("pack-values", pack);
    return joinForms(module);
  }
  PassWatch watch(options.after_pass, options.verify);
  namePasses(watch);
  FunctionPasses passes((*machine)->getTargetTriple(), machine->get(), watch.callbacks());
  FunctionPassManager light = lightPipeline();
  KernelPipelines kernels(options, effort, **machine);
  for (Function& function : module)
    if (!function.isDeclaration())
      passes.run(function, function.hasFnAttribute(kKernelAttribute) ? kernels.of(function) : light);
  ofModule("pack-values", pack);
  FormsMade kept;
  ofModule("join-forms", [&](Module& joined) { kept = joinForms(joined); });
  ofModule("add-streaming-variants", addStreamingVariants);
  ofModule("expand-float-atomics", expandFloatAtomics);
  ofModule("cut-schedules", cutSchedules);
  ofModule("cut-switches", cutSwitches);
  return kept;
}

Result<void> optimize(ir::Kernels& program, const CpuOptions& options) {
  Result<FormsMade> kept = optimizeModule(*program.module, options);
  if (!kept)
    return kept.error();
  finishForms(*program.module, *kept);
  return {};
}

} // namespace bsgp::target
