// A spawn from the text of its body, in the form of ir/operations.h: declarations, slots and supersteps are added.
#pragma once

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "bsp/bsp.h"
#include "ir/operations.h"

namespace bsgp::test {

constexpr const char* kLayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

// How a spawn begins: its epoch, %e1, and under these names the device pointers in the slots 0, 1, ...
inline std::string entered(const std::vector<std::string>& pointers) {
  std::string text = "\n%e1 = call i32 @bsgp.enter()\n";
  for (size_t slot = 0; slot != pointers.size(); ++slot)
    text += fmt::format("%{} = call ptr addrspace(1) @bsgp.param.p1(i32 {}, i32 %e1)\n", pointers[slot], slot);
  return text;
}

struct SpawnProgram {
  SourceManager sources;
  Diagnostics diagnostics{sources};
  ir::Kernels kernels;

  plan::Plan& plan() { return kernels.plans.front(); }
  const plan::Report& report() { return kernels.reports.front(); }
  llvm::Function* kernel(unsigned superstep) {
    const plan::Kernel* found = kernelOf(plan(), superstep);
    return found ? kernels.module->getFunction(found->symbol) : nullptr;
  }
  std::string kernelText(unsigned superstep) {
    std::string text;
    if (llvm::Function* function = kernel(superstep))
      llvm::raw_string_ostream(text) << *function;
    return text;
  }
};

inline llvm::Type* typeOfSuffix(llvm::LLVMContext& context, const std::string& suffix) {
  if (suffix[0] == 'p')
    return llvm::PointerType::get(context, unsigned(std::stoul(suffix.substr(1))));
  if (suffix == "f16")
    return llvm::Type::getHalfTy(context);
  if (suffix == "f32")
    return llvm::Type::getFloatTy(context);
  if (suffix == "f64")
    return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, unsigned(std::stoul(suffix.substr(1))));
}

// The type in "bsgp.get.i32.r64" and the like; null: it has none.
inline llvm::Type* typeInName(llvm::LLVMContext& context, const std::string& name) {
  static const std::regex type("\\.([ifp][0-9]+)(\\.r64)?$");
  std::smatch found;
  return std::regex_search(name, found, type) ? typeOfSuffix(context, found[1]) : nullptr;
}

inline void declareByName(llvm::Module& module, const std::string& name, unsigned rank_bits) {
  ir::Op op = ir::opNamed(name);
  ASSERT_NE(op, ir::Op::None) << "no such function: " << name;
  llvm::LLVMContext& context = module.getContext();
  ir::declare(module, op, typeInName(context, name), llvm::Type::getIntNTy(context, rank_bits));
}

inline std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), last; it != last; ++it)
    found.insert((*it)[1]);
  return found;
}

inline std::string declarations(llvm::LLVMContext& context, const std::string& body, unsigned rank_bits) {
  llvm::Module module("declarations", context);
  for (const std::string& name : matches(body, "@(bsgp\\.[a-z0-9.]+)\\("))
    declareByName(module, name, rank_bits);
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text.substr(text.find('\n', text.find("source_filename")) + 1);
}

// LLVM wants names with a ~ in quotes.
inline std::string quoted(const std::string& body) {
  return std::regex_replace(body, std::regex("%([A-Za-z0-9_.]+~)"), "%\"$1\"");
}

// Slots are named p0, p1, ... and lie one after another, 8 bytes each, behind thread.size; requires are called
// require.N.
inline void describeSpawn(ir::Spawn& spawn, const std::string& body, unsigned rank_bits) {
  plan::Outline& outline = spawn.outline;
  outline.name = "test:1";
  outline.rank_bits = rank_bits;
  unsigned slots = 0, barriers = 0, requires_ = 0;
  for (const std::string& slot : matches(body, "@bsgp\\.param\\.[a-z0-9]+\\(i32 ([0-9]+)"))
    slots = std::max(slots, unsigned(std::stoul(slot)) + 1);
  for (unsigned slot = 0; slot < slots; ++slot)
    outline.slots.push_back({fmt::format("p{}", slot), 8 + 8 * slot, 8});
  std::vector<bool> reassigned{false};
  std::regex barrier("@bsgp\\.barrier(\\.reassign)?\\(|@bsgp\\.require\\(i32 ([0-9]+)");
  spawn.steps.emplace_back();
  for (std::sregex_iterator it(body.begin(), body.end(), barrier), last; it != last; ++it) {
    if ((*it)[2].matched) {
      spawn.steps.back().requires_.push_back(uint32_t(std::stoul((*it)[2])));
      requires_ = std::max(requires_, spawn.steps.back().requires_.back() + 1);
      continue;
    }
    ++barriers;
    reassigned.push_back((*it)[1].matched);
    spawn.steps.back().next = {uint32_t(spawn.steps.size() + 1)};
    spawn.steps.emplace_back();
  }
  for (unsigned i = 0; i < requires_; ++i)
    outline.requires_.push_back(fmt::format("require.{}", i));
  for (unsigned i = 0; i <= barriers; ++i)
    outline.supersteps.push_back({i + 1, i + 1, reassigned[i]});
}

// Parses `body`, the instructions of the spawn; `before` stands in front of the function. No spawns: it is not IR.
inline ir::Spawns parseSpawn(const std::string& body, unsigned rank_bits = 32, const std::string& before = "") {
  ir::Spawns spawns;
  spawns.context = std::make_unique<llvm::LLVMContext>();
  llvm::LLVMContext& context = *spawns.context;
  std::string text = fmt::format("target datalayout = \"{}\"\n{}\n{}\ndefine void @spawn() {{\n{}\n}}\n", kLayout,
                                 declarations(context, body, rank_bits), before, quoted(body));
  llvm::SMDiagnostic error;
  spawns.module = llvm::parseAssemblyString(text, error, context);
  if (!spawns.module) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    error.print("test", stream);
    ADD_FAILURE() << message;
    return spawns;
  }
  ir::Spawn spawn;
  spawn.function = spawns.module->getFunction("spawn");
  describeSpawn(spawn, body, rank_bits);
  spawns.spawns.push_back(std::move(spawn));
  return spawns;
}

inline std::unique_ptr<SpawnProgram> compile(const std::string& body, unsigned opt_level = 3, unsigned rank_bits = 32,
                                             const std::string& before = "") {
  auto program = std::make_unique<SpawnProgram>();
  ir::Spawns spawns = parseSpawn(body, rank_bits, before);
  if (!spawns.spawns.empty())
    program->kernels = bsp::compileSupersteps(std::move(spawns), {opt_level, true, {}, {}}, program->diagnostics);
  return program;
}

// "v: 1 -> 2, 3 stream 1": the rows of the paper's tables.
inline std::vector<std::string> crossingRows(const plan::Report& report) {
  std::vector<std::string> rows;
  for (const plan::CrossingValue& value : report.crossing)
    rows.push_back(fmt::format("{}: {} -> {} {}{}", value.name, value.defined, fmt::join(value.used, ", "),
                               value.stored ? "" : "not stored, ", value.how));
  return rows;
}

// "Superstep 1", "Allocate 0", ...
inline std::vector<std::string> stepRows(const plan::Plan& plan) {
  static const char* kNames[] = {"Require", "Allocate", "Clear", "Launch", "Free", "FreeTemps", "Superstep"};
  std::vector<std::string> rows;
  for (const plan::Step& step : plan.steps)
    rows.push_back(fmt::format("{} {}", kNames[step.kind], step.index));
  return rows;
}

} // namespace bsgp::test
