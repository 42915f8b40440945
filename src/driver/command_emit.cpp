// bsgpc emit: what the compiler made of a program, phase by phase.
#include <cstdio>

#include <llvm/Support/raw_ostream.h>

#include "driver/commands.h"
#include "driver/header.h"
#include "lex/lex.h"
#include "parse/parse.h"

namespace bsgp::driver {

namespace {

int show(Pipeline& pipeline, bool good, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  showDiagnostics(pipeline);
  return good ? 0 : 1;
}

std::string planTexts(Pipeline& pipeline, const CommandLine& line) {
  std::string out;
  const auto& spawns = pipeline.compiled().spawns;
  for (size_t i = 0; i < spawns.size(); ++i) {
    const plan::Plan& plan = spawns[i].plan;
    if (line.form == "plan")
      out += plan::text(plan);
    else if (line.form == "streams")
      out += line.dot ? plan::streamsDot(plan) : plan::streamsText(plan);
    else if (line.json)
      out += (i ? ",\n" : "") + plan::superstepsJson(plan);
    else
      out += plan::superstepsText(plan);
    if (i + 1 < spawns.size() && !line.json)
      out += "\n";
  }
  return line.form == "supersteps" && line.json ? "[" + out + "]\n" : out;
}

int emitModule(Pipeline& pipeline, const CommandLine& line, PassLog& log) {
  target::CpuOptions machine = targetOptions(line, log);
  target::lowerKernels(pipeline.compiled(), machine);
  if (line.form == "asm") {
    if (Result<void> optimized = target::optimize(pipeline.compiled(), machine); !optimized)
      return failure(optimized.message());
    auto text = target::emitAssembly(pipeline.compiled(), machine);
    if (!text)
      return failure(text.message());
    std::fwrite(text->data(), 1, text->size(), stdout);
    return 0;
  }
  if (Result<void> optimized = target::optimize(pipeline.compiled(), machine); !optimized)
    return failure(optimized.message());
  pipeline.compiled().module->print(llvm::outs(), nullptr);
  return 0;
}

} // namespace

int emitCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  Pipeline pipeline(pipelineOptions(line, log));
  if (!load(pipeline, line))
    return 1;
  const std::string& form = line.form;
  if (form == "tokens") {
    std::string text = bsgp::text(lex(pipeline.sources(), pipeline.mainFile(), pipeline.diagnostics()), pipeline.sources());
    return show(pipeline, !pipeline.diagnostics().hasErrors(), text);
  }
  bool good = pipeline.parse();
  if (form == "ast")
    return show(pipeline, good, ast::text(pipeline.tree(), pipeline.sources(), pipeline.mainFile()));
  good = good && pipeline.analyze();
  if (form == "header" && good) {
    pipeline.expand();
    return show(pipeline, good, headerText(*pipeline.flat().program, "program.h"));
  }
  good = good && pipeline.expand();
  if (form == "flat" && good)
    return show(pipeline, good, expand::text(pipeline.flat(), pipeline.sources()));
  good = good && pipeline.emit();
  if (form == "spawns" && good) { // the module between irgen and bsp
    pipeline.compiled().module->print(llvm::outs(), nullptr);
    return 0;
  }
  good = good && pipeline.split();
  if (!good)
    return show(pipeline, false, "");
  int status = 0;
  if (form == "kernels")
    pipeline.compiled().module->print(llvm::outs(), nullptr);
  else if (form == "llvm" || form == "asm")
    status = emitModule(pipeline, line, log);
  else
    return show(pipeline, true, planTexts(pipeline, line));
  showDiagnostics(pipeline);
  log.finish();
  return status;
}

} // namespace bsgp::driver
