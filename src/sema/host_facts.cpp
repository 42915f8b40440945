#include "sema/host_facts.h"

#include <algorithm>
#include <utility>

#include "sema/body.h"
#include "sema/host_locals.h"
#include "sema/name_scopes.h"
#include "sema/place_text.h"
#include "sema/resolve_type.h"
#include "sema/rounds.h"
#include "sema/traits.h"
#include "sema/tree_walk.h"
#include "sema/value_text.h"

namespace bsgp::sema {

namespace {

class HostReads {
public:
  HostReads(Sema& sema, const ast::Function& function, HostFacts& found)
      : sema_(sema), text_(sema), device_(traits(sema, function).barriers_inside && !traits(sema, function).host_only),
        found_(found) {
    for (const ast::Param& param : function.params) {
      Elements elements = elementsOf(param); // of open type in a collective: a pointer, as a rule
      bind(param.name, param.by_reference ? nullptr : &param, param.type, nullptr,
           elements == Elements::Unknown && device_ ? Elements::Memory : elements, param.range.begin);
    }
    for (size_t i = 0; i < found_.locals.size(); ++i) { // a caller's
      const ast::Param& param = function.params[i];
      bool pointer =
          param.type->kind == ast::TypeExpr::Array || (param.type->kind == ast::TypeExpr::Open && !param.by_reference);
      found_.locals[i].known = false, found_.locals[i].place = pointer ? nullptr : param.type;
    }
    found_.flows.emplace_back();
    list(function.body->stmts);
    if (device_)
      noteBarriersBehind(0);
  }

private:
  using Elements = HostFacts::Elements;
  using Local = HostFacts::Local;
  using Flow = HostFacts::Flow;
  using Jump = HostFacts::Jump;

  template <class F> void eachLocal(const ast::Expr* value, const F& visit) const {
    text_.eachPart(value, [&](const ast::Expr* part) {
      if (auto it = part->kind == ast::Expr::Name ? names_.find(part->name) : names_.end();
          it != names_.end() && !it->second.empty())
        visit(it->second.back());
    });
  }

  static Elements elementsOf(const ast::TypeExpr* type, const ast::Expr* first) {
    if (!type || type->kind == ast::TypeExpr::Auto || type->kind == ast::TypeExpr::Open) {
      if (first && first->kind == ast::Expr::New)
        return Elements::Memory;
      bool of_parts = first && (first->kind == ast::Expr::Construct || first->kind == ast::Expr::InitList);
      return of_parts ? Elements::Own : Elements::Unknown;
    }
    bool leads_to_memory =
        type->kind == ast::TypeExpr::Pointer || type->kind == ast::TypeExpr::View || type->kind == ast::TypeExpr::DList;
    return leads_to_memory ? Elements::Memory : Elements::Own;
  }
  // A reference of open type may be one to an array of the host.
  static Elements elementsOf(const ast::Param& param) {
    if (param.type->kind == ast::TypeExpr::Array)
      return Elements::Memory;
    Elements elements = elementsOf(param.type, nullptr);
    return param.by_reference && elements == Elements::Unknown ? Elements::Own : elements;
  }

  // Returns the type of a variable with this first value, as far as it is written. Arrays of a thread never live with
  // the host.
  const ast::TypeExpr* placeOf(const ast::TypeExpr* type, const ast::Expr* first) {
    bool inferred = !type || type->kind == ast::TypeExpr::Auto;
    if (inferred && first && first->kind == ast::Expr::Construct)
      return first->type;
    if (const Local* copied = inferred && first && first->kind == ast::Expr::Name ? find(first->name) : nullptr)
      return copied->place;
    bool array = type && type->kind == ast::TypeExpr::Array;
    return inThread() && array ? nullptr : type;
  }

  bool isOfThread(const ast::Expr* value) {
    return text_.isOfThread(value, [&](const ast::Expr& index) {
      const ast::Expr* root = rootOfPlace(index);
      const Local* local = root ? find(root->name) : nullptr;
      const Symbol* symbol = root && !local ? global(sema_, root->name, scopeOf(sema_, index.range)) : nullptr;
      TextType type{local ? local->place : nullptr, symbol && symbol->variable ? symbol->variable->type : nullptr};
      return type.isKnown() && typeOfPlace(sema_, index, type).isKnown();
    });
  }

