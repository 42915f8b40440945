#include "sema/scopes.h"

#include "sema/body.h"
#include "sema/name_scopes.h"

namespace bsgp::sema {

Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range, Side side) {
  auto* v = body.sema.arena.make<Variable>(name, type, range);
  v->side = side;
  if (side == Side::Host)
    body.function.locals.push_back(v);
  Symbol symbol;
  symbol.kind = Symbol::Variable, symbol.variable = v, symbol.type = type;
  bind(body, name, symbol);
  return v;
}

void rejectRedefinition(Body& body, const ast::Declarator& d) {
  auto it = body.names.symbols.find(d.name);
  if (it == body.names.symbols.end() || it->second.empty() || it->second.back().first != body.names.marks.size() ||
      !it->second.back().second.variable)
    return;
  const Variable* before = it->second.back().second.variable;
  if (before->type->isError()) // an unknown name that was used above
    return;
  body.sema.diag.report(Diag::variable_redefined, d.range, d.name);
  body.sema.diag.report(Diag::note_declared, before->range, d.name);
}

Symbol findLocal(const Body& body, std::string_view name) {
  auto it = body.names.symbols.find(name);
  return it != body.names.symbols.end() && !it->second.empty() ? it->second.back().second : Symbol();
}

Symbol find(const Body& body, std::string_view name) {
  if (Symbol local = findLocal(body, name); local.kind != Symbol::None)
    return local;
  const Symbol* found = global(body.sema, name, body.scope);
  return found ? *found : Symbol();
}

void bind(Body& body, std::string_view name, Symbol symbol) {
  auto& stack = body.names.symbols[name];
  if (!stack.empty() && stack.back().first == body.names.marks.size()) {
    stack.back().second = symbol;
    return;
  }
  stack.emplace_back(body.names.marks.size(), symbol);
  body.names.visible.push_back(name);
}

void popScope(Body& body, const char* with) {
  size_t mark = body.names.marks.back();
  body.names.marks.pop_back();
  while (body.names.visible.size() > mark) {
    auto& stack = body.names.symbols[body.names.visible.back()];
    if (stack.back().second.kind == Symbol::Variable)
      body.names.ended[body.names.visible.back()] = {stack.back().second.variable, with};
    stack.pop_back();
    body.names.visible.pop_back();
  }
  for (; !body.names.heads.empty() && body.names.heads.back().depth > body.names.marks.size();
       body.names.heads.pop_back())
    body.names.ended_heads.erase(body.names.heads.back().name);
}

} // namespace bsgp::sema
