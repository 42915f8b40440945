#include "driver/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "compile/on_deep_stack.h"
#include "runtime/check/checks.h"
#include "runtime/environment.h"
#include "runtime/output.h"
#include "support/nearest_word.h"

namespace bsgp::driver {

namespace {

constexpr const char* kAbout = R"(The compiler of BSGP, a language for bulk-synchronous parallel programs.)";

constexpr const char* kAppFooter = R"(
Examples:
  bsgpc run sort.bsgp                                    compile in memory and run
  bsgpc build sort.bsgp -o sort                          an executable of its own
  bsgpc compile sort.bsgp -o sort.o --header sort.h      for a C or C++ program
  bsgpc emit supersteps sort.bsgp                        what becomes of it
  bsgpc COMMAND --help                                   all about a command

Exit status: 0 when all went well, else 1; of 'run', what the program's main returns.)";

constexpr const char* kRunFooter = R"(
Examples:
  bsgpc run sort.bsgp
  bsgpc run sort.bsgp -- 1000 input.txt                  arguments for main follow --
  bsgpc run --profile sort.bsgp                          which lines cost what
  bsgpc run --profile=trace.json sort.bsgp               the same, and a trace for https://ui.perfetto.dev
  bsgpc run --target reference --shuffle 7 sort.bsgp     is there a race? threads in another order must give the same
  bsgpc run -l ./libmesh.so viewer.bsgp                  with extern functions of a library

Environment (an option given here wins):
  BSGP_TARGET=auto|cpu|cuda|reference   BSGP_THREADS=N   BSGP_SHUFFLE=SEED   BSGP_PROFILE=1|FILE
  BSGP_FORM=measured|lanes|alone|wavefront|mixed   kernels compiled in several forms: the fastest one by the clock, vectors, threads one by one, wavefronts, all
  BSGP_POISON=1   fill device memory with 0xCB when it is allocated and freed, to find what is read too early or too late

Exit status: what main returns. 1 when the program has errors, or fails while it runs: a message says where.)";

constexpr const char* kBuildFooter = R"(
The linker is run by the C++ compiler that $CXX names, else by c++, g++ or clang++. The executable needs neither bsgpc nor LLVM;
it obeys the environment variables that 'bsgpc run --help' lists. With several --cpu it holds the kernels of each, and takes the last
that the machine it runs on is like, or the one that BSGP_CPU=NAME names. For another --triple $CXX must name a compiler that links
for it, and a runtime that was built for it lie in the folder lib/TRIPLE beside that of bsgpc.

Examples:
  bsgpc build sort.bsgp -o sort && ./sort 1000
  bsgpc build sort.bsgp -o sort --cpu x86-64-v3          for other machines than this one
  bsgpc build sort.bsgp -o sort --cpu=x86-64-v2,x86-64-v3,x86-64-v4
                                                         for old and new ones
  bsgpc build viewer.bsgp -o viewer -l mesh              link libmesh
  BSGP_PROFILE=1 ./sort                                  where the time goes)";

constexpr const char* kCompileFooter = R"(
The header declares each exported function as
  bsgp_status NAME(bsgp_context* context, PARAMETERS..., RESULT* result)
scalars and pointers by value, structs and vectors by const pointer, reference parameters by pointer.

Examples (PREFIX: where BSGP is installed):
  bsgpc compile sort.bsgp -o sort.o --header sort.h
  g++ -std=c++20 main.cpp sort.o -I PREFIX/include PREFIX/lib/libbsgp_runtime.a -pthread
  bsgpc compile sort.bsgp --cpu=x86-64-v2,x86-64-v4      kernels for old and new machines; the best is taken where it runs
  bsgpc compile sort.bsgp --triple aarch64-linux-gnu     an object for another kind of machine
CMake:
  find_package(bsgp REQUIRED)
  bsgp_add_library(sort sort.bsgp)
  target_link_libraries(main PRIVATE sort))";

