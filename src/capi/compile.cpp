// bsgp_compile: the compiler behind the C interface.
//
// The folder `capi` takes a text and bsgp_compile_options; gives a bsgp_program: code in this process, its functions by
// name, its C header. What the functions promise is in include/bsgp/bsgp.h; compiling is driver/program_code.h's.
#include <set>
#include <string>

#include "bsgp/bsgp.h"
#include "driver/libraries.h"
#include "driver/on_deep_stack.h"
#include "driver/program_code.h"
#include "driver/runs_here.h"
#include "runtime/check/source_lines.h"
#include "runtime/context.h"
#include "runtime/cuda/cuda.h"
#include "runtime/environment.h"
#include "runtime/given_options.h"
#include "runtime/guarded.h"
#include "runtime/handles.h"
#include "runtime/symbols.h"
#include "target/out_of_memory.h"

struct bsgp_program {
  std::unique_ptr<bsgp::target::Jit> jit;
  std::set<std::string> exports;
  std::string header;
};

namespace bsgp {

namespace {

// Never destroyed: programs may be used while the process ends.
runtime::Handles& programs() {
  static auto* const all = new runtime::Handles;
  return *all;
}

bsgp_status noProgram(const char* function, const bsgp_program* program) {
  return runtime::setPlainError(BSGP_INVALID, "%s: %p is no program, or it was destroyed before", function,
                                static_cast<const void*>(program));
}

// Of options that are right; "" and "0" are none.
uint32_t checksOf(const bsgp_compile_options& given) {
  return *runtime::check::kindsOf(given.check ? given.check : "0");
}

driver::PipelineOptions pipelineOptions(const bsgp_compile_options& given) {
  driver::PipelineOptions options;
  options.opt_level = given.opt_level == 0 ? 3 : given.opt_level < 0 ? 0 : static_cast<unsigned>(given.opt_level);
  std::string_view fp = given.fp ? given.fp : "contract";
  options.fp = fp == "strict" ? irgen::FloatMode::Strict
               : fp == "fast" ? irgen::FloatMode::Fast
                              : irgen::FloatMode::Contract;
  options.gpu = given.gpu != nullptr;
  options.reference = given.reference != 0;
  options.checks = checksOf(given);
  options.debug = given.debug != 0;
  for (uint32_t i = 0; i < given.include_dir_count; ++i)
    options.include_dirs.emplace_back(given.include_dirs[i]);
  return options;
}

// "" or what is wrong with them.
std::string wrongOption(const bsgp_compile_options& given) {
  std::string_view fp = given.fp ? given.fp : "contract";
  if (fp != "contract" && fp != "strict" && fp != "fast")
    return "bsgp_compile: there is no fp '" + std::string(fp) + "'; there are contract, strict and fast";
  if (given.opt_level < -1 || given.opt_level > 2)
    return "bsgp_compile: opt_level is " + std::to_string(given.opt_level) + "; it may be from -1 to 2";
  if (given.include_dir_count && !given.include_dirs)
    return "bsgp_compile: include_dir_count is " + std::to_string(given.include_dir_count) + ", include_dirs NULL";
  for (uint32_t i = 0; i < given.include_dir_count; ++i)
    if (!given.include_dirs[i])
      return "bsgp_compile: include_dirs[" + std::to_string(i) + "] is NULL";
  if (auto checks = runtime::check::kindsOf(given.check ? given.check : "0"); !checks)
    return "bsgp_compile: " + checks.message();
  if (given.reference && given.gpu)
    return "bsgp_compile: a program is for target reference or for a GPU, and both were asked for";
  return {};
}

Result<driver::CodeOptions> codeOptions(const bsgp_compile_options& given, unsigned opt_level) {
  driver::CodeOptions options;
  options.interface = true;
  options.machine.opt_level = opt_level;
  options.machine.cpu = given.cpu ? given.cpu : "native";
  options.machine.reference = given.reference != 0;
  options.machine.verify = driver::verifies();
  options.machine.debug = given.debug != 0;
  for (const runtime::Symbol& symbol : runtime::symbols())
    options.machine.symbols.emplace_back(symbol.name, symbol.address);
  if (!given.gpu)
    return options;
  Result<unsigned> sm = driver::smOf(given.gpu);
  if (!sm)
    return sm.error();
  target::GpuOptions gpu;
  gpu.opt_level = opt_level;
  gpu.verify = driver::verifies();
  gpu.sm = *sm;
  gpu.approximate = given.fp && std::string_view(given.fp) == "fast";
  options.gpu = gpu;
  return options;
}

Result<std::unique_ptr<bsgp_program>> load(driver::ProgramCode code, target::CpuOptions machine) {
  target::InLlvm in_llvm;
  machine.libraries = driver::sharedLibraries(code.libraries);
  auto jit = target::Jit::link(code.objects, machine);
  if (!jit)
    return jit.error();
  auto program = std::make_unique<bsgp_program>();
  program->jit = jit.take();
  program->exports.insert(code.exports.begin(), code.exports.end());
  program->header = std::move(code.header);
  return program;
}

// The message is the caller's to keep: this runs on a thread of its own.
bsgp_status compile(const char* source, const bsgp_compile_options& given, bsgp_program** out, std::string& message) {
  auto unavailable = [&](const std::string& why) {
    message = why;
    return BSGP_UNAVAILABLE;
  };
  driver::PipelineOptions front = pipelineOptions(given);
  driver::Pipeline pipeline(front);
  std::string name = given.name ? given.name : "program.bsgp";
  pipeline.loadText(name, source);
  if (Result<void> good = driver::checkRunsHere(given.cpu ? given.cpu : "native"); !good)
    return unavailable(good.message());
  Result<driver::CodeOptions> options = codeOptions(given, front.opt_level);
  if (!options)
    return unavailable(options.message());
  Result<runtime::CodeCache> cache = runtime::CodeCache::fromEnvironment();
  if (!cache)
    return unavailable(cache.message());
  auto code = driver::compileProgram(pipeline, *options, *cache);
  if (!code)
    return unavailable(code.message());
  if (!*code) {
    message = pipeline.diagnostics().render();
    return BSGP_INVALID;
  }
  auto program = load(std::move(**code), options->machine);
  if (!program)
    return unavailable(program.message());
  runtime::check::codeLooksFor(front.checks);
  if (front.checks)
    runtime::check::rememberSource(name, source);
  std::unique_ptr<bsgp_program> made = program.take();
  programs().add(made.get());
  *out = made.release();
  return BSGP_OK;
}

// No exception leaves the thread.
bsgp_status compileOrNoMemory(const char* source, const bsgp_compile_options& given, bsgp_program** out,
                              std::string& message) {
  return runtime::guarded([&] { return compile(source, given, out, message); }, [] { return BSGP_OUT_OF_MEMORY; });
}

} // namespace
} // namespace bsgp

