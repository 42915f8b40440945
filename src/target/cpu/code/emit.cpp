#include "target/cpu/code/emit.h"

#include <llvm/IR/InstIterator.h>

#include "target/common/code_generation.h"
#include "target/common/signs_of_zero.h"
#include "target/common/verifier.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/machine/machine.h"
#include "target/cpu/workarounds/outline_loops.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// LLVM's register allocator takes a time that grows with the square of the calls in a function.
constexpr unsigned kMostCheckCalls = 500;

bool hasManyChecks(const Function& function) {
  unsigned calls = 0;
  for (const Instruction& instruction : instructions(function))
    calls += callsChecks(instruction);
  return calls > kMostCheckCalls;
}

} // namespace

Result<std::unique_ptr<TargetMachine>> machineFor(Module& module, const CpuOptions& options) {
  auto machine = createMachine(options);
  if (machine && any_of(module, hasManyChecks))
    (*machine)->setOptLevel(CodeGenOptLevel::None);      // the quick allocator, whose time does not
  if (machine && !(*machine)->getTargetTriple().isX86()) // whose minimum of two zeros is the second one
    keepSignsOfZero(module);
  checkAfter("optimize", module, options.verify ? Rules::All : Rules::Ours);
  if (machine && options.place_of)
    makeDebugLines(module, options.place_of);
  if (machine)
    outlineLoops(module);
  return machine;
}

Result<SmallVector<char, 0>> generateCode(ir::Kernels& program, const CpuOptions& options, CodeGenFileType kind) {
  if (options.before_code)
    options.before_code(*program.module);
  auto machine = machineFor(*program.module, options);
  if (!machine)
    return machine.error();
  SmallVector<char, 0> code = generate(*program.module, **machine, kind, {});
  if (options.after_pass)
    options.after_pass("generate-code", *program.module);
  return code;
}

Result<void> writeObject(StringRef code, const std::string& path) {
  std::error_code problem;
  raw_fd_ostream file(path, problem);
  if (!problem) {
    file.write(code.data(), code.size());
    file.close();
    problem = file.error();
    file.clear_error();
  }
  if (problem)
    return Error{"cannot write " + path + " (" + std::to_string(code.size()) + " bytes): " + problem.message()};
  return {};
}

Result<void> emitObject(ir::Kernels& program, const CpuOptions& options, const std::string& path) {
  auto code = generateCode(program, options, CodeGenFileType::ObjectFile);
  if (!code)
    return code.error();
  return writeObject({code->data(), code->size()}, path);
}

Result<std::string> emitAssembly(ir::Kernels& program, const CpuOptions& options) {
  auto code = generateCode(program, options, CodeGenFileType::AssemblyFile);
  if (!code)
    return code.error();
  return std::string(code->begin(), code->end());
}

} // namespace bsgp::target