constexpr const char* kEmitForms = R"(
Forms, in the order in which the compiler makes them:
  tokens      the words of the text
  ast         the syntax tree
  typed       names and types resolved, conversions written out, an instance of each function for its types
  flat        supersteps after expansion of collectives and par, before LLVM, written out from the tree
  spawns      LLVM: one function a spawn, all its supersteps in it
  supersteps  of each spawn: kernels, their lines and parameters, and the values that cross a barrier   (--json)
  streams     the flow graph of those values, and which streams share memory                            (--dot)
  partition   the blocks of each partitioned superstep, and the values that live between them             (--json)
  plan        what the runtime does for each spawn, step by step
  kernels     LLVM: one function a superstep
  llvm, asm   the optimized module of the target; its assembly
  ptx         what a GPU gets
  header      what 'compile --header' writes

Examples:
  bsgpc emit supersteps sort.bsgp
  bsgpc emit supersteps --json sort.bsgp | python3 -m json.tool
  bsgpc emit streams --dot sort.bsgp | dot -Tsvg > streams.svg)";

constexpr const char* kCheckFooter = R"(
Warnings leave the exit status 0, errors make it 1.

Example:
  bsgpc check -I lib sort.bsgp && echo good)";

CLI::Validator namedFile() {
  return {[](const std::string& path) { return path.empty() ? "the name of the file is empty" : ""; }, ""};
}

void addCompileOptions(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.file, "the program, usually NAME.bsgp; -: the standard input")->required()->type_name("");
  app.add_option("-I,--include", line.include_dirs, "search this folder for #include \"file\"; may be given again")
      ->allow_extra_args(false)
      ->type_name("FOLDER");
  app.add_option("-O", line.opt_level,
                 "0: no optimization; 1: quick to compile; 2: without the costly passes; 3: full (default)")
      ->check(CLI::Range(0, 3).description(""))
      ->type_name("0..3");
  app.add_option("--fp", line.fp,
                 "contract: a*b+c in one expression is fused (default); strict: never; fast: any algebra")
      ->check(CLI::IsMember({"contract", "strict", "fast"}))
      ->type_name("MODE");
  app.add_option(
         "-W", line.warning_words,
         "-Werror: a warning stops the program as an error does; -Werror=KIND: one of this kind; -Wno-KIND: none of "
         "this kind; the kind stands in brackets behind a message; may be given again")
      ->allow_extra_args(false)
      ->type_name("WORD");
  app.add_flag("-w", line.warnings.none, "no warnings");
  app.add_flag("--time-passes", line.time_passes, "print how long each phase and pass took");
  app.add_option("--print-after", line.print_after,
                 "print the LLVM module after this pass; --time-passes tells their names")
      ->type_name("PASS");
}

// `several`: the command can make code for other machines than this one.
void addMachineOptions(CLI::App& app, CommandLine& line, bool several) {
  app.add_option("--triple", line.triple, "make code for another kind of machine: aarch64-linux-gnu, x86_64-linux-gnu")
      ->type_name("NAME")
      ->group(several ? "Options" : ""); // for 'run', which reports why it cannot
  app.add_option(
         "--cpu", line.cpu,
         "make code for: native, this machine (default); x86-64-v2, x86-64-v3, x86-64-v4; or a name that LLVM knows" +
             std::string(several ? "; several: kernels for each, the oldest first; default with --triple: generic"
                                 : ""))
      ->type_name(several ? "NAME,..." : "NAME");
  app.add_option("--vector-width", line.vector_width,
                 "run so many threads at once: 4, 8, 16; 1: one by one (default: what the machine's vectors hold)")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}).description(""))
      ->type_name("N");
  app.add_option(
         "--wavefronts", line.wavefronts,
         "loops in which other threads take the places of those that have left, on a CPU: off: none; marked: those "
         "that say "
         "'wavefront', where it is faster (default); auto: every loop where it is faster; all: every one, to test")
      ->check(CLI::IsMember({"off", "marked", "auto", "all"}).description(""))
      ->type_name("WHICH");
  app.add_flag("-g", line.debug,
               "write functions, lines, and variables of host code for gdb, perf and other tools that read DWARF");
  app.add_flag("--remarks", line.remarks,
               "say what keeps kernels from using vectors well (gathers, calls made thread by thread), and which ifs "
               "and loops have become the host's");
}

