// Program text to what irgen makes of it, and questions about that.
#pragma once

#include <functional>

#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "expand/expand.h"
#include "ir/operations.h"
#include "ir/spawns.h"
#include "irgen/irgen.h"
#include "parse/parse.h"
#include "sema/sema.h"

namespace bsgp::test {

using ir::Op;

class Emitted {
public:
  explicit Emitted(std::string text, irgen::Options options = {}, const ParseOptions& parsing = {},
                   const sema::Options& meaning = {})
      : diagnostics(sources) {
    if (parsing.prelude)
      sources = SourceManager::after(parsing.prelude->sources());
    ast::Program* tree = parse(sources, arena_, diagnostics, sources.addText("test.bsgp", std::move(text)), parsing);
    flat_ = expand::expand(sema::analyze(*tree, meaning, diagnostics), {}, diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
    if (!diagnostics.hasErrors())
      spawns = irgen::emitModule(flat_, sources, options, diagnostics);
  }

  const ir::Spawn& spawn(size_t number = 0) const { return spawns.spawns.at(number); }
  llvm::Function& kernel(size_t number = 0) const { return *spawn(number).function; }
  llvm::Function* function(llvm::StringRef name) const { return spawns.module->getFunction(name); }

private:
  SourceManager sources;
  Arena arena_;
  FlatProgram flat_;

public:
  Diagnostics diagnostics;
  ir::Spawns spawns;
};

// A program whose one spawn has this body; p, f and n are at hand.
inline std::string spawnOf(const std::string& body, const std::string& before = "") {
  return before + "\nvoid test(device int* p, device float* f, int n) { spawn(n) { " + body + " } }\n";
}

// ---- what a function contains
inline std::vector<llvm::CallInst*> callsOf(llvm::Function& function, Op op) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (ir::opOf(instruction) == op)
      found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return found;
}

inline std::vector<llvm::CallInst*> callsTo(llvm::Function& function, llvm::StringRef name) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (call->getCalledFunction() && call->getCalledFunction()->getName() == name)
        found.push_back(call);
  return found;
}

inline size_t countWhere(llvm::Function& function, const std::function<bool(llvm::Instruction&)>& wanted) {
  size_t found = 0;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    found += wanted(instruction);
  return found;
}

inline size_t countOpcode(llvm::Function& function, unsigned opcode) {
  return countWhere(function, [&](llvm::Instruction& i) { return i.getOpcode() == opcode; });
}

inline size_t countIntrinsic(llvm::Function& function, llvm::Intrinsic::ID id) {
  return countWhere(function, [&](llvm::Instruction& i) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    return call && call->getIntrinsicID() == id;
  });
}

inline uint64_t number(const llvm::Value* value) {
  return llvm::cast<llvm::ConstantInt>(value)->getZExtValue();
}

inline std::string text(const llvm::Value& value) {
  std::string out;
  llvm::raw_string_ostream(out) << value;
  return out;
}

} // namespace bsgp::test