extern "C" {

bsgp_status bsgp_compile(const char* source, const bsgp_compile_options* options, bsgp_program** out) {
  if (!source || !out)
    return bsgp::runtime::setPlainError(BSGP_INVALID, "bsgp_compile: source and out must not be NULL");
  *out = nullptr;
  return bsgp::runtime::guardedCall("bsgp_compile", [&] {
    bsgp::runtime::warnOfUnknownVariables();
    auto given = bsgp::runtime::givenOptions(options, "bsgp_compile_options", "BSGP_COMPILE_OPTIONS_INIT");
    if (!given)
      return bsgp::runtime::setError(BSGP_INVALID, "bsgp_compile: " + given.message());
    if (std::string wrong = bsgp::wrongOption(*given); !wrong.empty())
      return bsgp::runtime::setError(BSGP_INVALID, std::move(wrong));
    bsgp_status status = BSGP_UNAVAILABLE;
    std::string message;
    auto work = [&] { status = bsgp::compileOrNoMemory(source, *given, out, message); };
    if (!bsgp::driver::onDeepStack(bsgp::driver::bytesOfText(source), work))
      return bsgp::runtime::setError(BSGP_UNAVAILABLE, "bsgp_compile: the system gives no thread to compile in");
    if (status == BSGP_OUT_OF_MEMORY)
      return bsgp::runtime::noMemoryFor("bsgp_compile");
    return status == BSGP_OK ? status : bsgp::runtime::setError(status, std::move(message));
  });
}

bsgp_status bsgp_program_destroy(bsgp_program* program) {
  if (!program)
    return BSGP_OK;
  if (!bsgp::programs().remove(program))
    return bsgp::noProgram("bsgp_program_destroy", program);
  bsgp::runtime::codeUnloaded();
  bsgp::runtime::forgetSites();
  delete program;
  return BSGP_OK;
}

bsgp_status bsgp_program_function(bsgp_program* program, const char* name, void** out) {
  if (!program || !name || !out)
    return bsgp::runtime::setPlainError(BSGP_INVALID, "bsgp_program_function: program, name and out must not be NULL");
  *out = nullptr;
  if (!bsgp::programs().has(program))
    return bsgp::noProgram("bsgp_program_function", program);
  return bsgp::runtime::guardedCall("bsgp_program_function", [&] {
    if (!program->exports.count(name))
      return bsgp::runtime::setError(BSGP_INVALID, std::string("the program exports no function '") + name + "'");
    bsgp::target::InLlvm in_llvm;
    auto found = program->jit->lookup(name);
    if (!found)
      return bsgp::runtime::setError(BSGP_INVALID, found.message());
    *out = *found;
    return BSGP_OK;
  });
}

const char* bsgp_program_header(bsgp_program* program) {
  if (program && bsgp::programs().has(program))
    return program->header.c_str();
  bsgp::noProgram("bsgp_program_header", program);
  return "";
}
}