  // True, by its text, if it is made of numbers alone: no conversion or operator of a struct can make those a
  // thread's.
  bool isPlain(const ast::Expr* value) {
    bool plain = true;
    text_.eachPart(value, [&](const ast::Expr* part) {
      switch (part->kind) {
      case ast::Expr::Name:
        plain &= find(part->name) != nullptr;
        return;
      case ast::Expr::Call:
        plain &= text_.isCollective(part);
        return;
      case ast::Expr::Thread:
        plain &= part->name == "size";
        return;
      case ast::Expr::Unary:
        plain &= part->unary < ast::UnaryOp::Deref;
        return;
      case ast::Expr::IntLit:
      case ast::Expr::FloatLit:
      case ast::Expr::BoolLit:
      case ast::Expr::Binary:
      case ast::Expr::Conditional:
      case ast::Expr::Cast:
        return;
      default:
        plain = false;
      }
    });
    return plain;
  }
  bool isNumber(const ast::TypeExpr* type) const {
    const Type* known = type && type->kind == ast::TypeExpr::Named ? builtinType(sema_, type->name) : nullptr;
    return known && (known->isScalar() || known->isVector());
  }

  void bind(std::string_view name, const void* declaration, const ast::TypeExpr* type, const ast::Expr* first,
            Elements elements, SourcePos begin) {
    std::vector<size_t> sources;
    eachLocal(first, [&](size_t source) { sources.push_back(source); });
    Local& local = found_.locals.emplace_back();
    local.sources = std::move(sources);
    local.of_thread = inThread() && isOfThread(first);
    local.place = placeOf(type, first);
    local.number = isNumber(type) && (!inThread() || declaration);
    local.known = isPlain(first);
    local.declaration = inThread() ? declaration : nullptr;
    local.name = name, local.of_host = !device_, local.begin = begin;
    local.flows.push_back(flow_);
    local.elements = elements == Elements::Unknown && device_ ? Elements::Own : elements;
    names_[name].push_back(found_.locals.size() - 1);
    visible_.push_back(name);
  }
  Local* find(std::string_view name) {
    auto it = names_.find(name);
    return it == names_.end() || it->second.empty() ? nullptr : &found_.locals[it->second.back()];
  }
  Local* root(const ast::Expr* place) {
    while (place && (place->kind == ast::Expr::Member || place->kind == ast::Expr::Index))
      place = place->a;
    return place && place->kind == ast::Expr::Name ? find(place->name) : nullptr;
  }
  // Returns the local that an assignment to the place changes.
  Local* changed(const ast::Expr* place) {
    Local* local = root(place);
    if (!local || place->kind == ast::Expr::Name || local->elements == Elements::Own)
      return local;
    return local->elements == Elements::Memory || isComputedElement(place) ? nullptr : local;
  }
  // True, by its text, for a variable's element with a computed index.
  static bool isComputedElement(const ast::Expr* place) {
    while (place->a->kind != ast::Expr::Name)
      place = place->a;
    return place->kind == ast::Expr::Index && place->b->kind != ast::Expr::IntLit;
  }
  bool inThread() const { return device_ && !in_require_; }
  // `assignment`: the place is its target; null if the place is passed on.
  void bar(const ast::Expr* place, const ast::Expr* assignment = nullptr) {
    Local* local = inThread() ? root(place) : nullptr;
    if (local && !std::exchange(local->barred, true))
      found_.barred_at[local->begin] = {assignment ? assignment->range : place->range, assignment != nullptr};
  }

