// The status protocol of host functions: the code around the body, and the check after each call.
#include "expand/flat.h"
#include "irgen/host_emitter.h"
#include "plan/plan_abi.h"
#include "sema/visit.h"
#include "support/check.h"

namespace bsgp::irgen {

HostFrame::HostFrame(const Function& function, bool is_checked) : function(&function), exists(function.has_spawn) {
  if (is_checked)
    unset = mayBeUnset(function);
  auto share = [&](const Stmt* code) {
    forEachStmt(code, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl)
        shared.insert(s->variable);
    });
    forEachExprIn(code, [&](const Expr* e) {
      if (e->kind == Expr::Var)
        shared.insert(e->variable);
    });
  };
  bool requires_run = false;
  forEachStmt(function.body, [&](const Stmt* s) {
    if (s->kind == Stmt::Spawn && s->flat)
      for (const FlatRequire* require : s->flat->requires_) {
        requires_run = true;
        for (const Stmt* code : require->body)
          share(code);
      }
  });
  // A call in a require may change variables that the require does not name: the kernels get their new values.
  if (requires_run)
    for (const std::vector<Variable*>* variables : {&function.params, &function.locals})
      for (const Variable* variable : *variables)
        if (variable->type->holds_lists || variable->address_taken)
          shared.insert(variable);
}

uint32_t HostFrame::allocate(uint64_t bytes, uint64_t align) {
  uint64_t at = (size + align - 1) / align * align;
  size = at + bytes;
  BSGP_CHECK(size < (uint64_t(1) << 31), "the variables of '%s' pass 2 GiB", std::string(function->name).c_str());
  return static_cast<uint32_t>(at);
}

const Variable* HostFrame::newTemporary(const Type* type, bool of_require) {
  const Variable* made = &temporaries_.emplace_back(Variable{"result", type, {}});
  if (of_require)
    shared.insert(made);
  return made;
}

void HostEmitter::emitFunction() {
  const Function& function = *frame_.function;
  floatRulesOf(function);
  beginFunction(m.hostFunction(&function), function.range);
  result_ = fn->getArg(static_cast<unsigned>(function.params.size() + 1));
  llvm::AllocaInst* storage = nullptr;
  if (frame_.exists)
    frame_address_ = storage = newAlloca(m.int8(), llvm::Align(16), "frame");
  llvm::BasicBlock* body = newBlock("body");
  body->insertInto(fn);
  b.SetInsertPoint(body);
  bindParameters();
  openScope();
  stmt(function.body);
  closeScope();
  jump(exit_);
  if (storage) // only now is its size known
    storage->setAllocatedType(llvm::ArrayType::get(m.int8(), std::max<uint64_t>(frame_.size, 1)));
  prologue(body);
  epilogue();
  finish();
}

void HostEmitter::beginFunction(llvm::Function* function, SourceRange range) {
  fn = function;
  if (m.debug()) {
    scope_ = m.debug()->newFunction(frame_.function->name, range.begin);
    fn->setSubprogram(scope_);
  }
  call_ = fn->getArg(0);
  entry_ = llvm::BasicBlock::Create(m.context, "entry", fn);
  exit_ = newBlock("exit");
  status_ = newAlloca(m.int32(), llvm::Align(4), "status");
  if (m.options.checked)
    fn->addFnAttr(ir::kOfHost);
  fn->addFnAttr(llvm::Attribute::NullPointerIsValid); // an access through it is a fault, which is reported
}

void HostEmitter::bindParameters() {
  const Function& function = *frame_.function;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const Variable* param = function.params[i];
    llvm::Value* argument = fn->getArg(static_cast<unsigned>(i + 1));
    bool indirect = passingOf(param) == Passing::Address, copied = passingOf(param) == Passing::Copy;
    if (indirect && frame_.shared.contains(param)) {
      frame_.indirect.insert(param);
      uint32_t at = frame_.offsets[param] = frame_.allocate(8, 8);
      b.CreateAlignedStore(argument, inFrame(at), llvm::Align(8));
    }
    if (indirect || (copied && !frame_.shared.contains(param))) {
      bound_[param] = Place::memory(param->type, argument);
      showToDebuggers(param, argument);
      continue;
    }
    Place room = newStorage(param);
    if (copied)
      b.CreateMemCpy(room.address, llvm::Align(param->type->align), argument, llvm::Align(param->type->align),
                     param->type->size);
    else
      store(room, {argument});
  }
}

