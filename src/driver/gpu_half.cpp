#include "driver/gpu_half.h"

#include "driver/on_deep_stack.h"
#include "support/check.h"
#include "target/both_targets.h"

namespace bsgp::driver {

namespace {

PipelineOptions frontOptions(const CommandLine& line, PassLog& log) {
  PipelineOptions options = pipelineOptions(line, log);
  options.gpu = true;
  options.debug = false; // its host code is not used
  return options;
}

std::launch when(const PassLog& log) {
  return log.wanted() ? std::launch::deferred : std::launch::async | std::launch::deferred;
}

} // namespace

void hideMain(Pipeline& pipeline) {
  if (llvm::Function* main = pipeline.kernels().module->getFunction("bsgp_main"))
    main->setLinkage(llvm::GlobalValue::InternalLinkage);
}

GpuHalf::GpuHalf(const CommandLine& line, PassLog& log, std::string name, std::string text, bool as_object)
    : line_(line), log_(log), as_object_(as_object), pipeline_(frontOptions(line, log)) {
  pipeline_.loadText(std::move(name), std::move(text));
  taken_ = std::async(when(log), [this] {
    Result<void> taken;
    if (!onDeepStack(bytesOfFile(line_.file), [&] { taken = takeKernels(); }))
      taken = takeKernels();
    return taken;
  });
}

GpuHalf::~GpuHalf() = default;

Result<void> GpuHalf::takeKernels() {
  Result<target::GpuOptions> gpu = gpuOptions(line_, log_);
  if (!gpu)
    return gpu.error();
  if (!pipeline_.all())
    return Error{"'" + std::string(pipeline_.sources().name(pipeline_.mainFile())) +
                 "' has errors as a program for GPUs; --gpu none leaves that out"};
  if (as_object_)
    hideMain(pipeline_);
  kernels_.emplace(target::takeKernels(pipeline_.kernels(), *gpu, targetOptions(line_, log_)));
  return {};
}

// The threads never use the context of these kernels at the same time: PTX begins when the host code has been copied.
Result<void> GpuHalf::addTo(ir::Kernels& program) {
  if (Result<void> taken = taken_.get(); !taken) {
    if (pipeline_.diagnostics().stop())
      showDiagnostics(pipeline_);
    return taken;
  }
  target::addGpuProgram(program, pipeline_.kernels());
  ptx_ = std::async(when(log_), [this] { return kernels_->ptx(); });
  return {};
}

void GpuHalf::complete(llvm::Module& program) {
  target::fillInPtx(program, ptx_.get());
}

} // namespace bsgp::driver