  template <class F> void scope(const F& inside) {
    size_t mark = visible_.size();
    inside();
    for (; visible_.size() > mark; visible_.pop_back())
      names_[visible_.back()].pop_back();
  }
  // Walks control flow with its condition, which is null for an asm.
  template <class F> void flow(const ast::Stmt* s, const ast::Expr* condition, const F& inside) {
    if (!inThread())
      return inside();
    Flow made;
    made.stmt = s, made.around = flow_;
    made.of_thread = s->kind == ast::Stmt::Asm || s->is_wavefront || isOfThread(condition);
    found_.flows.push_back(std::move(made));
    size_t outer = std::exchange(flow_, found_.flows.size() - 1), at = flow_;
    if (s->kind != ast::Stmt::If && s->kind != ast::Stmt::Asm)
      (s->kind == ast::Stmt::Switch ? breaks_ : loops_).push_back(at);
    inside();
    if (s->kind != ast::Stmt::If && s->kind != ast::Stmt::Asm)
      (s->kind == ast::Stmt::Switch ? breaks_ : loops_).pop_back();
    flow_ = outer;
    // the condition of a do sees its body's locals
    eachLocal(condition, [&](size_t source) { found_.flows[at].sources.push_back(source); });
  }
  void jump(const ast::Stmt* s) {
    if (!inThread() || !flow_)
      return;
    size_t to = loops_.empty() ? 0 : loops_.back();
    if (s->kind == ast::Stmt::Break && !breaks_.empty())
      to = std::max(to, breaks_.back());
    found_.jumps.push_back({s, flow_, s->kind == ast::Stmt::Return ? 0 : to, barriers_});
  }
  void noteBarriersBehind(size_t first_jump) {
    for (Jump& jump : std::span(found_.jumps).subspan(first_jump))
      jump.followed = !jump.to && jump.barriers < barriers_;
  }
  void barrier() {
    barriers_ += inThread();
    meet();
  }
  // Notes collective code here.
  void meet() {
    for (size_t at = flow_; inThread() && at && !found_.flows[at].host; at = found_.flows[at].around)
      found_.flows[at].host = true;
  }

  void list(std::span<ast::Stmt*> stmts) {
    for (const ast::Stmt* s : stmts)
      statement(s);
  }

  void statement(const ast::Stmt* s) {
    size_t first_jump = 0;
    if (!s)
      return;
    switch (s->kind) {
    case ast::Stmt::Decl:
      for (const ast::Declarator& d : s->decls) {
        expression(d.init);
        if (d.by_reference && !isConst(sema_, d.type)) // an assignment to it goes to its place
          bar(d.init);
        bind(d.name, d.is_shared ? nullptr : &d, d.type, d.init, elementsOf(d.type, d.init), d.range.begin);
        if (d.by_reference) // perhaps memory
          found_.locals.back().place = nullptr;
      }
      return;
    case ast::Stmt::ExprStmt:
      return assignment(s->expr);
    case ast::Stmt::Block:
      return scope([&] { list(s->stmts); });
    case ast::Stmt::If:
      return branch(s);
    case ast::Stmt::For:
    case ast::Stmt::While:
    case ast::Stmt::Do:
    case ast::Stmt::Switch:
      return scope([&] { loop(s); });
    case ast::Stmt::Return:
      jump(s);
      return returned(s->expr);
    case ast::Stmt::Break:
    case ast::Stmt::Continue:
      return jump(s);
    case ast::Stmt::Barrier:
      return barrier();
    case ast::Stmt::Spawn:
      expression(s->expr);
      for (const ast::Expr* extent : s->extents)
        expression(extent);
      device_ = true;
      first_jump = found_.jumps.size();
      scope([&] { statement(s->body); });
      noteBarriersBehind(first_jump);
      device_ = false;
      return;
    case ast::Stmt::Require:
    case ast::Stmt::Par: {
      meet();
      bool outer = in_require_;
      in_require_ |= s->kind == ast::Stmt::Require;
      s->body->kind == ast::Stmt::Block ? list(s->body->stmts) : statement(s->body);
      in_require_ = outer;
      return;
    }
    case ast::Stmt::Asm:
      for (const ast::AsmOperand& operand : s->outputs)
        bar(operand.value);
      for (const ast::AsmOperand& operand : s->inputs)
        expression(operand.value);
      return flow(s, nullptr, [&] { statement(s->otherwise); });
    default:
      return expression(s->expr);
    }
  }

  void branch(const ast::Stmt* s) {
    if (std::optional<bool> known = knownCondition(sema_, s->expr))
      return statement(*known ? s->body : s->otherwise);
    expression(s->expr);
    flow(s, s->expr, [&] {
      statement(s->body);
      statement(s->otherwise);
    });
  }

