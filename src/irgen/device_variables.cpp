// Variables of threads: a scalar each for the optimizer, memory where arrays or addresses ask for it; and host
// variables, which are parameters.
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

Place DeviceEmitter::variable(const Expr* e) {
  const Variable* v = e->variable;
  if (v->kind == Variable::Constant)
    return Place::memory(v->type, m.global(v));
  if (bound_.contains(v) || (v->kind != Variable::Global && v->side == Side::Device))
    return storage(v);
  Place place;
  place.kind = Place::Captured, place.type = v->type, place.variable = v, place.version = e->index;
  for (uint32_t i = 0; i < m.types.leafCount(v->type); ++i)
    place.numbers.push_back(i);
  return place;
}

Place DeviceEmitter::storage(const Variable* v) {
  auto known = bound_.find(v);
  return known == bound_.end() ? newStorage(v) : known->second;
}

Place DeviceEmitter::newStorage(const Variable* v) {
  if (v->kind == Variable::Shared)
    return bound_[v] = Place::memory(v->type, m.newShared(*v));
  const Shape& shape = m.types.shape(v->type);
  std::string name(v->name);
  if (shape.has_array || m.hasAddressTaken(v))
    return bound_[v] = temporary(v->type, name + "~");
  Place place;
  place.kind = Place::Scattered, place.bool_bytes = false, place.type = v->type;
  for (uint32_t i = 0; i < shape.count; ++i) {
    const Type* scalar = m.types.leaves(v->type)[i].type;
    place.leaves.push_back(
        newAlloca(m.types.value(scalar), alignmentOf(scalar), name + m.types.leafName(v->type, i) + "~"));
  }
  return bound_[v] = place;
}

// A variable that nothing assigns to is its first value, unless a switch may jump over its declaration.
bool DeviceEmitter::isItsFirstValue(const Variable* v) {
  return v->kind == Variable::Local && !m.isAssigned(v) && !m.hasAddressTaken(v) && !scopes_.back().jumped_into &&
         !isLarge(v->type) && !m.types.shape(v->type).has_array;
}

void DeviceEmitter::begin(const Variable* v, const Leaves& value) {
  if (!isItsFirstValue(v))
    return store(declare(v), value);
  Place place;
  place.kind = Place::Known, place.type = v->type, place.leaves = value;
  for (uint32_t i = 0; i < value.size(); ++i)
    nameAfter(value[i], std::string(v->name) + m.types.leafName(v->type, i));
  bound_[v] = place;
}

// Each declaration is a variable of its own: a function's body is emitted once per call.
Place DeviceEmitter::declare(const Variable* v) {
  Place room = newStorage(v);
  Scope& scope = scopes_.back();
  if (room.kind == Place::Memory && !scope.jumped_into) {
    auto* array = llvm::cast<llvm::AllocaInst>(room.address);
    b.CreateLifetimeStart(array);
    scope.arrays.push_back(array);
  }
  if (scope.jumped_into) { // a jump leaves its variables unset
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(scope.jumped_into);
    leaveUnset(room, causeOf(*v));
  }
  return room;
}

// In a loop, a variable without an initializer must not seem to keep its value from the iteration before. A shared one
// is another each time its function is expanded.
void DeviceEmitter::declaration(const Stmt* s) {
  if (s->variable->kind == Variable::Shared) {
    newStorage(s->variable);
    return;
  }
  if (s->expr || (!loops_ && !isChecked()))
    return Emitter::declaration(s);
  Place room = declare(s->variable);
  if (isChecked())
    leaveUnset(room, causeOf(*s->variable));
  else if (room.kind == Place::Scattered)
    store(room, undefined(s->variable->type, causeOf(*s->variable)));
}

Place DeviceEmitter::specialPlace(const Expr* e) {
  return spilled(e->type, {size()});
}

// ---- host variables
llvm::Value* DeviceEmitter::captured(const Place& place, uint32_t leaf) {
  return parameter(place.variable, place.version, place.numbers[leaf]);
}

// A host array indexed at run time is copied to private memory once per superstep, so that it lives across no barrier
// and no reassignment: behind the parameters when their version is of this superstep, else where the superstep begins.
// Its room is made when the parameters are there: it stands before them.
Place DeviceEmitter::materialized(const Place& place) {
  const std::vector<Leaf>& leaves = m.types.leaves(place.variable->type);
  Place& copy = copies_[{place.variable, place.version}];
  if (!copy.address) {
    Leaves values;
    for (uint32_t i = 0; i < leaves.size(); ++i)
      values.push_back(parameter(place.variable, place.version, i));
    copy = temporary(place.variable->type, std::string(place.variable->name) + "~");
    Anchor& anchor = fresh_versions_.contains(place.version) ? versions_[place.version] : now_;
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(anchor.last->getParent(), std::next(anchor.last->getIterator()));
    store(copy, values);
    anchor.last = &*std::prev(b.GetInsertPoint());
  }
  Place part = Place::memory(place.type, offset(copy.address, leaves[place.numbers.front()].offset));
  return part;
}

} // namespace bsgp::irgen
