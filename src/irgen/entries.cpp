// The functions that others call: C entries of exports, and bsgp_main. And the order in which a module is made.
#include "ir/watched.h"
#include "irgen/host_emitter.h"
#include "irgen/module_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

ModuleEmitter::ModuleEmitter(const FlatProgram& flat, const SourceManager& sources, const Options& options,
                             Diagnostics& diagnostics, ir::Spawns& emitted)
    : flat(flat), sources(sources), options(options), diagnostics(diagnostics), emitted(emitted),
      context(*emitted.context), module(*emitted.module), types(context, module.getDataLayout()) {}

void ModuleEmitter::run() {
  if (options.debug) {
    const Function* first = flat.program->functions.empty() ? nullptr : flat.program->functions.front();
    const Function* main = flat.program->main ? flat.program->main : first;
    debug_ = std::make_unique<DebugInfo>(module, sources, main ? main->range.begin : 0);
  }
  for (const Variable* variable : flat.program->globals)
    if (variable->kind != Variable::Local)
      global(variable);
  for (const Function* function : flat.program->functions) {
    HostFrame frame(*function, options.checked);
    HostEmitter(*this, frame).emitFunction();
    if (function->is_export)
      emitEntry(*function);
    if (function->is_export && options.applied)
      emitApply(*function);
    if (function->is_main)
      emitMainEntry(*function);
  }
  if (debug_)
    debug_->finish();
  if (options.positions)
    ir::setWatched(module, flat.program->watched);
}

namespace {

// Replaces a declaration that an extern made by a definition.
llvm::Function* define(llvm::Module& module, const std::string& name, llvm::FunctionType* type) {
  llvm::Function* old = module.getFunction(name);
  auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  made->setDoesNotThrow();
  if (old) {
    BSGP_CHECK(old->isDeclaration(), "two functions are named %s", name.c_str());
    made->takeName(old);
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
  }
  return made;
}

} // namespace

// int32_t name(bsgp_context*, args..., T* result): no result parameter for void. Vectors and structs come as const T*
// and are copied, for the function may change its parameters. If the call cannot begin, the body is not entered.
void ModuleEmitter::emitEntry(const Function& function) {
  llvm::Function* body = hostFunction(&function);
  bool has_result = !function.result->isVoid();
  auto plain = [&](const Variable* param) {
    return passingOf(param) == Passing::Value && !param->type->isPointer() ? argumentType(param) : pointer();
  };
  llvm::SmallVector<llvm::Type*> arguments{pointer()};
  for (const Variable* param : function.params)
    arguments.push_back(plain(param));
  if (has_result)
    arguments.push_back(pointer());
  llvm::Function* entry = define(module, function.symbol, llvm::FunctionType::get(int32(), arguments, false));
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  auto runtime = [&](const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> types) {
    return module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  };
  llvm::SmallVector<llvm::Value*> given{nullptr}; // the call
  for (unsigned i = 0; i < function.params.size(); ++i) {
    const Variable* param = function.params[i];
    llvm::Value* argument = entry->getArg(i + 1);
    if (auto extension = extensionOf(param->type); passingOf(param) == Passing::Value && extension)
      entry->addParamAttr(i + 1, *extension);
    if (passingOf(param) == Passing::Copy) {
      llvm::Align align(param->type->align);
      llvm::AllocaInst* copy = b.CreateAlloca(types.memory(param->type));
      copy->setAlignment(align);
      b.CreateMemCpy(copy, align, argument, align, param->type->size);
      argument = copy;
    }
    given.push_back(argument->getType()->isPointerTy() ? b.CreateAddrSpaceCast(argument, argumentType(param))
                                                       : argument);
  }
  given.push_back(has_result ? static_cast<llvm::Value*>(entry->getArg(entry->arg_size() - 1))
                             : llvm::ConstantPointerNull::get(pointer()));
  llvm::FunctionCallee end = runtime("bsgp_rt_end", int32(), {pointer(), int32()});
  auto* begun = llvm::BasicBlock::Create(context, "begun", entry);
  auto* refused = llvm::BasicBlock::Create(context, "refused", entry);
  given[0] = b.CreateCall(runtime("bsgp_rt_begin", pointer(), {pointer()}), {entry->getArg(0)});
  b.CreateCondBr(b.CreateIsNull(given[0]), refused, begun);
  b.SetInsertPoint(begun);
  b.CreateRet(b.CreateCall(end, {given[0], b.CreateCall(body, given)}));
  b.SetInsertPoint(refused);
  b.CreateRet(b.CreateCall(end, {given[0], b.getInt32(0)}));
  verify(*entry);
}

