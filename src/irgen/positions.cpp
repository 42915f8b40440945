// Debug locations of device code, for messages of later phases about it; of host code if it is checked.
#include <llvm/IR/DIBuilder.h>

#include "irgen/device_emitter.h"

namespace bsgp::irgen {

namespace {

constexpr SourcePos kLongestColumn = 65535; // of LLVM

} // namespace

// One scope for the whole program, from which nothing is written to object files.
llvm::DISubprogram* ModuleEmitter::positionScope() {
  if (!options.positions || position_scope_)
    return position_scope_;
  llvm::DIBuilder builder(module);
  llvm::DIFile* file = builder.createFile("program", "");
  llvm::DICompileUnit* unit =
      builder.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "bsgpc", true, "", 0, "", llvm::DICompileUnit::NoDebug);
  llvm::DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  position_scope_ = builder.createFunction(unit, "program", "", file, 0, type, 0, llvm::DINode::FlagZero,
                                           llvm::DISubprogram::SPFlagDefinition);
  builder.finalize();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  return position_scope_;
}

Emitter::PositionScope::PositionScope(Emitter& emitter, SourceRange range)
    : emitter_(emitter), before_(emitter.b.getCurrentDebugLocation()) {
  if (!range.valid() || !emitter.hasPositions())
    return;
  llvm::DISubprogram* scope = emitter.scope_ ? emitter.scope_ : emitter.m.positionScope();
  unsigned length = std::min(range.end - range.begin, kLongestColumn);
  if (scope)
    emitter.b.SetCurrentDebugLocation(
        llvm::DILocation::get(emitter.m.context, range.begin, length, scope, emitter.called_at_));
}

Emitter::PositionScope::~PositionScope() {
  emitter_.b.SetCurrentDebugLocation(before_);
}

Emitter::ExpandedCallScope::ExpandedCallScope(Emitter& emitter, const Function& callee)
    : emitter_(emitter), before_(emitter.called_at_), scope_before_(emitter.scope_) {
  DebugInfo* debug = emitter.m.debug();
  enter(debug ? debug->inlined(&callee) : nullptr);
}

void Emitter::ExpandedCallScope::enter(llvm::DISubprogram* callee) {
  llvm::DILocation* here = emitter_.b.getCurrentDebugLocation();
  if (!here)
    return;
  emitter_.called_at_ = llvm::DILocation::getDistinct(emitter_.m.context, here->getLine(), here->getColumn(),
                                                      here->getScope(), emitter_.called_at_);
  if (callee)
    emitter_.scope_ = callee;
}

Emitter::ExpandedCallScope::ExpandedCallScope(Emitter& emitter, SourceRange call, SourceRange code)
    : emitter_(emitter), before_(emitter.called_at_), scope_before_(emitter.scope_) {
  if (!call.valid())
    return;
  PositionScope at(emitter, call);
  DebugInfo* debug = emitter.m.debug();
  enter(debug ? debug->inlinedLibrary(call, code.begin) : nullptr);
}

Emitter::ExpandedCallScope::~ExpandedCallScope() {
  emitter_.called_at_ = before_;
  emitter_.scope_ = scope_before_;
}

} // namespace bsgp::irgen
