// What happens behind each pass of LLVM's pass manager: somebody is told, and what the pass has changed is verified.
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

  // What a pass of ours is called: LLVM knows the names of its own.
  template <class Pass> void name(llvm::StringRef name) { callbacks_.addClassToPassName(Pass::name(), name); }

  // For FunctionPasses; null where there is nothing to do.
  llvm::PassInstrumentationCallbacks* callbacks() { return wanted_ ? &callbacks_ : nullptr; }

private:
  bool wanted_;
  llvm::PassInstrumentationCallbacks callbacks_;
};

} // namespace bsgp::target