void addGpuOption(CLI::App& app, CommandLine& line, const char* otherwise) {
  app.add_option("--gpu", line.gpu,
                 "make code for NVIDIA GPUs of this compute capability and later: sm_75, sm_80, sm_86, sm_87, sm_89, "
                 "sm_90; native: the one in this machine" +
                     std::string(otherwise))
      ->type_name("NAME");
}

void addPartitionOption(CLI::App& app, CommandLine& line) {
  app.add_flag("--partition", line.partition,
               "run the supersteps of all spawns of the program as a kernel for each block of their control flow, as "
               "'spawn (n) partition' says for one; --partition=marked: of those that say so (default); off: of none");
}

// Adds the options of a command that makes code of FILE. `otherwise`: its behaviour without --gpu.
void addCodeOptions(CLI::App& app, CommandLine& line, bool several, const char* otherwise) {
  addCompileOptions(app, line);
  addMachineOptions(app, line, several);
  addGpuOption(app, line, otherwise);
  addPartitionOption(app, line);
}

void addCheckOption(CLI::App& app, CommandLine& line) {
  app.add_flag("--check", line.check,
               "make the program find its own mistakes, and say where: races, accesses outside of memory, values that "
               "nobody wrote, overflow; --check=race,bounds,init,arithmetic: some of them")
      ->multi_option_policy(CLI::MultiOptionPolicy::Join); // with '\n' between
}

CLI::App* addCommand(CLI::App& app, const char* name, const char* about, const char* footer) {
  CLI::App* command = app.add_subcommand(name, about);
  command->footer(footer);
  return command;
}

// Returns "" or the error: a number that is too large is reported here, not by the later reader of the variable that
// it becomes.
std::string notANumber(const std::string& text) {
  uint64_t seed = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? "" : text + " is no number from 0 to 18446744073709551615";
}

CLI::App* addRun(CLI::App& app, CommandLine& line) {
  CLI::App* run =
      addCommand(app, "run", "compile in memory and run main; the program's arguments follow --", kRunFooter);
  addCodeOptions(*run, line, false, " (default)");
  run->add_option(
         "--target", line.target,
         "auto: a GPU where there is one, else the CPU (default); cuda; cpu; reference: one thread at a time, slow and "
         "simple, to compare with")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}))
      ->type_name("NAME");
  run->add_option("--threads", line.threads, "processors to use, 1 to 4096 (default: all this process may use)")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  run->add_option("--shuffle", line.shuffle,
                  "reference: run the threads of each superstep in an order made from this number")
      ->check(CLI::Validator(notANumber, ""))
      ->type_name("SEED");
  addCheckOption(*run, line);
  run->add_option("--check-limit", line.check_limit, "of --check: tell at most so many mistakes (default: 20)")
      ->check(CLI::Validator(notANumber, ""))
      ->type_name("N");
  run->add_option("--check-json", line.check_json, "of --check: write all mistakes to this file, too, as JSON")
      ->check(namedFile())
      ->type_name("PATH");
  run->add_flag("--profile", line.profile,
                "print where the time goes; --profile=FILE also writes a trace for Perfetto");
  run->add_option("-l,--library", line.libraries,
                  "a shared library with extern functions of the program; may be given again")
      ->allow_extra_args(false)
      ->type_name("PATH");
  return run;
}

