// Debug information for DWARF (bsgpc -g): functions, variables of host code and their types.
//
// Requires Options::debug. Ensures that each host function and each require has a DISubprogram with the lines of the
// text, and that their variables are declared. Instructions have debug locations as ir/position.h says; the target makes
// lines of them, and functions for its kernels, when it generates code (target/common/debug_lines.h).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include "sema/program.h"
#include "support/source.h"

namespace bsgp::irgen {

class DebugInfo {
public:
  // `main_position`: any position in the text that the program begins with.
  DebugInfo(llvm::Module& module, const SourceManager& sources, SourcePos main_position);

  // A new function of that name, which begins at `at`.
  llvm::DISubprogram* newFunction(std::string_view name, SourcePos at);
  // One for all expansions of `function` in device code.
  llvm::DISubprogram* inlined(const Function* function);
  // Likewise for code of the library that the program calls at `call`: the name is the one that is called there.
  llvm::DISubprogram* inlinedLibrary(SourceRange call, SourcePos body);

  // Declares that `variable` is at `address` + `offset` from the end of `block` on. `parameter`: its number from 1, or 0.
  // `indirect`: the address of the variable lies there.
  void declare(const Variable& variable, llvm::Value* address, uint64_t offset, bool indirect, unsigned parameter,
               llvm::DISubprogram* scope, llvm::BasicBlock* block);

  void finish() { builder_.finalize(); }

private:
  llvm::DIFile* fileOf(SourcePos position);
  llvm::DIType* typeOf(const Type* type);
  llvm::DIType* makeType(const Type* type);
  llvm::DIType* structOf(const Type* type);
  llvm::DIType* listOf(const Type* type);
  llvm::DIType* vectorOf(const Type* type);
  llvm::DIType* member(std::string_view name, uint64_t bits, uint32_t align_bits, uint64_t offset_bits,
                       llvm::DIType* type);
  llvm::DIType* arrayOf(const Type* type);
  llvm::DIType* pointerTo(llvm::DIType* type) { return builder_.createPointerType(type, 64); }

  llvm::LLVMContext& context_;
  const SourceManager& sources_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::StringMap<llvm::DIFile*> files_;
  llvm::DenseMap<const Type*, llvm::TrackingMDRef> types_; // a struct is replaced when its fields are known
  llvm::DenseMap<const Function*, llvm::DISubprogram*> inlined_;
  llvm::DenseMap<SourcePos, llvm::DISubprogram*> inlined_library_; // by the call
};

} // namespace bsgp::irgen
