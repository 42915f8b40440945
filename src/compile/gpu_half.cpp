#include "compile/gpu_half.h"

#include "compile/code.h"
#include "compile/on_deep_stack.h"
#include "target/both/both_targets.h"

namespace bsgp::compile {

namespace {

Options optionsOfHalf(Options options) {
  options.target = Target::Gpu;
  options.debug = false; // its host code is not used
  return options;
}

std::launch when(const Options& options, const Source& source) {
  bool in_order = options.after_pass || std::holds_alternative<Tree>(source);
  return in_order ? std::launch::deferred : std::launch::async | std::launch::deferred;
}

} // namespace

void hideMain(Pipeline& pipeline) {
  if (llvm::Function* main = pipeline.kernels().module->getFunction("bsgp_main"))
    main->setLinkage(llvm::GlobalValue::InternalLinkage);
}

GpuHalf::GpuHalf(const Library& library, Options options, Source source, bool as_object)
    : when_(when(options, source)), as_object_(as_object), bytes_(bytesOf(source)),
      pipeline_(library, optionsOfHalf(std::move(options)), std::move(source)) {
  taken_ = std::async(when_, [this] {
    Result<void> taken;
    if (!onDeepStack(bytes_, [&] { taken = takeKernels(); }))
      taken = takeKernels();
    return taken;
  });
}

GpuHalf::~GpuHalf() = default;

Result<void> GpuHalf::takeKernels() {
  if (!pipeline_.all())
    return Error{"'" + std::string(pipeline_.sources().name(pipeline_.mainFile())) +
                 "' has errors as a program for GPUs; --gpu none leaves that out"};
  if (as_object_)
    hideMain(pipeline_);
  kernels_.emplace(
      target::takeKernels(pipeline_.kernels(), gpuOptions(pipeline_.options()), machineOptions(pipeline_.options())));
  return {};
}

// The threads never use the context of these kernels at the same time: PTX begins when the host code has been copied.
Result<void> GpuHalf::addTo(ir::Kernels& program, const std::vector<std::string>& exports) {
  if (Result<void> taken = taken_.get(); !taken)
    return taken;
  if (exportsOf(*pipeline_.flat().program) != exports)
    return Error{"the front end made a tree for GPUs that exports other functions than the one for CPUs"};
  target::addGpuProgram(program, pipeline_.kernels());
  ptx_ = std::async(when_, [this] { return kernels_->ptx(); });
  return {};
}

void GpuHalf::complete(llvm::Module& program) {
  target::fillInPtx(program, ptx_.get());
}

} // namespace bsgp::compile
