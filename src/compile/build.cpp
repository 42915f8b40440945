// A program to be linked: objects, and the header of its exports.
#include "compile/gpu_half.h"
#include "compile/header.h"
#include "compile/on_deep_stack.h"
#include "compile/remarks.h"
#include "compile/session.h"
#include "target/cpu/code/emit.h"
#include "target/cpu/machine/entry.h"

namespace bsgp::compile {

namespace {

Result<std::vector<std::string>> objectsOf(ir::Kernels& kernels, const target::CpuOptions& machine, bool one) {
  if (!one)
    return target::compileObjects(kernels, machine);
  Result<std::string> object = target::compileObject(kernels, machine);
  if (!object)
    return object.error();
  return std::vector<std::string>{object.take()};
}

void describe(const Pipeline& pipeline, const BuildOptions& wanted, Built& built) {
  const Program& program = *pipeline.flat().program;
  built.warnings = messagesOf(pipeline);
  built.exports = exportsOf(program);
  built.libraries = program.libraries;
  if (!wanted.header_name.empty())
    built.header = headerText(program, pipeline.sources(), wanted.header_name);
  for (SourcePos begin : pipeline.sources().begins())
    if (!pipeline.sources().ofLibrary({begin, begin}))
      built.texts.emplace_back(pipeline.sources().name(begin));
}

Error exportsNothing(const Pipeline& pipeline) {
  std::string what = "'" + std::string(pipeline.sources().name(pipeline.mainFile())) + "' exports no function";
  return Error{pipeline.isText() ? what + ": write 'export' before those that C or C++ is to call" : what};
}

// `gpu`: null without.
Result<std::vector<std::string>> makeObjects(Pipeline& pipeline, const BuildOptions& wanted, GpuHalf* gpu,
                                             std::string& remarks) {
  target::CpuOptions machine = machineOptions(pipeline.options());
  if (pipeline.options().remarks)
    machine.remark = remarkLines(pipeline, [&](const std::string& line) { remarks += line; });
  machine.place_of = debugPlaces(pipeline);
  wanted.as_object ? hideMain(pipeline) : target::addEntry(pipeline.kernels());
  target::lowerKernels(pipeline.kernels(), machine);
  if (gpu)
    if (Result<void> added = gpu->addTo(pipeline.kernels(), exportsOf(*pipeline.flat().program)); !added)
      return added.error();
  Result<std::string> rest = target::addCpus(pipeline.kernels(), wanted.cpus);
  if (!rest)
    return rest.error();
  machine.cpu = *rest;
  if (gpu)
    machine.before_code = [gpu](llvm::Module& module) { gpu->complete(module); };
  return objectsOf(pipeline.kernels(), machine, wanted.as_object);
}

Result<Built> buildHere(const Library& library, Source source, const Options& options, const BuildOptions& wanted) {
  std::unique_ptr<GpuHalf> gpu;
  if (wanted.gpu)
    gpu = std::make_unique<GpuHalf>(library, options, source, wanted.as_object);
  Pipeline pipeline(library, options, std::move(source));
  Built built;
  bool good = pipeline.all();
  if (!pipeline.malformed().empty())
    return malformedTree(pipeline);
  if (!good) {
    built.errors = messagesOf(pipeline);
    return built;
  }
  describe(pipeline, wanted, built);
  if (wanted.as_object && built.exports.empty())
    return exportsNothing(pipeline);
  Result<std::vector<std::string>> objects = makeObjects(pipeline, wanted, gpu.get(), built.remarks);
  if (!objects && gpu && !gpu->pipeline().malformed().empty())
    return malformedTree(gpu->pipeline());
  if (!objects && gpu && gpu->pipeline().stops()) {
    built.errors = messagesOf(gpu->pipeline());
    built.failed_for_gpu = objects.message();
    return built;
  }
  if (!objects)
    return objects.error();
  built.objects = objects.take();
  return built;
}

} // namespace

Result<Built> Session::build(Source source, const Options& given, const BuildOptions& wanted) const {
  Result<Built> built = Built{};
  Options options = given;
  options.need_main |= !wanted.as_object;
  size_t bytes = bytesOf(source);
  if (!onDeepStack(bytes, [&] { built = buildHere(library_, std::move(source), options, wanted); }))
    return Error{"the system gives no thread to compile in"};
  return built;
}

} // namespace bsgp::compile
