// bsgpc emit: prints the forms of a program, phase by phase.
#include <llvm/Support/raw_ostream.h>

#include "compile/header.h"
#include "compile/remarks.h"
#include "driver/commands.h"
#include "lex/lex.h"
#include "parse/parse.h"
#include "runtime/output.h"
#include "sema/program_text.h"

namespace bsgp::driver {

namespace {

std::string textOf(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string planTexts(compile::Pipeline& pipeline, const CommandLine& line) {
  std::string out;
  const ir::Kernels& kernels = pipeline.kernels();
  for (size_t i = 0; i < kernels.plans.size(); ++i) {
    const plan::Plan& plan = kernels.plans[i];
    const plan::Report& report = kernels.reports[i];
    if (line.form == "plan")
      out += plan::text(plan);
    else if (line.form == "streams")
      out += line.dot ? plan::streamsDot(plan, report) : plan::streamsText(plan, report);
    else if (line.form == "partition" && line.json)
      out += (i ? ",\n" : "") + plan::partitionJson(plan, report);
    else if (line.form == "partition")
      out += plan::partitionText(plan, report);
    else if (line.json)
      out += (i ? ",\n" : "") + plan::superstepsJson(plan, report);
    else
      out += plan::superstepsText(plan, report);
    if (i + 1 < kernels.plans.size() && !line.json)
      out += "\n";
  }
  return (line.form == "supersteps" || line.form == "partition") && line.json ? "[" + out + "]\n" : out;
}

Result<std::string> machineText(compile::Pipeline& pipeline, const CommandLine& line) {
  target::CpuOptions machine = compile::machineOptions(pipeline.options());
  if (line.remarks)
    machine.remark = compile::remarkLines(pipeline, [](const std::string& text) { std::fputs(text.c_str(), stderr); });
  target::lowerKernels(pipeline.kernels(), machine);
  if (std::vector<std::string> cpus = cpuNames(line); cpus.size() > 1) {
    Result<std::string> rest = target::addCpus(pipeline.kernels(), cpus);
    if (!rest)
      return rest.error();
    machine.cpu = *rest;
  }
  if (Result<void> optimized = target::optimize(pipeline.kernels(), machine); !optimized)
    return optimized.error();
  return line.form == "asm" ? target::emitAssembly(pipeline.kernels(), machine)
                            : Result<std::string>(textOf(*pipeline.kernels().module));
}

// The text of the form, as far as the phases before it went well; nothing where the program's errors forbid it.
Result<std::string> formText(compile::Pipeline& pipeline, const CommandLine& line) {
  const std::string& form = line.form;
  if (form == "tokens")
    return bsgp::text(lex(pipeline.sources(), pipeline.mainFile(), pipeline.diagnostics()), pipeline.sources());
  bool good = pipeline.parse();
  if (form == "ast") // of a program with errors too
    return ast::text(pipeline.tree(), pipeline.sources(), pipeline.mainFile());
  if (!good || !pipeline.analyze())
    return std::string();
  if (form == "typed")
    return sema::text(pipeline.analysis().program(), pipeline.sources());
  if (!pipeline.expand())
    return std::string();
  if (form == "header")
    return compile::headerText(*pipeline.flat().program, pipeline.sources(), "program.h");
  if (form == "flat")
    return expand::text(pipeline.flat(), pipeline.sources());
  if (!pipeline.emit())
    return std::string();
  if (form == "spawns")
    return textOf(*pipeline.spawns().module);
  if (!pipeline.split())
    return std::string();
  if (form == "kernels")
    return textOf(*pipeline.kernels().module);
  if (form == "ptx")
    return target::lowerKernelsToPtx(pipeline.kernels(), compile::gpuOptions(pipeline.options()),
                                     compile::machineOptions(pipeline.options()));
  if (form == "llvm" || form == "asm")
    return machineText(pipeline, line);
  return planTexts(pipeline, line);
}

} // namespace

int emitCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  Result<compile::Options> options = compileOptions(line, log);
  Result<compile::Text> program = options ? compile::readText(line.file) : options.error();
  if (!program)
    return failure(program.message());
  auto pipeline = compile::Session::ofProcess().begin(program.take(), *options);
  Result<std::string> text = formText(*pipeline, line);
  if (!text)
    return failure(text.message());
  runtime::print(*text);
  show(compile::messagesOf(*pipeline));
  log.finish();
  return pipeline->stops() ? 1 : 0;
}

} // namespace bsgp::driver
