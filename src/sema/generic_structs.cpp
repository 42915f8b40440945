#include "sema/generic_structs.h"

#include "parse/copy_tree.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/declare.h"
#include "sema/expr_names.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/instantiate.h"
#include "sema/resolve_type.h"
#include "sema/suggest.h"

namespace bsgp::sema {

namespace {

constexpr unsigned kMostNested = 32;
constexpr size_t kLongestName = 1000;
constexpr unsigned kNotesInside = 3; // structs in structs for which a note says where they are written
constexpr size_t kLongestShown = 100;

// Returns how deep arguments are in arguments: 0 of int, 1 of int*, 2 of P(int*).
unsigned nesting(const Type* type) {
  if (type->element)
    return 1 + nesting(type->element);
  unsigned deepest = 0;
  if (type->isStruct())
    for (const TypeArgument& argument : type->structure->arguments)
      deepest = std::max(deepest, 1 + (argument.type ? nesting(argument.type) : 0));
  return deepest;
}

std::string shown(const TypeArgument& argument) {
  return argument.type ? typeName(argument.type) : std::to_string(argument.number);
}

std::string shown(const std::vector<TypeArgument>& arguments) {
  std::vector<std::string> texts;
  for (const TypeArgument& argument : arguments)
    texts.push_back(shown(argument));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Returns an example of such a type for messages.
std::string example(const ast::Struct& node) {
  std::vector<std::string_view> arguments;
  for (const ast::TypeParam& param : node.params)
    arguments.push_back(param.is_number ? "4" : "int");
  return fmt::format("{}({})", node.name, fmt::join(arguments, ", "));
}

// A field that asks for a struct of its own kind, without end, holds it by value, or points to it.
std::string helpForEndless(Sema& sema, const ast::Struct& node, SourceRange range) {
  std::string own = ownName(node);
  std::string_view behind = sema.diag.sources().text({range.end, range.end + 2});
  bool by_value = sema.structs.declaring && behind.find('*') == std::string_view::npos;
  return by_value ? fmt::format("in its own fields, write pointers, and arguments that do not grow: {}*", own)
                  : fmt::format("in its own fields, write arguments that do not grow: {}", own);
}

} // namespace

std::string ownName(const ast::Struct& node) {
  std::vector<std::string_view> names;
  for (const ast::TypeParam& param : node.params)
    names.push_back(param.name);
  return fmt::format("{}({})", node.name, fmt::join(names, ", "));
}

static const Type* settled(Sema& sema, const Type* type);
static const Type* genericType(Sema& sema, const ast::Struct& node, const std::vector<TypeArgument>& arguments,
                               SourceRange range);
static std::string uniqueNameInC(Sema& sema, const ast::Struct& node, const std::vector<TypeArgument>& arguments);
static void declareGeneric(Sema& sema, const Type* type);
static void declareParts(Sema& sema, const Type* type, const ast::Struct& node);
static std::string_view nameArgument(Sema& sema, const TypeArgument& argument);
static void declareMethods(Sema& sema, const Type* type, const ast::Struct& node, ast::TreeCopy& copy);
static std::string_view copyLambda(Sema& sema, std::string_view lambda, const Type* type, ast::TreeCopy& copy);

// ---- types as written
const Type* genericType(Sema& sema, const ast::TypeExpr& node, Body* body) {
  if (auto known = sema.generics.written.find(&node); !body && known != sema.generics.written.end())
    return known->second;
  auto generic = sema.generics.declared.find(node.name);
  if (generic == sema.generics.declared.end()) {
    bool known = sema.names.types.count(node.name);
    sema.diag.report(known ? Diag::not_generic : Diag::unknown_type, node.range, node.name,
                     known ? "" : suggestion(sema, node.name, nullptr));
    return sema.types.error;
  }
  const ast::Struct& of = *generic->second;
  if (node.args.size() != of.params.size()) {
    sema.diag.report(Diag::type_argument_count, node.range, of.name, of.params.size(), node.args.size(), example(of));
    sema.diag.report(Diag::note_declared, of.range, of.name);
    return sema.types.error;
  }
  bool outer = std::exchange(sema.structs.needs_fields, false); // a demand for the fields of the made type alone
  std::vector<TypeArgument> arguments;
  for (size_t i = 0; i < node.args.size(); ++i)
    if (std::optional<TypeArgument> argument = typeArgument(sema, of.params[i], *node.args[i], body))
      arguments.push_back(*argument);
  sema.structs.needs_fields = outer;
  const Type* type =
      arguments.size() == node.args.size() ? genericType(sema, of, arguments, node.range) : sema.types.error;
  if (!body && !type->isError())
    sema.generics.written[&node] = type;
  return type;
}

std::optional<TypeArgument> typeArgument(Sema& sema, const ast::TypeParam& param, const ast::TypeExpr& node,
                                         Body* body) {
  if (param.is_number != (node.kind == ast::TypeExpr::Number))
    return std::nullopt; // the struct is declared twice
  if (param.is_number) {
    Function scope;
    scope.range = node.range;
    Body outside(sema, scope, nullptr);
    Expr* e = rvalue(*(body ? body : &outside), node.count);
    ConstValue value;
    if (e->type->isError())
      return std::nullopt;
    bool fits = constantValue(e, value) && e->type->isInt() && value.integer == static_cast<int32_t>(value.integer);
    if (!fits)
      sema.diag.report(Diag::not_constant, node.range, fmt::format("what stands for '{}', an int,", param.name));
    return fits ? std::optional(TypeArgument{nullptr, value.integer}) : std::nullopt;
  }
  const Type* type = resolveWritten(sema, &node, body, sema.types.cell(Space::Device));
  if (type->isError())
    return std::nullopt;
  if (isConst(sema, &node))
    sema.diag.report(Diag::const_type_argument, node.range, param.name);
  else if (type->isVoid())
    sema.diag.report(Diag::bad_variable_type, node.range, "a type argument", typeName(type));
  else
    return TypeArgument{settled(sema, type)};
  return std::nullopt;
}

// Fills in the spaces that its pointers have by now, for typeof(p).
static const Type* settled(Sema& sema, const Type* type) {
  if (type->isArray())
    return sema.types.array(settled(sema, type->element), type->count);
  if (!type->space)
    return type;
  Space space = type->space->root()->space;
  return sema.types.reaching(type, settled(sema, type->element),
                             sema.types.cell(space == Space::Unknown ? Space::Device : space));
}

void rejectMissingArguments(Sema& sema, const ast::TypeExpr& node) {
  const ast::Struct& of = *sema.generics.declared.at(node.name);
  sema.diag.report(Diag::missing_type_arguments, node.range, of.name, example(of));
}

// How many types of `node` there are among the one whose fields are being read, the one that asks for it, and so on.
static unsigned usesInside(const Generics& generics, const ast::Struct& node) {
  unsigned found = 0;
  for (const Type* type = generics.declaring; type; type = generics.users.at(type))
    found += type->structure->generic == &node;
  return found;
}

static const Type* genericType(Sema& sema, const ast::Struct& node, const std::vector<TypeArgument>& arguments,
                               SourceRange range) {
  std::string key = fmt::format("{}", static_cast<const void*>(&node));
  for (const TypeArgument& argument : arguments) {
    key += fmt::format(",{}", argument.number);
    if (argument.type)
      typeKey(sema, argument.type, key);
  }
  const Type*& type = sema.generics.types[key];
  if (type)
    return type;
  std::string name = fmt::format("{}({})", node.name, shown(arguments));
  Type probe{TypeKind::Struct};
  StructInfo info{.name = name, .fields = {}, .arguments = arguments};
  probe.structure = &info;
  bool endless = sema.generics.endless.count(&node) && sema.structs.declaring;
  bool too_deep =
      nesting(&probe) > kMostNested || name.size() > kLongestName || usesInside(sema.generics, node) > kMostNested;
  if (!endless && too_deep) {
    sema.diag.report(Diag::endless_struct, range, node.name, kMostNested, helpForEndless(sema, node, range));
    if (sema.structs.declaring)
      sema.generics.endless.insert(&node);
    return sema.types.error;
  }
  if (endless)
    return sema.types.error;
  type = sema.types.makeStruct(sema.arena.copy(name));
  type->structure->generic = &node, type->structure->arguments = arguments;
  if (scopeOf(sema, node.range) == Scope::Program)
    sema.structs.of_program.insert(type->structure);
  type->structure->c_name = sema.arena.copy(uniqueNameInC(sema, node, arguments));
  sema.generics.undeclared[type] = {&node, range};
  sema.generics.users[type] = sema.generics.declaring;
  sema.generics.waiting.push_back(type);
  return type;
}

static std::string uniqueNameInC(Sema& sema, const ast::Struct& node, const std::vector<TypeArgument>& arguments) {
  std::string name(node.name);
  for (const TypeArgument& argument : arguments)
    name += "_" + (argument.type         ? nameInC(argument.type)
                   : argument.number < 0 ? fmt::format("minus{}", -argument.number)
                                         : std::to_string(argument.number));
  while (!sema.structs.c_names.insert(name).second)
    name += "_";
  return name;
}

// ---- their fields and functions

// Runs at the declaration, in the order of the text.
void reachGeneric(Sema& sema, const ast::Struct& node) {
  if (sema.generics.declared[node.name] != &node)
    return sema.diag.report(Diag::type_redefined, node.range, node.name);
  sema.generics.reached.insert(&node);
  declareWaiting(sema);
}

void needFields(Sema& sema, const Type* type) {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct() || type->structure->complete)
    return;
  if (sema.generics.undeclared.count(type))
    declareGeneric(sema, type);
  else if (auto plain = sema.structs.undeclared.find(type->structure->name); plain != sema.structs.undeclared.end())
    declareStruct(sema, *plain->second);
}

void declareWaiting(Sema& sema) {
  if (sema.structs.declaring != 0 || sema.generics.waiting.empty())
    return;
  std::vector<const Type*> later;
  while (!sema.generics.waiting.empty()) {
    const Type* type = sema.generics.waiting.back();
    sema.generics.waiting.pop_back();
    auto use = sema.generics.undeclared.find(type);
    if (use == sema.generics.undeclared.end())
      continue;
    if (sema.generics.reached.count(use->second.node))
      declareGeneric(sema, type);
    else
      later.push_back(type);
  }
  sema.generics.waiting = std::move(later);
}

namespace {

// Reports the first error since the mark at `range`, the place of the library struct's arguments.
void sayAt(SourceRange range, Diagnostics& diag, const Diagnostics::Mark& before) {
  std::vector<Diagnostic> said = diag.takeSince(before);
  auto is_error = [](const Diagnostic& message) { return message.severity == Severity::Error; };
  auto first = std::ranges::find_if(said, is_error);
  if (first == said.end()) // behind a hundred errors they are only counted
    return;
  first->range = range;
  diag.put(std::move(*first));
}

} // namespace

static void declareGeneric(Sema& sema, const Type* type) {
  GenericUse use = sema.generics.undeclared.extract(type).mapped();
  Diagnostics::Mark before = sema.diag.mark();
  bool outer = std::exchange(sema.structs.needs_fields, true);
  const Type* user = std::exchange(sema.generics.declaring, type);
  ++sema.structs.declaring;
  declareParts(sema, type, *use.node);
  bool shown = sema.structs.declaring <= kNotesInside && type->structure->name.size() <= kLongestShown;
  bool failed = sema.diag.errors() != before.errors;
  bool of_library = scopeOf(sema, use.node->range) == Scope::Library && scopeOf(sema, use.range) == Scope::Program;
  if (failed && of_library)
    sayAt(use.range, sema.diag, before);
  else if (failed && shown)
    sema.diag.report(Diag::note_with_arguments, use.range, typeName(type));
  --sema.structs.declaring;
  sema.generics.declaring = user;
  sema.structs.needs_fields = outer;
  if (!failed || !sema.instances.trial || sema.structs.declaring)
    return;
  std::vector<Diagnostic> said = sema.diag.takeSince(before); // reported once: the type is made
  sema.instances.trial->stay.insert(sema.instances.trial->stay.end(), said.begin(), said.end());
}

static void declareParts(Sema& sema, const Type* type, const ast::Struct& node) {
  ast::TreeCopy::Names names, numbers;
  for (size_t i = 0; i < node.params.size(); ++i) {
    const TypeArgument& argument = type->structure->arguments[i];
    (argument.type ? names : numbers)[node.params[i].name] = nameArgument(sema, argument);
  }
  ast::TreeCopy* copying = nullptr;
  ast::TreeCopy::Lambda lambda = [&](std::string_view name) { return copyLambda(sema, name, type, *copying); };
  ast::TreeCopy copy(sema.arena, names, numbers, lambda);
  copying = &copy;
  std::vector<ast::Declarator> fields(node.fields.begin(), node.fields.end());
  for (ast::Declarator& field : fields)
    field = copy.declarator(field);
  sema.types.finishStruct(type, fieldsOf(sema, type, fields));
  keepFieldValues(sema, type, fields);
  sema.program.structs.push_back(type);
  declareMethods(sema, type, node, copy);
}

static std::string_view nameArgument(Sema& sema, const TypeArgument& argument) {
  std::string_view name = sema.arena.copy("(" + shown(argument) + ")");
  if (argument.type) {
    sema.generics.argument_types[name] = argument.type;
    return name;
  }
  Symbol symbol;
  symbol.kind = Symbol::Number, symbol.number = argument.number, symbol.type = sema.types.i32;
  sema.names.globals[name] = symbol;
  return name;
}

// Facts of a text are those of the declaration (callees): whether a method is collective, or writes a parameter, is
// the same for all arguments.
static void declareMethods(Sema& sema, const Type* type, const ast::Struct& node, ast::TreeCopy& copy) {
  for (const ast::Function* method : node.methods) {
    ast::Function* made = copy.function(*method);
    made->name = sema.arena.copy(std::string(type->structure->name).append(method->name.substr(node.name.size())));
    made->of_generic = false;
    sema.functions.all[made->name].push_back(made);
  }
}

// A lambda of such a function names the same types as it does.
static std::string_view copyLambda(Sema& sema, std::string_view lambda, const Type* type, ast::TreeCopy& copy) {
  std::string name = fmt::format("{} of {}", lambda, typeName(type));
  for (const char* clause : {"", ".identity", ".commutative"}) {
    auto node = sema.functions.lambdas.find(fmt::format("{}{}", lambda, clause));
    if (node == sema.functions.lambdas.end())
      continue;
    ast::Function* made = copy.function(*node->second);
    made->name = sema.arena.copy(name + clause);
    sema.functions.all[made->name].push_back(made);
  }
  return sema.arena.copy(name);
}

} // namespace bsgp::sema
