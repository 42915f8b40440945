// Ahead of time: the program once more, for GPUs, compiled beside the one for CPUs.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "compile/pipeline.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::compile {

class GpuHalf {
public:
  // Begins with the front end, in a thread of its own. Passes that are reported, and front ends whose tree is made by
  // a function of theirs, wait until they are asked for. `options`: of the program for CPUs. `as_object`:
  // BuildOptions::as_object.
  GpuHalf(const Library& library, Options options, Source source, bool as_object);
  ~GpuHalf(); // waits

  // Adds the host code to the lowered program, which exports these functions; then PTX is made of the kernels. Once, before `complete`.
  // Fails where the program has errors as one for GPUs: `pipeline` has them.
  Result<void> addTo(ir::Kernels& program, const std::vector<std::string>& exports);
  // Waits for the PTX and puts it into the program's module.
  void complete(llvm::Module& program);

  const Pipeline& pipeline() const { return pipeline_; }

private:
  Result<void> takeKernels();

  const std::launch when_;
  const bool as_object_;
  const size_t bytes_; // of the text
  Pipeline pipeline_;
  std::optional<target::GpuKernels> kernels_;
  std::future<Result<void>> taken_;
  std::future<std::string> ptx_;
};

// Hides a main that tests the exports from the mains of other objects.
void hideMain(Pipeline& pipeline);

} // namespace bsgp::compile
