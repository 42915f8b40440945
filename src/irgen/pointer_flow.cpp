// One walk over a host function notes which variable is assigned to which; what cannot be followed (memory, results of
// calls, addresses, integers) loses the variable. Structs and arrays count as one variable each.
#include "irgen/pointer_flow.h"

#include <algorithm>

#include "sema/sema.h"
#include "sema/visit.h"

namespace bsgp::irgen {

namespace {

bool holdsPointer(const Type* type) {
  if (type->isArray())
    return holdsPointer(type->element);
  if (type->isStruct())
    return std::any_of(type->structure->fields.begin(), type->structure->fields.end(),
                       [](const StructField& field) { return holdsPointer(field.type); });
  return type->isPointer() || type->isDList();
}

// The variable that an lvalue is or is a part of; null: memory.
const Variable* variableOf(const Expr* place) {
  while (place->kind == Expr::Field || (place->kind == Expr::Index && place->a->type->isArray()))
    place = place->a;
  bool local = place->kind == Expr::Var && place->variable->kind == Variable::Local;
  return local ? place->variable : nullptr;
}

struct PointerSources {
  bool anywhere = false;
  llvm::SmallVector<const Variable*, 2> variables; // beside null and new memory
};

void trace(const Expr* e, PointerSources& sources) {
  if (!holdsPointer(e->type))
    return;
  switch (e->kind) {
  case Expr::Null:
    return;
  case Expr::Var:
  case Expr::Field:
  case Expr::Index:
    if (const Variable* variable = variableOf(e))
      sources.variables.push_back(variable);
    else
      sources.anywhere = true;
    return;
  case Expr::Cast:
    sources.anywhere |= !holdsPointer(e->a->type);
    [[fallthrough]];
  case Expr::PtrAdd:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return trace(e->a, sources);
  case Expr::Assign:
  case Expr::Comma:
    return trace(e->b, sources);
  case Expr::Conditional:
    trace(e->b, sources);
    return trace(e->c, sources);
  case Expr::Construct:
    for (const Expr* part : e->args)
      trace(part, sources);
    return;
  case Expr::BuiltinCall:
    sources.anywhere |= e->builtin != Builtin::Dnew && e->builtin != Builtin::DtempNew;
    return;
  default:
    sources.anywhere = true;
  }
}

} // namespace

PointerFlow::PointerFlow(const Function& function) : function_(function) {
  for (const Variable* param : function.params) {
    nodes_[param].assigned = true;
    nodes_[param].lost = param->by_reference;
  }
  walk(function.body, nullptr);
}

void PointerFlow::walk(Stmt* stmt, HostPart part) {
  forEachStmtOfPart(stmt, [&](Stmt* s) {
    for (Expr* e : {s->expr, s->target, s->value, s->step})
      visitExpr(e, [&](Expr* inner) {
        visit(inner, part);
        return true;
      });
    if (s->kind == Stmt::Decl && s->variable->type->holds_lists)
      nodes_[s->variable].lost = true;
    else if (s->kind == Stmt::Decl && s->expr)
      assign(s->variable, s->expr, part);
    if (s->kind == Stmt::Spawn && s->flat)
      for (const FlatRequire* require : s->flat->requires_)
        for (Stmt* code : require->body)
          walk(code, s->flat);
  });
}

void PointerFlow::visit(Expr* e, HostPart part) {
  switch (e->kind) {
  case Expr::Assign:
    if (e->type->holds_lists)
      return lose(e->a);
    if (const Variable* variable = variableOf(e->a))
      assign(variable, e->b, part);
    return;
  case Expr::AddrOf:
  case Expr::Decay:
    return lose(e->a);
  case Expr::Call:
    for (size_t i = 0; i < e->args.size(); ++i)
      if (i < e->function->params.size() && e->function->params[i]->by_reference)
        lose(e->args[i]);
    return;
  case Expr::BuiltinCall:
    if (changesDList(e->builtin))
      for (Expr* list : {e->a, e->b})
        if (list)
          lose(list);
    return;
  default:
    return;
  }
}

void PointerFlow::lose(Expr* place) {
  if (const Variable* variable = variableOf(place); variable && holdsPointer(variable->type))
    nodes_[variable].lost = true;
}

void PointerFlow::assign(const Variable* variable, Expr* value, HostPart part) {
  if (!holdsPointer(value->type))
    return;
  PointerSources sources;
  trace(value, sources);
  Node& node = nodes_[variable];
  node.lost |= sources.anywhere || (node.assigned && node.part != part);
  node.assigned = true;
  node.part = part;
  for (const Variable* source : sources.variables)
    nodes_[source].into.push_back(variable);
}

PointerFlow::Stale PointerFlow::withFresh(const std::vector<bool>& parameters) const {
  Stale stale;
  stale.flow_ = this;
  llvm::SmallVector<const Variable*, 16> work;
  auto add = [&](const Variable* variable) {
    if (stale.variables_.insert(variable).second)
      work.push_back(variable);
  };
  for (const auto& [variable, node] : nodes_)
    if (node.lost || !node.assigned)
      add(variable);
  for (size_t i = 0; i < function_.params.size(); ++i)
    if (i >= parameters.size() || !parameters[i])
      add(function_.params[i]);
  for (const auto& [variable, node] : nodes_)
    for (const Variable* into : node.into)
      if (nodes_.find(into)->second.part != node.part)
        add(into);
  while (!work.empty())
    for (const Variable* into : nodes_.find(work.pop_back_val())->second.into)
      add(into);
  return stale;
}

bool PointerFlow::Stale::isFresh(const Variable* variable, HostPart part) const {
  auto node = flow_->nodes_.find(variable);
  return node != flow_->nodes_.end() && node->second.part == part && !variables_.contains(variable);
}

bool PointerFlow::Stale::isFresh(Expr* pointer, HostPart part) const {
  PointerSources sources;
  trace(pointer, sources);
  return pointer->type->isPointer() && !sources.anywhere &&
         std::all_of(sources.variables.begin(), sources.variables.end(),
                     [&](const Variable* variable) { return isFresh(variable, part); });
}

} // namespace bsgp::irgen
