// Variables of host functions: in the frame if requires share them, else an alloca each.
#include "irgen/host_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

llvm::Value* HostEmitter::inFrame(uint32_t at) {
  return offset(frame_address_, at);
}

Place HostEmitter::variable(const Variable* v) {
  if (v->kind != Variable::Local) {
    BSGP_CHECK(v->kind != Variable::Shared, "host code names the shared array '%s'", std::string(v->name).c_str());
    return Place::memory(v->type, m.global(v));
  }
  BSGP_CHECK(v->side == Side::Host, "host code names '%s', a variable of each thread", std::string(v->name).c_str());
  if (auto known = bound_.find(v); known != bound_.end())
    return known->second;
  if (!frame_.offsets.contains(v))
    return newStorage(v);
  showFrameToDebuggers(v);
  llvm::Value* address = inFrame(frame_.offsets[v]);
  if (frame_.indirect.contains(v))
    address = b.CreateAlignedLoad(m.pointer(), address, llvm::Align(8));
  return Place::memory(v->type, address);
}

Place HostEmitter::newStorage(const Variable* v) {
  if (v->type->holds_lists) {
    frame_.lists.push_back(v);
    frame_.takes_temps = true;
  }
  if (!frame_.shared.contains(v)) {
    bound_[v] = temporary(v->type, std::string(v->name) + "~");
    showToDebuggers(v, bound_[v].address);
    return bound_[v];
  }
  uint32_t at = frame_.offsets[v] = frame_.allocate(v->type->size, std::max(1u, v->type->align));
  showFrameToDebuggers(v);
  return Place::memory(v->type, inFrame(at));
}

// For debuggers, once in each function that names the variable.
void HostEmitter::showToDebuggers(const Variable* v, llvm::Value* address, uint64_t offset, bool indirect) {
  if (!m.debug() || !shown_.insert(v).second)
    return;
  const std::vector<Variable*>& params = frame_.function->params;
  auto param = std::find(params.begin(), params.end(), v);
  unsigned number = require_ || param == params.end() ? 0 : static_cast<unsigned>(param - params.begin()) + 1;
  m.debug()->declare(*v, address, offset, indirect, number, scope_, entry_);
}

void HostEmitter::showFrameToDebuggers(const Variable* v) {
  showToDebuggers(v, frame_address_, frame_.offsets[v], frame_.indirect.contains(v));
}

Place HostEmitter::declare(const Variable* v) {
  bool seen = bound_.contains(v) || frame_.offsets.contains(v);
  Place room = seen ? variable(v) : newStorage(v);
  // Lists are empty at the function's entry. In a loop they end with the iteration; a require, which may run again,
  // empties the lists that it declares.
  if (v->type->holds_lists && loops_)
    scopes_.back().lists.push_back(v);
  else if (v->type->holds_lists && require_)
    freeLists(room);
  else if (!v->type->holds_lists && scopes_.back().jumped_into) {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(scopes_.back().jumped_into);
    leaveUnset(variable(v), causeOf(*v));
  }
  return room;
}

// Lists are empty at first, what stands beside them in a struct is nothing.
void HostEmitter::leavePartsUnset(const Place& place, const ir::Cause& cause) {
  if (isChecked())
    forEachPart(place, place, [&](const Place& part, const Place&) {
      if (!part.type->isDList())
        leaveUnset(part, cause);
    });
}

// A large table of zeros is cleared at once.
void HostEmitter::declaration(const Stmt* s) {
  constexpr size_t kLarge = 16;
  if (s->expr && s->variable->type->holds_lists) {
    Place initial = held(s->expr);
    return fill(declare(s->variable), initial, s->expr, false);
  }
  if (!s->expr)
    return leavePartsUnset(declare(s->variable), causeOf(*s->variable));
  if (!s->variable->type->isArray())
    return Emitter::declaration(s);
  Leaves initial = value(s->expr);
  Place room = declare(s->variable);
  auto isZero = [](llvm::Value* v) {
    return llvm::isa<llvm::Constant>(v) && llvm::cast<llvm::Constant>(v)->isNullValue();
  };
  if (initial.size() <= kLarge || !llvm::all_of(initial, isZero))
    return store(room, initial);
  b.CreateMemSet(room.address, b.getInt8(0), s->variable->type->size, llvm::Align(s->variable->type->align));
}

// thread.size in a require: kept as the rank type while the require runs, 64 bits in the frame.
Place HostEmitter::specialPlace(const Expr* e) {
  BSGP_CHECK(require_, "thread.size in host code outside of a require");
  if (!size_) {
    size_ = newAlloca(m.types.value(rank_type_), alignmentOf(rank_type_), "thread.size");
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_);
    llvm::Value* known = b.CreateAlignedLoad(m.int64(), inFrame(size_offset_), llvm::Align(8));
    b.CreateStore(b.CreateTrunc(known, size_->getAllocatedType()), size_);
  }
  return Place::memory(e->type, size_);
}

llvm::Value* HostEmitter::captured(const Place&, uint32_t) {
  BSGP_CHECK(false, "a kernel parameter in host code");
  __builtin_unreachable();
}

} // namespace bsgp::irgen