CLI::App* addBuild(CLI::App& app, CommandLine& line) {
  CLI::App* build = addCommand(app, "build", "make an executable", kBuildFooter);
  addCodeOptions(*build, line, true, ", or none (default: sm_75)");
  addCheckOption(*build, line);
  build->add_option("-o,--output", line.output, "the executable (default: the program's name, here)")
      ->check(namedFile())
      ->type_name("PATH");
  build
      ->add_option("-l,--library", line.libraries,
                   "link this library: a name as after -l of a linker, or a path; may be given again")
      ->allow_extra_args(false)
      ->type_name("LIBRARY");
  return build;
}

CLI::App* addCompile(CLI::App& app, CommandLine& line) {
  CLI::App* compile =
      addCommand(app, "compile", "make an object file and a C/C++ header of the exported functions", kCompileFooter);
  addCodeOptions(*compile, line, true, ", or none (default: sm_75)");
  addCheckOption(*compile, line);
  compile->add_option("-o,--output", line.output, "the object file (default: the program's name with .o, here)")
      ->check(namedFile())
      ->type_name("PATH");
  compile->add_option("--header", line.header, "write the header to this file")->check(namedFile())->type_name("PATH");
  compile->add_option("--depfile", line.depfile, "write what the object depends on to this file, for make and ninja")
      ->check(namedFile())
      ->type_name("PATH");
  compile
      ->add_option(
          "--link-options", line.link_options,
          "write what links the libraries that the program names to this file: give -Wl,@PATH to the linking compiler")
      ->check(namedFile())
      ->type_name("PATH");
  return compile;
}

CLI::App* addEmit(CLI::App& app, CommandLine& line) {
  CLI::App* emit = addCommand(app, "emit", "print what the compiler made of a program, phase by phase", kEmitForms);
  emit->add_option("FORM", line.form, "one of those below")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"tokens", "ast", "typed", "flat", "supersteps", "streams", "partition", "plan", "spawns",
                             "kernels", "llvm", "asm", "ptx", "header"})
                  .description(""));
  addCodeOptions(*emit, line, true, " (default: sm_75)");
  addCheckOption(*emit, line);
  emit->add_option("--target", line.target,
                   "cpu (default); cuda: what the program is for a GPU; of llvm and asm also reference")
      ->check(CLI::IsMember({"auto", "cpu", "reference", "cuda"}).description(""))
      ->type_name("NAME");
  emit->add_flag("--json", line.json, "supersteps or partition as JSON");
  emit->add_flag("--dot", line.dot, "streams as Graphviz");
  return emit;
}

CLI::App* addCheck(CLI::App& app, CommandLine& line) {
  CLI::App* check = addCommand(app, "check", "report what is wrong with a program, and nothing else", kCheckFooter);
  addCompileOptions(*check, line);
  check->add_option("--target", line.target, "the program for a CPU (default) or, with cuda, for a GPU")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}).description(""))
      ->type_name("NAME");
  return check;
}

// Reads the word of --partition; returns "" or the error.
std::string wrongPartition(CommandLine& line) {
  if (line.partition.empty())
    return "";
  Result<bsp::PartitionOptions> read = bsp::partitionNamed(line.partition);
  if (!read)
    return "--partition: " + read.message();
  line.partition_options = *read;
  return "";
}

// Fills in the kinds that --check asks for; returns "" or the error.
std::string wrongChecks(CommandLine& line) {
  if (line.check.empty())
    return "";
  std::replace(line.check.begin(), line.check.end(), '\n', ',');
  Result<uint32_t> checks = runtime::check::kindsOf(line.check);
  if (!checks)
    return "--check: " + checks.message();
  line.checks = *checks;
  if (line.target == "auto")
    line.target = "cpu";
  if (line.target != "cuda" && line.gpu.empty())
    line.gpu = "none";
  return "";
}

