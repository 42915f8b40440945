// Ahead of time: the program once more, for GPUs, compiled beside the one for CPUs.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "driver/commands.h"

namespace bsgp::driver {

class GpuHalf {
public:
  // Begins with the front end, in a thread of its own. `name`, `text`: the program's. `as_object`: for another program, whose
  // main is not ours. Passes whose times are taken, or whose module is printed, wait until they are asked for.
  GpuHalf(const CommandLine& line, PassLog& log, std::string name, std::string text, bool as_object);
  ~GpuHalf(); // waits

  // Adds the host code to the lowered program; then PTX is made of the kernels. Once, before `complete`.
  Result<void> addTo(ir::Kernels& program);
  // Waits for the PTX and puts it into the program's module.
  void complete(llvm::Module& program);

private:
  Result<void> takeKernels();

  const CommandLine& line_;
  PassLog& log_;
  const bool as_object_;
  Pipeline pipeline_;
  std::optional<target::GpuKernels> kernels_;
  std::future<Result<void>> taken_;
  std::future<std::string> ptx_;
};

// A main that tests the exports stays out of the way of those of other objects.
void hideMain(Pipeline& pipeline);

} // namespace bsgp::driver
