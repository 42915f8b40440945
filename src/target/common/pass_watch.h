// Runs behind each pass of LLVM's pass manager: calls `after_pass`, and verifies the function that the pass changed.
#pragma once

#include <functional>
#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>

namespace bsgp::target {

class PassWatch {
public:
  using AfterPass = std::function<void(std::string_view pass, const llvm::Module&)>;

  // `after_pass` may be empty.
  PassWatch(const AfterPass& after_pass, bool verify);

  // Names a pass of ours; LLVM knows the names of its own.
  template <class Pass> void name(llvm::StringRef name) { callbacks_.addClassToPassName(Pass::name(), name); }

  // For FunctionPasses; null if there is nothing to do.
  llvm::PassInstrumentationCallbacks* callbacks() { return wanted_ ? &callbacks_ : nullptr; }

private:
  bool wanted_;
  llvm::PassInstrumentationCallbacks callbacks_;
};

} // namespace bsgp::target
