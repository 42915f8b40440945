#include "compile/options.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "plan/check_abi.h"

namespace bsgp::compile {

namespace {

// As the targets call it, whose passes have a module.
std::function<void(std::string_view, const llvm::Module&)> passHook(const Options& options) {
  if (!options.after_pass)
    return {};
  return [hook = options.after_pass](std::string_view pass, const llvm::Module& module) { hook(pass, &module); };
}

} // namespace

bool verifies() {
  const char* wanted = std::getenv("BSGP_VERIFY");
  return wanted && std::string_view(wanted) == "1";
}

irgen::FloatMode floatModeNamed(std::string_view name) {
  return name == "strict" ? irgen::FloatMode::Strict
         : name == "fast" ? irgen::FloatMode::Fast
                          : irgen::FloatMode::Contract;
}

target::Wavefronts wavefrontsNamed(std::string_view name) {
  return name == "off"    ? target::Wavefronts::Off
         : name == "auto" ? target::Wavefronts::Auto
         : name == "all"  ? target::Wavefronts::All
                          : target::Wavefronts::Marked;
}

sema::Options semaOptions(const Options& options, std::function<std::string(std::string_view)> include_of) {
  sema::Options made;
  made.need_main = options.need_main;
  made.gpu = options.target == Target::Gpu;
  made.appends = options.target == Target::Cpu && options.checks == 0;
  made.include_of = std::move(include_of);
  made.fast_math = options.fp == irgen::FloatMode::Fast;
  made.tells_undefined = options.checks & BSGP_CHECK_INIT;
  return made;
}

irgen::Options irgenOptions(const Options& options) {
  irgen::Options made;
  made.fp = options.fp;
  made.positions = options.remarks || options.checks || options.debug;
  made.debug = options.debug;
  made.verify = options.verify;
  made.applied = options.interface;
  made.checked = options.checks != 0;
  return made;
}

bsp::Options bspOptions(const Options& options) {
  bsp::Options made;
  made.opt_level = options.opt_level;
  made.verify = options.verify;
  made.after_pass = passHook(options);
  made.partition = options.partition;
  if (options.checks) // races are found between the threads of a superstep
    made.partition.spawns = bsp::PartitionOptions::None;
  return made;
}

target::CpuOptions machineOptions(const Options& options) {
  target::CpuOptions made;
  made.opt_level = options.opt_level;
  made.cpu = options.cpu;
  made.triple = options.triple;
  made.vector_width = options.vector_width;
  made.wavefronts = options.wavefronts;
  made.reference = options.target == Target::Reference;
  made.verify = options.verify;
  made.debug = options.debug;
  made.libraries = options.libraries;
  made.after_pass = passHook(options);
  return made;
}

target::GpuOptions gpuOptions(const Options& options) {
  target::GpuOptions made;
  made.opt_level = options.opt_level;
  made.sm = options.sm;
  made.approximate = options.fp == irgen::FloatMode::Fast;
  made.verify = options.verify;
  made.after_pass = passHook(options);
  return made;
}

// Include folders decide about the texts alone, libraries about the linking. Debuggers look for the files in the current folder.
std::string text(const Options& options) {
  std::error_code ignored;
  return fmt::format("{} O{} fp{} checks{} main{} interface{} remarks{} debug{}:{} cpu {}:{} triple {} width{} "
                     "wavefronts{} sm{} partition {} warnings {}",
                     int(options.target), options.opt_level, int(options.fp), options.checks, options.need_main,
                     options.interface, options.remarks, options.debug,
                     options.debug ? std::filesystem::current_path(ignored).string() : "", options.cpu,
                     options.cpu == "native" ? target::thisMachine() : "", options.triple, options.vector_width,
                     int(options.wavefronts), options.sm, int(options.partition.spawns), options.warnings.text());
}

} // namespace bsgp::compile
