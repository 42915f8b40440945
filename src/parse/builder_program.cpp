// The parts of a program that are no statements, and the program.
#include <string>

#include "parse/builder.h"
#include "parse/copy_tree.h"

namespace bsgp::ast {

bool Builder::isConst(const TypeExpr& type) {
  const TypeExpr* element = &type;
  while (element->kind == TypeExpr::Array && element->inner)
    element = element->inner;
  return element->is_const;
}

Param Builder::parameter(TypeExpr* type, std::string_view name, SourceRange at, bool by_reference) {
  return {arena_.copy(name), at, type, by_reference};
}

Function* Builder::function(TypeExpr* result, std::string_view name, const std::vector<Param>& parameters, Stmt* body,
                            SourceRange at) {
  auto* made = arena_.make<Function>();
  made->name = arena_.copy(name), made->range = at;
  made->result = result, made->params = keep(parameters), made->body = body;
  return made;
}

std::string_view Builder::join(std::string_view a, std::string_view b) {
  return arena_.copy(std::string(a).append(b));
}

// P(T, N) in the struct itself; S where it is not generic.
TypeExpr* Builder::typeOf(const Struct& structure, SourceRange at) {
  if (structure.params.empty())
    return named(structure.name, at);
  std::vector<TypeExpr*> arguments;
  for (const TypeParam& parameter : structure.params)
    arguments.push_back(parameter.is_number ? number(name(parameter.name, at), at) : named(parameter.name, at));
  return generic(structure.name, arguments, at);
}

Function* Builder::method(const Struct& of, TypeExpr* result, std::string_view name,
                          const std::vector<Param>& parameters, Stmt* body, SourceRange at, bool changes_nothing) {
  TypeExpr* type = typeOf(of, at);
  type->is_const = changes_nothing;
  std::vector<Param> all{parameter(type, "this", at, true)};
  all.insert(all.end(), parameters.begin(), parameters.end());
  Function* made = function(result, join(join(of.name, "."), name), all, body, at);
  made->is_method = true, made->of_generic = !of.params.empty();
  return made;
}

// A function whose existence stands for `commutative`; its value is never computed.
std::vector<Function*> Builder::identity(const Function& op, Expr* value, bool commutative, SourceRange at) {
  TreeCopy::Names none;
  TreeCopy::Lambda same = [](std::string_view name) { return name; };
  TreeCopy copy(arena_, none, none, same);
  std::vector<Function*> made;
  for (std::string_view clause : {".identity", ".commutative"}) {
    if (!made.empty() && !commutative)
      break;
    std::vector<Param> parameters;
    for (const Param& p : op.params)
      parameters.push_back(parameter(copy.type(p.type), p.name, p.range, p.by_reference));
    Expr* result = made.empty() ? value : integer(0, at);
    made.push_back(function(automatic(at), join(op.name, clause), parameters, block({giveBack(result, at)}, at), at));
    made.back()->is_inline = true;
  }
  return made;
}

Declarator Builder::field(TypeExpr* type, std::string_view name, SourceRange at) {
  Declarator made{};
  made.name = arena_.copy(name), made.range = at, made.type = type;
  return made;
}

Struct* Builder::structure(std::string_view name, const std::vector<Declarator>& fields, SourceRange at,
                           const std::vector<TypeParam>& parameters) {
  auto* made = arena_.make<Struct>();
  made->name = arena_.copy(name), made->range = at, made->fields = keep(fields), made->params = keep(parameters);
  return made;
}

TypeParam Builder::typeParameter(std::string_view name, SourceRange at, bool is_number) {
  return {arena_.copy(name), at, is_number};
}

Enum* Builder::enumeration(std::string_view name, const std::vector<Enumerator>& items, SourceRange at) {
  return arena_.make<Enum>(arena_.copy(name), at, keep(items));
}

Enumerator Builder::enumerator(std::string_view name, Expr* value, SourceRange at) {
  return {arena_.copy(name), at, value};
}

Typedef* Builder::alias(TypeExpr* type, std::string_view name, SourceRange at) {
  return arena_.make<Typedef>(arena_.copy(name), at, type);
}

Global* Builder::global(TypeExpr* type, std::string_view name, Expr* value, SourceRange at) {
  Declarator declarator = field(type, name, at);
  declarator.init = value;
  return arena_.make<Global>(declarator, isConst(*type));
}

// Functions of a generic struct are found through it.
Program* Builder::program(const std::vector<TopLevel>& given) {
  std::vector<TopLevel> items = given;
  for (Function* lambda : lambdas_)
    items.push_back(item(lambda));
  for (const TopLevel& structure : items) {
    if (structure.kind != TopLevel::Struct || !structure.node || structure.as<Struct>().params.empty())
      continue;
    std::vector<Function*> methods;
    for (const TopLevel& other : items)
      if (other.kind == TopLevel::Function && other.node && other.as<Function>().of_generic &&
          other.as<Function>().name.starts_with(join(structure.as<Struct>().name, ".")))
        methods.push_back(&other.as<Function>());
    structure.as<Struct>().methods = keep(methods);
  }
  auto* made = arena_.make<Program>();
  made->items = keep(items);
  return made;
}

Program* Builder::program(const std::vector<Function*>& functions, const std::vector<Struct*>& structs) {
  std::vector<TopLevel> items;
  for (Struct* made : structs)
    items.push_back(item(made));
  for (Function* made : functions)
    items.push_back(item(made));
  return program(items);
}

} // namespace bsgp::ast
