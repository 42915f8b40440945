// bsgp_compile: the compiler behind the C interface.
//
// The folder `capi` takes a text and bsgp_compile_options; gives a bsgp_program: code in this process, its functions by
// name, its C header. The functions' promises stand in include/bsgp/bsgp.h; compile/session.h compiles.
#include <set>
#include <string>

#include "bsgp/bsgp.h"
#include "capi/exports.h"
#include "compile/runs_here.h"
#include "compile/session.h"
#include "compile/tree_of_json.h"
#include "runtime/check/checks.h"
#include "runtime/context.h"
#include "runtime/cuda/cuda.h"
#include "runtime/environment.h"
#include "runtime/given_options.h"
#include "runtime/guarded.h"
#include "runtime/handles.h"
#include "target/common/out_of_memory.h"

struct bsgp_program {
  std::unique_ptr<bsgp::target::Jit> jit;
  std::set<std::string> names; // of its exports
  std::string header, warnings;
  bsgp::capi::Exports exports;
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

const char* textOf(const bsgp_program* program, const char* function, std::string bsgp_program::* text) {
  if (program && programs().has(program))
    return (program->*text).c_str();
  noProgram(function, program);
  return "";
}

// The kinds in valid options; "", "0" and "off" are none.
uint32_t checksOf(const bsgp_compile_options& given) {
  return *runtime::check::kindsOf(given.check ? given.check : "0");
}

// Fails if this machine cannot run what they ask for.
Result<compile::Options> compileOptions(const bsgp_compile_options& given) {
  compile::Options options;
  options.interface = true;
  options.opt_level = given.opt_level == 0 ? 3 : given.opt_level < 0 ? 0 : static_cast<unsigned>(given.opt_level);
  options.fp = compile::floatModeNamed(given.fp ? given.fp : "contract");
  options.target = given.gpu         ? compile::Target::Gpu
                   : given.reference ? compile::Target::Reference
                                     : compile::Target::Cpu;
  options.checks = checksOf(given);
  options.debug = given.debug != 0;
  for (uint32_t i = 0; i < given.include_dir_count; ++i)
    options.include_dirs.emplace_back(given.include_dirs[i]);
  options.cpu = given.cpu ? given.cpu : "native";
  if (Result<void> good = compile::checkRunsHere(options.cpu); !good)
    return good.error();
  if (!given.gpu)
    return options;
  Result<unsigned> sm = compile::smOf(given.gpu);
  if (!sm)
    return sm.error();
  options.sm = *sm;
  return options;
}

// Says which option is wrong; "": all are right.
std::string wrongOption(const bsgp_compile_options& given, const std::string& function) {
  std::string_view fp = given.fp ? given.fp : "contract";
  if (fp != "contract" && fp != "strict" && fp != "fast")
    return function + ": there is no fp '" + std::string(fp) + "'; there are contract, strict and fast";
  if (given.opt_level < -1 || given.opt_level > 2)
    return function + ": opt_level is " + std::to_string(given.opt_level) + "; it may be from -1 to 2";
  if (given.include_dir_count && !given.include_dirs)
    return function + ": include_dir_count is " + std::to_string(given.include_dir_count) + ", include_dirs NULL";
  for (uint32_t i = 0; i < given.include_dir_count; ++i)
    if (!given.include_dirs[i])
      return function + ": include_dirs[" + std::to_string(i) + "] is NULL";
  if (auto checks = runtime::check::kindsOf(given.check ? given.check : "0"); !checks)
    return function + ": " + checks.message();
  for (auto [name, value] : {std::pair("reference", int64_t(given.reference)), std::pair("debug", given.debug)})
    if (value != 0 && value != 1)
      return function + ": " + name + " is " + std::to_string(value) + "; it may be 0 or 1";
  if (given.reference && given.gpu)
    return function + ": a program is for target reference or for a GPU, and both were asked for";
  return {};
}

// Remembers the program as one that may be called.
Result<bsgp_program*> loaded(const compile::Code& code, const compile::Options& options) {
  auto jit = compile::load(code, options);
  if (!jit)
    return jit.error();
  auto program = std::make_unique<bsgp_program>();
  program->jit = jit.take();
  program->names.insert(code.exports.begin(), code.exports.end());
  program->header = code.header;
  program->warnings = code.warnings.plain;
  program->exports.set(code.interface);
  programs().add(program.get());
  return program.release();
}

// texts: those of the source.
bsgp_status compileSource(compile::Source source, const std::vector<compile::Text>& texts,
                          const bsgp_compile_options& given, bsgp_program** out) {
  auto unavailable = [](const std::string& why) { return runtime::setError(BSGP_UNAVAILABLE, why); };
  Result<compile::Options> options = compileOptions(given);
  if (!options)
    return unavailable(options.message());
  Result<compile::Compiled> made = compile::Session::ofProcess().compile(std::move(source), *options);
  if (!made)
    return unavailable(made.message());
  if (!made->good())
    return runtime::setError(BSGP_INVALID, std::move(made->errors.plain));
  Result<bsgp_program*> program = loaded(*made->code, *options);
  if (!program)
    return unavailable(program.message());
  if (options->checks) {
    runtime::check::codeLooksFor(options->checks);
    for (const compile::Text& text : texts)
      runtime::check::rememberSource(text.name, text.text);
  }
  *out = *program;
  return BSGP_OK;
}

bsgp_status compileText(const char* source, const bsgp_compile_options& given, bsgp_program** out) {
  compile::Text text{given.name && *given.name ? given.name : "program.bsgp", source};
  return compileSource(text, {text}, given, out);
}

bsgp_status compileTree(const char* json, const bsgp_compile_options& given, bsgp_program** out) {
  Result<compile::Tree> tree = compile::treeOfJson(json);
  if (!tree)
    return runtime::setError(BSGP_INVALID, "bsgp_compile_tree: " + tree.message());
  return compileSource(*tree, tree->texts, given, out);
}

// Both kinds of program, after the same checks.
bsgp_status compileAny(const char* function, const char* source, const bsgp_compile_options* options,
                       bsgp_program** out,
                       bsgp_status (*compile)(const char*, const bsgp_compile_options&, bsgp_program**)) {
  if (out)
    *out = nullptr;
  if (!source || !out)
    return runtime::setPlainError(BSGP_INVALID, "%s: the program and out must not be NULL", function);
  return runtime::guardedCall(function, [&] {
    runtime::warnOfUnknownVariables();
    auto given = runtime::givenOptions(options, "bsgp_compile_options", "BSGP_COMPILE_OPTIONS_INIT");
    if (!given)
      return runtime::setError(BSGP_INVALID, std::string(function) + ": " + given.message());
    if (std::string wrong = wrongOption(*given, function); !wrong.empty())
      return runtime::setError(BSGP_INVALID, std::move(wrong));
    return compile(source, *given, out);
  });
}

} // namespace
} // namespace bsgp