// Returns the kind of warning that a word behind -Wno- or -Werror= names; "" and the error if there is none.
std::string warningKind(std::string word, std::string& wrong) {
  std::replace(word.begin(), word.end(), '-', '_');
  std::vector<std::string_view> kinds = warningNames();
  if (std::find(kinds.begin(), kinds.end(), word) != kinds.end())
    return word;
  std::string_view near = nearestOf(word, kinds);
  wrong =
      "no warning is of the kind '" + word + "'" +
      (near.empty() ? "; the kind stands in brackets behind a message" : "; did you mean '" + std::string(near) + "'?");
  return "";
}

// Fills in the policy that -W options give; returns "" or the error.
std::string wrongWarnings(CommandLine& line) {
  std::string wrong;
  for (const std::string& word : line.warning_words)
    if (word == "error")
      line.warnings.all_errors = true;
    else if (word.starts_with("error="))
      line.warnings.errors.push_back(warningKind(word.substr(6), wrong));
    else if (word.starts_with("no-"))
      line.warnings.off.push_back(warningKind(word.substr(3), wrong));
    else
      return "-W" + word + " is none of -Werror, -Werror=KIND and -Wno-KIND";
  return wrong;
}

std::string complaint(const CLI::App* app, const CLI::Error& error) {
  std::string command = "bsgpc";
  for (const CLI::App* sub : app->get_subcommands())
    command += " " + sub->get_name();
  return std::string("bsgpc: error: ") + error.what() + "\nRun '" + command + " --help' for what there is.\n";
}

// Returns the known word that `word` was meant to be; empty if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string_view near = nearestOf(word, {known.begin(), known.end()});
  return near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
}

bool isCommand(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == word)
      return true;
  return false;
}

std::string wrongCommand(const CLI::App& app, const std::string& word) {
  constexpr std::string_view kSuffix = ".bsgp";
  std::error_code none;
  bool file = word.ends_with(kSuffix) || std::filesystem::is_regular_file(word, none);
  if (file)
    return "a command stands before the file: bsgpc run " + word;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  std::string near = nearest(word, names);
  return "unknown command '" + word + "'" +
         (near.empty() ? "; the commands are run, build, compile, emit, check" : near);
}

// Returns the error in the first word of the command line; empty if there is none.
std::string wrongStart(const CLI::App& app, int argc, char** argv) {
  if (argc < 2)
    return "a command is missing; to run a program: bsgpc run FILE.bsgp";
  std::string first = argv[1];
  if (!first.starts_with("-"))
    return isCommand(app, first) ? "" : wrongCommand(app, first);
  if (app.get_option_no_throw(first))
    return {};
  for (int i = 2; i < argc; ++i)
    if (argv[i][0] != '-')
      return "options follow the command: bsgpc " + (isCommand(app, argv[i]) ? std::string(argv[i]) : "run") + " " +
             first + " ...";
  return "unknown option '" + first + "'";
}

// Returns an error for words that no option or place of the command takes.
std::string wrongWords(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        known.push_back("--" + name);
    for (const std::string& word : command->remaining()) {
      if (!word.starts_with("-"))
        return "one file at a time, and '" + word + "' is another; arguments of the program follow --";
      return "unknown option '" + word + "' of '" + command->get_name() + "'" +
             nearest(word.substr(0, word.find('=')), known);
    }
  }
  return {};
}

int failedCommandLine(const CLI::App& app, const std::string& wrong) {
  std::string command = "bsgpc";
  for (const CLI::App* sub : app.get_subcommands())
    command += " " + sub->get_name();
  return failure(wrong + "\nRun '" + command + " --help' for what there is.");
}