// The prologue is emitted last: its contents depend on the body.
void HostEmitter::prologue(llvm::BasicBlock* body) {
  b.SetInsertPoint(entry_);
  b.CreateStore(b.getInt32(0), status_);
  for (const Variable* lists : frame_.lists)
    b.CreateMemSet(variable(lists).address, b.getInt8(0), lists->type->size, llvm::Align(lists->type->align));
  if (frame_.calls) {
    llvm::Value* entered = callRuntime("bsgp_rt_enter", m.int32(), {call_, m.site(frame_.function->range)});
    llvm::BasicBlock *too_deep = newBlock("too_deep"), *go_on = newBlock("entered");
    b.CreateCondBr(b.CreateIsNull(entered), go_on, too_deep);
    enter(too_deep);
    b.CreateRet(entered);
    enter(go_on);
  }
  if (frame_.takes_temps || frame_.function->uses_temps)
    scope_mark_ = callRuntime("bsgp_rt_scope_open", m.int64(), {call_});
  b.CreateBr(body);
}

void HostEmitter::epilogue() {
  enter(exit_);
  if (!live())
    return;
  for (const Variable* lists : frame_.lists)
    freeLists(variable(lists));
  if (scope_mark_)
    callRuntime("bsgp_rt_scope_close", b.getVoidTy(), {call_, scope_mark_});
  if (frame_.calls)
    callRuntime("bsgp_rt_leave", b.getVoidTy(), {call_});
  b.CreateRet(b.CreateLoad(m.int32(), status_));
}

void HostEmitter::returnFrom(const Stmt* s) {
  if (s->expr) {
    Place result = Place::memory(s->expr->type, result_);
    if (s->expr->type->holds_lists) {
      const Variable* root = s->expr->kind == Expr::Var ? s->expr->variable : nullptr;
      fill(result, held(s->expr), s->expr, root && root->kind == Variable::Local && !root->by_reference);
    } else if (isLarge(s->expr->type)) {
      Emitter::copy(result, inMemory(s->expr));
    } else {
      Leaves v = value(s->expr);
      bool goes_out = frame_.function->is_main || frame_.function->is_export;
      if (goes_out && v.size() == 1)
        use(v[0], s->expr->range);
      if (!s->expr->type->isVoid())
        store(result, v);
    }
  }
  jump(exit_);
}

llvm::CallInst* HostEmitter::callRuntime(llvm::StringRef name, llvm::Type* result,
                                         llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value* argument : arguments)
    types.push_back(argument->getType());
  llvm::FunctionCallee callee = m.module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst* made = b.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  return made;
}

void HostEmitter::runtime(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments) {
  checkStatus(callRuntime(name, m.int32(), arguments));
}

// `library_call`: the program's call of the library, where a failure is reported; or null.
void HostEmitter::checkStatus(llvm::Value* status, llvm::Constant* library_call) {
  llvm::BasicBlock *go_on = newBlock("done"), *failed = library_call ? newBlock("failed") : exit_;
  b.CreateStore(status, status_);
  b.CreateCondBr(b.CreateIsNull(status), go_on, failed);
  if (library_call) {
    enter(failed);
    callRuntime("bsgp_rt_failed_in_library", b.getVoidTy(), {call_, library_call});
    jump(exit_);
  }
  enter(go_on);
}

void HostEmitter::failIf(llvm::Value* condition, unsigned kind, SourceRange range, std::string_view text) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isZero())
    return;
  llvm::BasicBlock *failed = newBlock("failed"), *go_on = newBlock("fine");
  b.CreateCondBr(condition, failed, go_on);
  enter(failed);
  llvm::Value* status = callRuntime("bsgp_rt_fail", m.int32(), {call_, b.getInt32(kind), m.site(range, text)});
  b.CreateStore(status, status_);
  jump(exit_);
  enter(go_on);
}

} // namespace bsgp::irgen