extern "C" {

bsgp_status bsgp_compile(const char* source, const bsgp_compile_options* options, bsgp_program** out) {
  return bsgp::compileAny("bsgp_compile", source, options, out, bsgp::compileText);
}

bsgp_status bsgp_compile_tree(const char* tree, const bsgp_compile_options* options, bsgp_program** out) {
  return bsgp::compileAny("bsgp_compile_tree", tree, options, out, bsgp::compileTree);
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
    if (!program->names.count(name))
      return bsgp::runtime::setError(BSGP_INVALID, std::string("the program exports no function '") + name + "'");
    bsgp::target::InLlvm in_llvm;
    auto found = program->jit->lookup(name);
    if (!found)
      return bsgp::runtime::setError(BSGP_INVALID, found.message());
    *out = *found;
    return BSGP_OK;
  });
}

uint32_t bsgp_program_export_count(bsgp_program* program) {
  if (program && bsgp::programs().has(program))
    return program->exports.count();
  bsgp::noProgram("bsgp_program_export_count", program);
  return 0;
}

bsgp_status bsgp_program_export(bsgp_program* program, uint32_t number, const bsgp_export** out) {
  if (!program || !out)
    return bsgp::runtime::setPlainError(BSGP_INVALID, "bsgp_program_export: program and out must not be NULL");
  *out = nullptr;
  if (!bsgp::programs().has(program))
    return bsgp::noProgram("bsgp_program_export", program);
  if (number >= program->exports.count())
    return bsgp::runtime::setPlainError(BSGP_INVALID, "bsgp_program_export: there is no export %u; the program has %u",
                                        number, program->exports.count());
  return bsgp::runtime::guardedCall("bsgp_program_export", [&] {
    auto found = program->exports.at(number, *program->jit);
    if (!found)
      return bsgp::runtime::setError(BSGP_INVALID, found.message());
    *out = *found;
    return BSGP_OK;
  });
}

const char* bsgp_program_header(bsgp_program* program) {
  return bsgp::textOf(program, "bsgp_program_header", &bsgp_program::header);
}

const char* bsgp_program_warnings(bsgp_program* program) {
  return bsgp::textOf(program, "bsgp_program_warnings", &bsgp_program::warnings);
}
}