// Returns an error for options that exclude each other.
std::string contradiction(const CommandLine& line, bool run) {
  if (line.json && line.form != "supersteps" && line.form != "partition")
    return "--json is for 'emit supersteps' and 'emit partition'";
  if (line.dot && line.form != "streams")
    return "--dot is for 'emit streams'";
  bool texts = line.form == "llvm" || line.form == "asm";
  if (texts && line.target == "cuda")
    return "'emit " + line.form + "' is for --target cpu and reference; 'emit kernels' shows the code for a GPU";
  if (line.cpu.find(',') != std::string::npos && (run || (!line.form.empty() && !texts)))
    return "--cpu takes several names where code is made for other machines: 'build', 'compile', 'emit llvm' and "
           "'emit asm'";
  if (!line.triple.empty() && (run || (!line.form.empty() && !texts)))
    return "--triple is for code that runs elsewhere: 'build', 'compile', 'emit llvm' and 'emit asm'";
  if (!line.shuffle.empty() && line.target == "cpu")
    return "--shuffle is for --target reference";
  if (line.check.empty() && (line.check_limit || !line.check_json.empty()))
    return std::string(line.check_limit ? "--check-limit" : "--check-json") + " is for --check";
  return {};
}

// Finds the machine that code is for, in the words of CpuOptions.
Result<void> findMachine(CommandLine& line) {
  if (!line.triple.empty()) {
    Result<std::string> other = target::otherMachine(line.triple);
    if (!other)
      return other.error();
    line.triple = *other;
  }
  if (line.cpu.empty())
    line.cpu = line.triple.empty() ? "native" : "generic";
  return {};
}

} // namespace

int runCommandLine(int argc, char** argv) {
  runtime::warnOfUnknownVariables();
  CLI::App app(kAbout, "bsgpc");
  app.footer(kAppFooter);
  app.set_version_flag("--version", std::string("bsgpc ") + BSGP_VERSION);
  app.require_subcommand(1);
  app.failure_message(complaint);
  CommandLine line;
  // The words behind -- belong to the program.
  int own = 1;
  while (own < argc && std::strcmp(argv[own], "--") != 0)
    ++own;
  for (int i = own + 1; i < argc; ++i)
    line.arguments.emplace_back(argv[i]);
  CLI::App* run = addRun(app, line);
  CLI::App* build = addBuild(app, line);
  CLI::App* compile = addCompile(app, line);
  CLI::App* emit = addEmit(app, line);
  addCheck(app, line);
  if (std::string wrong = wrongStart(app, own, argv); !wrong.empty())
    return failedCommandLine(app, wrong);
  if (std::any_of(argv, argv + own, [](const char* word) { return std::strcmp(word, "--check=") == 0; }))
    return failure("--check: " + runtime::check::kindsOf(",").message());
  try {
    app.parse(own, argv);
  } catch (const CLI::ExtrasError& error) {
    std::string wrong = wrongWords(app);
    return wrong.empty() ? (app.exit(error), 1) : failedCommandLine(app, wrong);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text; // stdio keeps no reason where a stream of C++ cannot write
    int status = app.exit(error, text, std::cerr) ? 1 : 0;
    runtime::print(text.str());
    return status;
  }
  if (std::string wrong = contradiction(line, run->parsed()); !wrong.empty())
    return failure(wrong);
  if (Result<void> machine = findMachine(line); !machine)
    return failure(machine.message());
  if (!line.arguments.empty() && !run->parsed())
    return failure("arguments after -- are for 'bsgpc run'");
  if (line.profile == "true") // --profile without a value
    line.profile = "1";
  if (!line.shuffle.empty())
    line.target = "reference";
  if (std::string wrong = wrongPartition(line); !wrong.empty())
    return failure(wrong);
  if (std::string wrong = wrongChecks(line); !wrong.empty())
    return failure(wrong);
  if (std::string wrong = wrongWarnings(line); !wrong.empty())
    return failure(wrong);
  auto command = run->parsed()       ? runCommand
                 : build->parsed()   ? buildCommand
                 : compile->parsed() ? compileCommand
                 : emit->parsed()    ? emitCommand
                                     : checkCommand;
  int status = 1;
  if (!compile::onDeepStack(compile::bytesOfFile(line.file), [&] { status = command(line); }))
    status = command(line); // without a new thread: on the stack that there is
  return status;
}

} // namespace bsgp::driver
