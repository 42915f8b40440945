// bsgpc: the command line.
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>

#include "driver/commands.h"
#include "driver/on_deep_stack.h"

namespace bsgp::driver {

namespace {

void addCompileOptions(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.file, "the program, usually NAME.bsgp")->required();
  app.add_option("-I", line.include_dirs, "search this folder for #include \"file\"")->allow_extra_args(false);
  app.add_option("--fp", line.fp, "contract: a*b+c in one expression is fused (default); strict: never; fast: any algebra")
      ->check(CLI::IsMember({"contract", "strict", "fast"}));
  app.add_flag("--time-passes", line.time_passes, "print how long each phase and pass took");
  app.add_option("--print-after", line.print_after, "print the LLVM module after this pass (names: --time-passes)");
  app.add_option("-O", line.opt_level, "0: no optimization, 1: quick to compile, 2: without the costly passes, 3: full (default)")
      ->check(CLI::Range(0, 3));
}

void addMachineOptions(CLI::App& app, CommandLine& line) {
  app.add_option("--cpu", line.cpu, "native (default), x86-64-v2, x86-64-v3, x86-64-v4, or a name LLVM knows");
}

CLI::App* addRun(CLI::App& app, CommandLine& line) {
  CLI::App* run = app.add_subcommand("run", "compile in memory and run main; the program's arguments follow --");
  addCompileOptions(*run, line);
  addMachineOptions(*run, line);
  run->add_option("--target", line.target, "auto (default), cpu, or reference: one thread at a time, the oracle")
      ->check(CLI::IsMember({"auto", "cpu", "reference"}));
  run->add_option("--threads", line.threads, "processors to use (default: all this process may use)")->check(CLI::Range(1, 4096));
  run->add_option("--shuffle", line.shuffle, "reference: run the threads of a superstep in an order made from this seed");
  run->add_flag("--profile{1}", line.profile, "print where the time goes; --profile=FILE also writes a Perfetto trace");
  run->add_option("-l,--library", line.libraries, "a shared library with extern functions of the program");
  return run;
}

CLI::App* addBuild(CLI::App& app, CommandLine& line) {
  CLI::App* build = app.add_subcommand("build", "make an executable");
  addCompileOptions(*build, line);
  addMachineOptions(*build, line);
  build->add_option("-o,--output", line.output, "the executable")->required();
  build->add_option("-l,--library", line.libraries, "link this library (a name as after -l, or a path)");
  return build;
}

CLI::App* addCompile(CLI::App& app, CommandLine& line) {
  CLI::App* compile = app.add_subcommand("compile", "make an object file and a C/C++ header of the exported functions");
  addCompileOptions(*compile, line);
  addMachineOptions(*compile, line);
  compile->add_option("-o,--output", line.output, "the object file (default: FILE with .o)");
  compile->add_option("--header", line.header, "the header to write");
  return compile;
}

CLI::App* addEmit(CLI::App& app, CommandLine& line) {
  CLI::App* emit = app.add_subcommand("emit", "print what the compiler made of a program");
  emit->add_option("FORM", line.form,
                   "tokens; ast; flat: supersteps before LLVM; supersteps: kernels and values that cross barriers; streams: flow "
                   "graph and assignment; plan; spawns, kernels: LLVM before and after the split; llvm, asm: the optimized module; header")
      ->required()
      ->check(CLI::IsMember({"tokens", "ast", "flat", "supersteps", "streams", "plan", "spawns", "kernels", "llvm", "asm", "header"}));
  addCompileOptions(*emit, line);
  addMachineOptions(*emit, line);
  emit->add_option("--target", line.target, "cpu (default) or reference")->check(CLI::IsMember({"auto", "cpu", "reference"}));
  emit->add_flag("--json", line.json, "supersteps: as JSON");
  emit->add_flag("--dot", line.dot, "streams: as Graphviz");
  return emit;
}

} // namespace

static int commandLine(int argc, char** argv) {
  CLI::App app("The compiler of BSGP, a language for bulk-synchronous parallel programs.", "bsgpc");
  app.set_version_flag("--version", std::string("bsgpc ") + BSGP_VERSION);
  app.require_subcommand(1);
  CommandLine line;
  // What follows -- belongs to the program.
  int own = 1;
  while (own < argc && std::strcmp(argv[own], "--") != 0)
    ++own;
  for (int i = own + 1; i < argc; ++i)
    line.arguments.emplace_back(argv[i]);
  CLI::App* run = addRun(app, line);
  CLI::App* build = addBuild(app, line);
  CLI::App* compile = addCompile(app, line);
  CLI::App* emit = addEmit(app, line);
  CLI::App* check = app.add_subcommand("check", "report what is wrong with a program, and nothing else");
  addCompileOptions(*check, line);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    int code = app.exit(error);
    return code ? 1 : 0;
  }
  if (run->parsed())
    return runCommand(line);
  if (build->parsed())
    return buildCommand(line);
  if (compile->parsed())
    return compileCommand(line);
  return emit->parsed() ? emitCommand(line) : checkCommand(line);
}

} // namespace bsgp::driver

int main(int argc, char** argv) {
  int status = 1;
  if (!bsgp::driver::onDeepStack([&] { status = bsgp::driver::commandLine(argc, argv); }))
    return bsgp::driver::failure("cannot create a thread with a stack of 512 MiB");
  return status;
}
