// A variable with an array in it that is read at an index known only at run time lies in memory of its thread, and a
// copy of something larger fills it wholly. If neither the copy nor its source is changed before the last read, reads
// go to the source: only the elements that are read are loaded.
//
//   %leaf = alloca Cell                            %from = gep %cells, %at
//   store (load (gep %cells, %at)), %leaf    =>
//   ...                                            ...
//   %next = load %leaf[rope + %i]                  %next = load %from[rope + %i]
//
// A store of another thread in between does not matter: in one superstep it would be a race. A store of this thread,
// a wait for others and a fence keep the copy.
//
// Requires: addresses as irgen makes them, a base and constants; so it runs before instructions are combined. Ensures:
// the same values. A read in a loop that does not make the copy stays: there the copy may pay.
#pragma once

#include <functional>
#include <string>

#include <llvm/IR/PassManager.h>

#include "ir/position.h"

namespace bsgp::target {

class ForwardCopiesPass : public llvm::PassInfoMixin<ForwardCopiesPass> {
public:
  using Remark = std::function<void(ir::Position, const std::string&)>;

  explicit ForwardCopiesPass(Remark remark) : remark_(std::move(remark)) {} // may be empty
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::ForwardCopiesPass"; }

private:
  Remark remark_;
};

} // namespace bsgp::target
