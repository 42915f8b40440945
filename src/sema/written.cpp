#include "sema/written.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/host_locals.h"
#include "sema/name_scopes.h"
#include "sema/resolve_type.h"
#include "sema/services.h"
#include "sema/traits.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

// A part of a variable, or all of it. Its type is null where it is not known: then all that is reached from it is a part.
struct Part {
  bool found = false;
  const Type* type = nullptr;
};

const Type* fieldType(const Type* whole, std::string_view name) {
  if (!whole || !whole->isStruct() || !whole->structure->complete)
    return nullptr;
  const std::vector<StructField>& fields = whole->structure->fields;
  auto field = std::find_if(fields.begin(), fields.end(), [&](const StructField& f) { return f.name == name; });
  return field == fields.end() ? nullptr : field->type;
}

// Which part of the variable `name` of type `type` does the expression name?
Part partOf(const ast::Expr* e, std::string_view name, const Type* type) {
  if (e && e->kind == ast::Expr::Name && e->name == name)
    return {true, type};
  if (!e || (e->kind != ast::Expr::Member && e->kind != ast::Expr::Index))
    return {};
  Part whole = partOf(e->a, name, type);
  if (!whole.found || !whole.type)
    return whole;
  if (e->kind == ast::Expr::Member)
    return {true, fieldType(whole.type, e->name)};
  if (whole.type->isPointer() || whole.type->isView())
    return {};
  return {true, whole.type->isArray() ? whole.type->element : nullptr};
}

bool assigns(const ast::Expr& e) {
  return e.kind == ast::Expr::Assign ||
         (e.kind == ast::Expr::Unary && (e.unary >= ast::UnaryOp::PreInc || e.unary == ast::UnaryOp::AddrOf));
}

// Does the text write to the variable `name` of type `type`, take its address, or name it in thread.get?
bool writes(Sema& sema, const ast::Function& function, std::string_view name, const Type* type) {
  bool written = false;
  auto part = [&](const ast::Expr* e) { return partOf(e, name, type); };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        for (const ast::AsmOperand& output : s->outputs)
          written |= part(output.value).found;
        for (const ast::Declarator& d : s->decls)
          written |= d.by_reference && !isConst(sema, d.type) && part(d.init).found;
        return !written;
      },
      [&](const ast::Expr* e) {
        written |= assigns(*e) && part(e->a).found;
        if (written || e->kind != ast::Expr::Call)
          return;
        if (const ast::Expr* variable = variableReached(*e))
          written |= part(variable).found;
        eachArgument(*e, [&](size_t i, const ast::Expr* argument) {
          Part given = part(argument);
          if (!given.found)
            return;
          for (const ast::Function* callee : callees(sema, *e))
            written |= i < callee->params.size() && callee->params[i].by_reference &&
                       !isConst(sema, callee->params[i].type) &&
                       writesParameter(sema, *callee, callee->params[i], given.type);
        });
      },
      [&](const ast::Expr* e) { return knownCondition(sema, e); });
  return written;
}

} // namespace

// Then it is a variable of the thread whatever the argument is.
bool writesParameter(Sema& sema, const ast::Function& function, const ast::Param& param, const Type* given) {
  auto [it, fresh] = sema.texts.written.try_emplace({&param, given}, false); // recursion ends there
  if (!fresh || !function.body)
    return it->second;
  bool written = writes(sema, function, param.name, given);
  return sema.texts.written[{&param, given}] = written;
}

bool writesThis(Sema& sema, std::string_view method, const Type* object) {
  Overloads set = overloads(sema, method, Scope::Program);
  return std::any_of(set.begin(), set.end(),
                     [&](const ast::Function* node) { return writesParameter(sema, *node, node->params[0], object); });
}

// A parameter of a collective is a host value when its argument is, and nothing in the body writes to it or it lives with
// the host; a reference is whatever it refers to.
bool hostParameter(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument,
                   bool by_reference, bool collective) {
  if (by_reference)
    return hostArgument(argument, true);
  if (!collective || !hostArgument(argument, false))
    return false;
  return !isWritten(sema, node, param, argument) || hostLocals(sema, node).declarations.count(&param);
}

bool isWritten(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument) {
  return writesParameter(sema, node, param, argument.value ? argument.value->type : nullptr);
}

} // namespace bsgp::sema