  void loop(const ast::Stmt* s) {
    statement(s->init);
    if (inThread() && isWrittenOut(sema_, s))
      return statement(s->body);
    flow(s, s->expr, [&] {
      expression(s->expr);
      if (s->kind == ast::Stmt::Switch)
        list(s->body->stmts);
      else
        statement(s->body);
      if (s->step)
        assignment(s->step);
    });
  }

  void returned(const ast::Expr* e) {
    expression(e);
    found_.gives_threads |= device_ && isOfThread(e);
    eachLocal(e, [&](size_t local) { found_.locals[local].returned |= device_; });
  }

  // A statement by itself may assign to a variable of the host.
  void assignment(const ast::Expr* e) {
    if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma) {
      assignment(e->a);
      return assignment(e->b);
    }
    bool counts = isCount(e);
    if (e->kind != ast::Expr::Assign && !counts)
      return expression(e);
    expression(e->b);
    Local* local = changed(e->a);
    bool fresh = !counts && !e->has_op && e->a->kind == ast::Expr::Name && !local &&
                 !global(sema_, e->a->name, scopeOf(sema_, e->range));
    if (fresh) {
      bind(e->a->name, e, nullptr, e->b, elementsOf(nullptr, e->b), e->a->range.begin);
      return;
    }
    bool of_host = local ? local->of_host : e->a->kind == ast::Expr::Name;
    if (of_host)
      meet();
    if (of_host && inThread()) // its values are those that the host knows
      want(e->b);
    if (local && inThread()) {
      local->changed = true, local->of_thread |= isOfThread(e->b), local->known &= isPlain(e->b);
      local->flows.push_back(flow_);
    }
    if (local)
      eachLocal(e->b, [&](size_t source) { local->sources.push_back(source); });
    if (e->a->kind != ast::Expr::Name || in_require_)
      expression(e->a);
  }

  void expression(const ast::Expr* e) {
    if (!e || e->kind == ast::Expr::SizeofExpr)
      return;
    if (e->kind == ast::Expr::Name) {
      if (Local* local = find(e->name); local && in_require_)
        local->wanted = true;
      return;
    }
    bool changes = e->kind == ast::Expr::Assign || (e->kind == ast::Expr::Unary && e->unary >= ast::UnaryOp::PreInc);
    bool address = e->kind == ast::Expr::Unary && e->unary == ast::UnaryOp::AddrOf;
    if (changes || address)
      bar(e->a, address ? nullptr : e);
    if (e->kind == ast::Expr::Call && !call(e))
      return;
    expression(e->a), expression(e->b), expression(e->c);
    for (const ast::Expr* arg : e->args)
      expression(arg);
  }

  // False if the arguments only count for their types.
  bool call(const ast::Expr* e) {
    if (inThread() && text_.isCollective(e))
      barrier();
    std::string name = calledName(e->a);
    if (name == "identity" || name == "__identity" || name == "__exact")
      return false;
    if (const ast::Expr* variable = variableReached(*e))
      bar(variable);
    if (!inThread())
      return true;
    for (const ast::Function* callee : callees(sema_, *e)) {
      if (!ast::takes(*callee, argumentCount(*e)))
        continue;
      const HostLocals* inside =
          callee->body && traits(sema_, *callee).barriers_inside ? &hostLocals(sema_, *callee) : nullptr;
      eachArgument(*e, [&](size_t i, const ast::Expr* argument) {
        if (i < callee->params.size() && callee->params[i].by_reference)
          bar(argument);
        else if (inside && i < inside->parameters.size() && inside->parameters[i])
          want(argument);
      });
    }
    return true;
  }

  void want(const ast::Expr* value) {
    eachLocal(value, [&](size_t local) { found_.locals[local].wanted = true; });
  }

  Sema& sema_;
  const ValueText text_;
  bool device_;
  bool in_require_ = false;
  size_t barriers_ = 0; // so far
  HostFacts& found_;
  std::vector<size_t> loops_, breaks_; // around this place; breaks_: switches
  size_t flow_ = 0;                    // the innermost around this place
  std::unordered_map<std::string_view, std::vector<size_t>> names_;
  std::vector<std::string_view> visible_;
};

} // namespace

HostFacts hostFactsOf(Sema& sema, const ast::Function& function) {
  HostFacts found;
  HostReads(sema, function, found);
  return found;
}

} // namespace bsgp::sema
