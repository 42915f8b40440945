#include "arrays/device/code.h"

#include <atomic>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "compile/runs_here.h"
#include "compile/session.h"
#include "runtime/cuda/cuda.h"
#include "runtime/origin.h"
#include "target/common/out_of_memory.h"

namespace bsgp::arrays {

namespace {

constexpr size_t kMostPrograms = 1024;
constexpr char kFrontEnd[] = "arrays 1";

std::atomic<int64_t> compiled{0};

struct Loaded {
  std::unique_ptr<target::Jit> jit;
  void* function = nullptr;
};

// Never destroyed: code may run while the process ends. One evaluation runs at a time.
std::map<std::pair<Target, std::string>, Loaded>& programs() {
  static auto* const all = new std::map<std::pair<Target, std::string>, Loaded>;
  return *all;
}

void forgetPrograms() {
  programs().clear();
  runtime::codeUnloaded();
  runtime::forgetSites();
}

Result<compile::Options> optionsOf(Target target) {
  compile::Options options;
  options.fp = irgen::FloatMode::Strict;
  options.opt_level = target == Target::Cuda ? 2 : 1;
  options.target = target == Target::Cuda ? compile::Target::Gpu : compile::Target::Reference;
  if (target != Target::Cuda)
    return options;
  auto sm = compile::smOf("native");
  if (!sm)
    return sm.error();
  options.sm = *sm;
  return options;
}

Error defect(const Source& source, Target target, const std::string& message) {
  return Error{fmt::format("a defect of the library, which made a wrong program for target {} of a kernel:\n{}\n{}"
                           "  help: report it with this text; target cpu computes the same",
                           nameOf(target), source.text, message)};
}

Result<Loaded> load(const Source& source, Target target) {
  auto options = optionsOf(target);
  if (!options)
    return options.error();
  compile::Tree tree;
  tree.texts = {{"kernel", source.text}};
  tree.make = source.make;
  tree.library = {"__arrays.bsgp"};
  tree.key = kFrontEnd;
  auto made = compile::Session::ofProcess().compile(std::move(tree), *options);
  if (!made)
    return made.error();
  if (!made->good())
    return defect(source, target, made->errors.plain);
  auto jit = compile::load(*made->code, *options);
  if (!jit)
    return jit.error();
  target::InLlvm in_llvm;
  auto function = (*jit)->lookup(source.function);
  if (!function)
    return defect(source, target, function.message());
  return Loaded{jit.take(), *function};
}

} // namespace

Result<void*> functionOf(const Source& source, Target target) {
  auto key = std::pair(target, source.text);
  auto found = programs().find(key);
  if (found != programs().end())
    return found->second.function;
  auto loaded = load(source, target);
  if (!loaded)
    return loaded.error();
  if (programs().size() >= kMostPrograms)
    forgetPrograms();
  compiled.fetch_add(1, std::memory_order_relaxed);
  return (programs()[key] = loaded.take()).function;
}

int64_t compiledPrograms() {
  return compiled.load(std::memory_order_relaxed);
}

} // namespace bsgp::arrays