// int32_t bsgp_apply.name(bsgp_context*, void** addresses): calls the entry. What the entry takes by address is given as it is, all else
// is loaded.
void ModuleEmitter::emitApply(const Function& function) {
  llvm::Function* entry = module.getFunction(function.symbol);
  auto* type = llvm::FunctionType::get(int32(), {pointer(), pointer()}, false);
  llvm::Function* apply = define(module, applySymbolOf(function.symbol), type);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", apply));
  llvm::SmallVector<llvm::Value*> given{apply->getArg(0)};
  for (unsigned i = 0; i + 1 < entry->arg_size(); ++i) {
    llvm::Value* slot = b.CreateConstInBoundsGEP1_64(pointer(), apply->getArg(1), i);
    llvm::Value* address = b.CreateLoad(pointer(), slot);
    const Variable* param = i < function.params.size() ? function.params[i] : nullptr;
    if (!param || passingOf(param) != Passing::Value)
      given.push_back(address);
    else if (param->type->isPointer())
      given.push_back(b.CreateLoad(pointer(), address));
    else if (llvm::Value* stored = b.CreateLoad(types.stored(param->type), address); param->type->isBool())
      given.push_back(b.CreateTrunc(stored, argumentType(param)));
    else
      given.push_back(stored);
  }
  llvm::CallInst* called = b.CreateCall(entry, given);
  called->setAttributes(entry->getAttributes());
  b.CreateRet(called);
  verify(*apply);
}

// i32 @bsgp_main(ptr call, i32 argc, ptr argv, ptr result), whatever parameters main declares. Without a return
// statement its result is 0.
void ModuleEmitter::emitMainEntry(const Function& function) {
  llvm::Type* arguments[] = {pointer(), int32(), pointer(), pointer()};
  llvm::Function* entry = define(module, "bsgp_main", llvm::FunctionType::get(int32(), arguments, false));
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::Value *call = entry->getArg(0), *result = entry->getArg(3);
  b.CreateAlignedStore(b.getInt32(0), result, llvm::Align(4));
  llvm::SmallVector<llvm::Value*> given{call};
  for (unsigned i = 0; i < function.params.size(); ++i) {
    llvm::Value* argument = entry->getArg(i + 1);
    llvm::Type* wanted = argumentType(function.params[i]);
    given.push_back(wanted->isIntegerTy() ? b.CreateSExtOrTrunc(argument, wanted) : argument);
  }
  bool is_int = function.result->isInt() && function.result->size == 4;
  BSGP_CHECK(is_int || function.result->isVoid(), "main gives neither int nor nothing");
  given.push_back(is_int ? result : llvm::ConstantPointerNull::get(pointer()));
  b.CreateRet(b.CreateCall(hostFunction(&function), given));
  verify(*entry);
}

ir::Spawns emitModule(const FlatProgram& flat, const SourceManager& sources, const Options& options,
                      Diagnostics& diagnostics) {
  ir::Spawns emitted;
  emitted.context = std::make_unique<llvm::LLVMContext>();
  emitted.module = std::make_unique<llvm::Module>("bsgp", *emitted.context);
  // Both targets share this layout; each sets its own later.
  emitted.module->setDataLayout("e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  ModuleEmitter emitter(flat, sources, options, diagnostics, emitted);
  emitter.run();
  emitted.facts = emitter.hostFacts();
  return emitted;
}

} // namespace bsgp::irgen
